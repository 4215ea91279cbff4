"""Checks of the ontology, each over a graph, so that ontology and ontology + data pass the same.

The numbers are those of the fifteen checks that tests/test_ontology.py names. Each check returns
what it finds wrong, one line per finding; an empty list is a pass.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations
from typing import Final

from rdflib import BNode, Graph, Literal, Namespace, URIRef
from rdflib.namespace import DCTERMS, OWL, RDF, RDFS, SKOS, XSD
from rdflib.term import Node

from kg.vocab import PREFIXES
from tests.owl_closure import closure

RA: Final = Namespace(PREFIXES["ra"])
ONTOLOGY: Final = URIRef(PREFIXES["ra"].removesuffix("#"))
LANGUAGE: Final = "en"
OWLRL_ERROR: Final = URIRef("http://www.daml.org/2002/03/agents/agent-ont#error")

# Prefixes of things rather than of vocabularies, and ours; sh: is for meta-SHACL to judge.
NOT_IMPORTED: Final = {"cc0", "id", "ra", "rash", "rule", "sh"}
VOCABULARIES: Final = tuple(
    sorted(iri for prefix, iri in PREFIXES.items() if prefix not in NOT_IMPORTED)
)

PROPERTY_KINDS: Final = {OWL.ObjectProperty, OWL.DatatypeProperty}
ANNOTATIONS: Final = (RDFS.label, SKOS.prefLabel, SKOS.definition, SKOS.scopeNote)
AXIOMS: Final = (
    RDFS.subClassOf,
    RDFS.subPropertyOf,
    RDFS.domain,
    RDFS.range,
    OWL.disjointWith,
    RDF.type,
)
# A release of a source, or a source, may itself be the document that evidence cites.
MAY_OVERLAP: Final = (
    frozenset({RA.Document, RA.Source}),
    frozenset({RA.Document, RA.SourceRelease}),
)
TAINTED: Final = (RA.level, RA.onProduct, RA.evidence)
CORRUPTING: Final = {
    OWL.FunctionalProperty,
    OWL.InverseFunctionalProperty,
    OWL.SymmetricProperty,
    OWL.TransitiveProperty,
}


def own(graph: Graph, *kinds: Node) -> list[URIRef]:
    """Return the terms of ours that a graph declares, of one of the kinds if any is given."""
    found = {
        subject
        for subject, _, kind in graph.triples((None, RDF.type, None))
        if isinstance(subject, URIRef) and subject in RA and (not kinds or kind in kinds)
    }
    return sorted(found)


def name(term: Node) -> str:
    """Shorten a term for a finding."""
    for prefix, iri in PREFIXES.items():
        if str(term).startswith(iri):
            return f"{prefix}:{str(term).removeprefix(iri)}"
    return str(term)


def above(graph: Graph, start: Node, relation: URIRef) -> set[Node]:
    """Return what a relation leads to from a node in one step or more; the node only by a cycle."""
    found: set[Node] = set()
    frontier = set(graph.objects(start, relation))
    while frontier:
        found |= frontier
        frontier = {up for node in frontier for up in graph.objects(node, relation)} - found
    return found


def check_01_header(graph: Graph) -> list[str]:
    """Find what is wrong with the ontology's own description."""
    headers = list(graph.subjects(RDF.type, OWL.Ontology))
    if headers != [ONTOLOGY]:
        return [f"ontologies: {', '.join(map(str, headers)) or 'none'}"]
    problems = []
    for predicates, fits in (
        ((DCTERMS.title, DCTERMS.description), _is_text),
        ((DCTERMS.license, DCTERMS.creator), _is_iri),
        ((DCTERMS.created, DCTERMS.modified), _is_date),
    ):
        for predicate in predicates:
            values = list(graph.objects(ONTOLOGY, predicate))
            if len(values) != 1 or not fits(values[0]):
                problems.append(f"{name(predicate)}: {values}")
    return problems


def _is_text(node: Node) -> bool:
    return isinstance(node, Literal) and node.language == LANGUAGE


def _is_iri(node: Node) -> bool:
    return isinstance(node, URIRef)


def _is_date(node: Node) -> bool:
    return isinstance(node, Literal) and node.datatype == XSD.date


def check_02_version(graph: Graph) -> list[str]:
    """Find a version IRI that is missing or disagrees with the version or the ontology IRI."""
    iris = list(graph.objects(ONTOLOGY, OWL.versionIRI))
    versions = list(graph.objects(ONTOLOGY, OWL.versionInfo))
    if len(iris) != 1 or len(versions) != 1:
        return [f"version IRIs {iris}, versions {versions}"]
    if iris[0] != URIRef(f"{ONTOLOGY}/{versions[0]}"):
        return [f"{iris[0]} is not {ONTOLOGY} with {versions[0]}"]
    return []


def check_03_annotations(graph: Graph) -> list[str]:
    """Find terms without exactly one label per language, one definition and one origin."""
    problems = []
    vocabulary = set(own(graph, OWL.Class, *PROPERTY_KINDS))
    for term in own(graph):
        expected, other = SKOS.prefLabel, RDFS.label
        if term in vocabulary:
            expected, other = other, expected
        for predicate in (expected, SKOS.definition):
            languages = [getattr(o, "language", None) for o in graph.objects(term, predicate)]
            if LANGUAGE not in languages or len(set(languages)) != len(languages):
                problems.append(f"{name(term)} {name(predicate)}: {languages}")
        if (term, other, None) in graph:
            problems.append(f"{name(term)} has {name(other)}, too")
        if list(graph.objects(term, RDFS.isDefinedBy)) != [ONTOLOGY]:
            problems.append(f"{name(term)} rdfs:isDefinedBy")
    return problems


def check_04_duplicates(graph: Graph) -> list[str]:
    """Find labels or definitions, scope notes aside, that two terms share."""
    problems = []
    for predicates in ((RDFS.label, SKOS.prefLabel), (SKOS.definition,)):
        holders = defaultdict(set)
        for term in own(graph):
            for predicate in predicates:
                for text in graph.objects(term, predicate):
                    holders[str(text).casefold().rstrip(".")].add(name(term))
        problems += [f"{text!r}: {sorted(h)}" for text, h in holders.items() if len(h) > 1]
    return problems


def check_05_whitespace(graph: Graph) -> list[str]:
    """Find outer, doubled or control white space in annotations."""
    texts = (
        (subject, str(text))
        for subject in (ONTOLOGY, *own(graph))
        for text in graph.objects(subject, None)
        if isinstance(text, Literal)
    )
    fault = re.compile(r"^\s|\s$|\s\s|[\x00-\x1f\x7f-\x9f\u200b\ufeff]")
    return [f"{name(s)}: {text!r}" for s, text in texts if not text or fault.search(text)]


def terms_used(graph: Graph) -> set[URIRef]:
    """Return the terms of ours that occur anywhere in a graph."""
    return {term for triple in graph for term in triple if isinstance(term, URIRef) and term in RA}


def check_06_declared(graph: Graph, used: Collection[URIRef]) -> list[str]:
    """Find terms that are used and not declared."""
    return [f"{name(term)} is not declared" for term in sorted(set(used) - set(own(graph)))]


def check_06_used(graph: Graph, used: Collection[URIRef], unused: Mapping[str, str]) -> list[str]:
    """Find declared terms that nothing uses, unless listed with a reason, and stale listings.

    What a concept in use is described by (its class, scheme and facets) is in use, too. A concept
    need not be: a closed list also has the values that no source gives today.
    """
    concepts = set(own(graph, SKOS.Concept))
    reached: set[Node] = set(used)
    frontier = reached & concepts
    while frontier:
        described = {
            term
            for concept in frontier
            for _, *pair in graph.triples((concept, None, None))
            for term in pair
        }
        frontier = (described & concepts) - reached
        reached |= described
    idle = {name(term) for term in set(own(graph)) - concepts - reached}
    return [
        *(f"{term} is used by nothing" for term in sorted(idle - unused.keys())),
        *(f"{term} is used; take it off the list" for term in sorted(unused.keys() - idle)),
        *(f"{term} is listed without a reason" for term, why in unused.items() if not why.strip()),
    ]


def _external(graph: Graph) -> Iterator[URIRef]:
    for triple in graph:
        for term in triple:
            if isinstance(term, URIRef) and str(term).startswith(VOCABULARIES):
                yield term
        if isinstance(triple[1], URIRef):
            yield triple[1]
        if triple[1] in AXIOMS and isinstance(triple[2], URIRef):
            yield triple[2]


def check_07_external(graph: Graph, imports: Graph) -> list[str]:
    """Find terms of other vocabularies that ontology/imports/ does not declare."""
    declared = {subject for subject, _, _ in imports.triples((None, RDF.type, None))}
    strangers = {term for term in _external(graph) if term not in RA} - declared - {ONTOLOGY}
    return [f"{term} is not in ontology/imports/" for term in sorted(strangers)]


def check_08_domains(graph: Graph) -> list[str]:
    """Find properties of two domains or ranges, and other vocabularies' properties with any."""
    problems = []
    for predicate in (RDFS.domain, RDFS.range):
        counts = Counter(subject for subject, _, _ in graph.triples((None, predicate, None)))
        for term, count in counts.items():
            if count > 1 or not (isinstance(term, URIRef) and term in RA):
                problems.append(f"{name(term)} {name(predicate)}: {count}")
    return sorted(problems)


def check_09_kinds(graph: Graph) -> list[str]:
    """Find cycles of classes or properties, and terms of two kinds."""
    problems = [
        f"{name(term)} is above itself"
        for relation in (RDFS.subClassOf, RDFS.subPropertyOf)
        for term in set(graph.subjects(relation, None))
        if term in above(graph, term, relation)
    ]
    classes = set(own(graph, OWL.Class))
    properties = set(own(graph, RDF.Property, *PROPERTY_KINDS))
    for term in own(graph):
        kinds = set(graph.objects(term, RDF.type))
        if term in properties and len(kinds & PROPERTY_KINDS) != 1:
            problems.append(f"{name(term)} is not of one kind of property")
        if term in classes | properties and kinds - {OWL.Class, RDF.Property, *PROPERTY_KINDS}:
            problems.append(f"{name(term)} is also an individual")
        if term in classes and term in properties:
            problems.append(f"{name(term)} is both class and property")
    individuals = set(own(graph)) - classes
    problems += [
        f"{name(t)} is used as a class" for t in individuals & set(graph.objects(None, RDF.type))
    ]
    return sorted(problems)


def check_10_disjoint(graph: Graph) -> list[str]:
    """Find top classes that are not declared disjoint, themselves or by a class above them."""
    classes = own(graph, OWL.Class)
    lines = {term: {term, *above(graph, term, RDFS.subClassOf)} for term in classes}
    tops = [
        term
        for term in classes
        if not any(str(up).startswith(str(RA)) for up in lines[term] - {term})
    ]
    return [
        f"{name(one)} and {name(other)}"
        for one, other in combinations(tops, 2)
        if frozenset({one, other}) not in MAY_OVERLAP
        and not any(
            (a, OWL.disjointWith, b) in graph or (b, OWL.disjointWith, a) in graph
            for a in lines[one]
            for b in lines[other]
        )
    ]


def check_11_corrupting(graph: Graph) -> list[str]:
    """Find statements under which a reasoner would spread evidence, and blank nodes."""
    problems = [f"{s} owl:sameAs {o}" for s, _, o in graph.triples((None, OWL.sameAs, None))]
    problems += [
        f"{name(term)} is an {name(kind)}"
        for kind in CORRUPTING
        for term in graph.subjects(RDF.type, kind)
    ]
    problems += [
        f"{name(ours)} {name(relation)} {name(other)}"
        for relation in (OWL.equivalentClass, OWL.equivalentProperty, OWL.inverseOf)
        for ours, other in graph.subject_objects(relation)
    ]
    if any(isinstance(node, BNode) for triple in graph for node in triple):
        problems.append("a blank node")
    return sorted(problems)


def check_12_closure(graph: Graph) -> list[str]:
    """Find what the OWL-RL closure adds to what is said, and where it finds a contradiction.

    Types may be added along rdfs:subClassOf only: the data types every instance itself.
    """
    closed = closure(graph)
    problems = [str(message) for message in closed.objects(None, OWLRL_ERROR)]
    problems += [f"{name(s)} is nothing" for s in closed.subjects(RDF.type, OWL.Nothing)]
    for predicate in TAINTED:
        added = set(closed.triples((None, predicate, None))) - set(graph)
        problems += [f"adds {name(s)} {name(p)} {name(o)}" for s, p, o in added]
    return sorted({*problems, *_added_types(graph, closed)})


def _added_types(graph: Graph, closed: Graph) -> Iterator[str]:
    built_in = (str(OWL), str(RDF), str(RDFS), str(XSD))
    for subject in set(graph.subjects()):
        said = set(graph.objects(subject, RDF.type))
        allowed = said | {up for kind in said for up in above(graph, kind, RDFS.subClassOf)}
        for kind in set(closed.objects(subject, RDF.type)) - allowed:
            if isinstance(kind, URIRef) and not str(kind).startswith(built_in):
                yield f"adds {name(subject)} a {name(kind)}"


def check_13_skos(graph: Graph) -> list[str]:
    """Find concepts of no or two schemes or notations, and broken hierarchies."""
    classes = own(graph, OWL.Class)
    kinds = {c for c in classes if SKOS.Concept in above(graph, c, RDFS.subClassOf)}
    concepts = {c for kind in (SKOS.Concept, *kinds) for c in graph.subjects(RDF.type, kind)}
    problems = [line for c in concepts for line in (*_placing(graph, c), *_hierarchy(graph, c))]
    taken = defaultdict(set)
    for concept in concepts:
        for scheme in graph.objects(concept, SKOS.inScheme):
            for notation in graph.objects(concept, SKOS.notation):
                taken[scheme, notation].add(name(concept))
    shared = [f"{n} in {name(s)}: {sorted(c)}" for (s, n), c in taken.items() if len(c) > 1]
    return sorted([*problems, *shared])


def _placing(graph: Graph, concept: Node) -> Iterator[str]:
    schemes = list(graph.objects(concept, SKOS.inScheme))
    notations = list(graph.objects(concept, SKOS.notation))
    if len(schemes) != 1 or (schemes[0], RDF.type, SKOS.ConceptScheme) not in graph:
        yield f"{name(concept)} skos:inScheme {schemes}"
    if len(notations) != 1:
        yield f"{name(concept)} skos:notation {notations}"
    if (concept, RDF.type, SKOS.Concept) not in graph:
        yield f"{name(concept)} is not typed skos:Concept"


def _hierarchy(graph: Graph, concept: Node) -> Iterator[str]:
    broader = above(graph, concept, SKOS.broader)
    if concept in broader:
        yield f"{name(concept)} is broader than itself"
    if broader & set(graph.objects(concept, SKOS.related)):
        yield f"{name(concept)} is related to a broader concept"


def check_14_deprecated(graph: Graph, used: Collection[URIRef]) -> list[str]:
    """Find deprecated terms without a declared replacement or in use."""
    problems = []
    for term in graph.subjects(OWL.deprecated, Literal(True)):
        replacements = set(graph.objects(term, DCTERMS.isReplacedBy))
        if not replacements or any((new, RDF.type, None) not in graph for new in replacements):
            problems.append(f"{name(term)} has no replacement")
        if term in used:
            problems.append(f"{name(term)} is used")
    return sorted(problems)


def check_15_iris(graph: Graph) -> list[str]:
    """Find names against the policy, in a graph of nothing but our terms.

    All are fragments of one document, the ontology's; classes, schemes and concepts begin with a
    capital, properties with a small letter.
    """
    problems = [
        f"{subject} is not a fragment of {ONTOLOGY}"
        for subject in set(graph.subjects())
        if subject != ONTOLOGY and not str(subject).startswith(str(RA))
    ]
    properties = set(own(graph, RDF.Property, *PROPERTY_KINDS))
    for term in own(graph):
        policy = r"[a-z][A-Za-z0-9]*" if term in properties else r"[A-Z][A-Za-z0-9]*"
        if not re.fullmatch(policy, str(term).removeprefix(str(RA))):
            problems.append(f"{name(term)} is not named as its kind is")
    return sorted(problems)
