"""Checks 1 to 15 of a demanding ontologist; each also on a copy broken so that it must fail."""

import re
from collections.abc import Callable, Container
from itertools import pairwise
from pathlib import Path
from typing import Final, cast

import pytest
from pyoxigraph import BlankNode, NamedNode, RdfFormat, Store
from rdflib import BNode, Graph, Literal, Namespace, URIRef
from rdflib.namespace import (
    DCAT,
    DCTERMS,
    OWL,
    PROV,
    RDF,
    RDFS,
    SDO,
    SKOS,
    VANN,
    VOID,
    XSD,
    DefinedNamespaceMeta,
)

from kg.build import Built
from kg.vocab import ONTOLOGY_GRAPH, PREFIXES
from tests import ontology_checks as checks
from tests.ontology_checks import LANGUAGE, ONTOLOGY, RA

ROOT: Final = Path(__file__).parent.parent
TERMS: Final = ROOT / "ontology" / "runatlas.ttl"
IMPORTS: Final = sorted((ROOT / "ontology" / "imports").glob("*.ttl"))
QUERIES: Final = sorted([*ROOT.glob("ontology/rules/*.rq"), *ROOT.glob("kg/queries/*.rq")])
SHAPES: Final = sorted(ROOT.glob("shapes/**/*.ttl"))
EX: Final = Namespace("urn:test:")

# Classes, properties and schemes that the shipped data does not use, and why they stand there.
UNUSED: Final = {
    "ra:EngineSupport": "upstream support matrices state it; no shipped source is one",
    "ra:TestRun": "test reports state it; no shipped source is one",
    "ra:adapterOf": "model cards state it; no shipped source is one",
    "ra:checkpointRevision": "goes with ra:TestRun",
    "ra:correctnessHolds": "goes with ra:TestRun",
    "ra:correctnessMethod": "goes with ra:TestRun",
    "ra:correctnessReference": "goes with ra:TestRun",
    "ra:correctnessResult": "goes with ra:TestRun",
    "ra:distilledFrom": "model cards state it; no shipped source is one",
    "ra:draftCheckpoint": "the shipped sources name draft models without a repository id",
    "ra:engine": "goes with ra:EngineSupport",
    "ra:environmentText": "goes with ra:TestRun",
    "ra:forCheckpoint": "the shipped sources state requirements for families",
    "ra:fromOverlay": "marks a user's own statements, of which none are shipped",
    "ra:implementsArchitecture": "goes with ra:EngineSupport",
    "ra:log": "goes with ra:TestRun",
    "ra:maxRelease": "the shipped sources give no last release",
    "ra:mergedFrom": "model cards state it; no shipped source is one",
    "ra:minRelease": "the shipped sources give no first release",
    "ra:modelLabel": "the shipped sources give a repository id for each model",
    "ra:nodeCount": "the shipped sources count no nodes",
    "ra:ofLabel": "the shipped sources give a repository id for each model",
    "ra:quantizedFrom": "model cards state it; no shipped source is one",
    "ra:testedCheckpoint": "the shipped sources name tested variants without a repository id",
    "ra:testedOnProduct": "no shipped source says which product a run was on",
}

# Lists of terms that come with rdflib, made by others from the vocabularies themselves.
LISTS: Final[dict[str, DefinedNamespaceMeta]] = {
    "dcat": DCAT,
    "dcterms": DCTERMS,
    "owl": OWL,
    "prov": PROV,
    "rdf": RDF,
    "rdfs": RDFS,
    "schema": SDO,
    "skos": SKOS,
    "vann": VANN,
    "void": VOID,
    "xsd": XSD,
}
# rdflib 7.6 lists DCAT 2; these three are new in DCAT 3.
NEWER_THAN_RDFLIB: Final = {
    URIRef(PREFIXES["dcat"] + name) for name in ("DatasetSeries", "inSeries", "version")
}


@pytest.fixture(scope="session")
def ontology() -> Graph:
    return Graph().parse(TERMS)


@pytest.fixture(scope="session")
def imports() -> Graph:
    graph = Graph()
    for path in IMPORTS:
        graph.parse(path)
    return graph


@pytest.fixture(scope="session")
def store(built: Built) -> Store:
    return built.graph.store


@pytest.fixture(scope="session")
def data(store: Store) -> Graph:
    """Return every named graph in one: sources, curated, derived, catalog and ontology."""
    return _read(store, *(graph for graph in store.named_graphs()))


@pytest.fixture(scope="session")
def used(store: Store) -> set[URIRef]:
    """Return the terms that the data uses, and those that describe shapes."""
    graphs = set(store.named_graphs()) - {ONTOLOGY_GRAPH}
    shapes = Graph()
    for path in SHAPES:
        shapes.parse(path)
    described_by = {term for term in shapes.predicates() if isinstance(term, URIRef) and term in RA}
    return checks.terms_used(_read(store, *graphs)) | described_by


def _read(store: Store, *graphs: NamedNode | BlankNode) -> Graph:
    found = Graph()
    for graph in graphs:
        triples = store.dump(format=RdfFormat.N_TRIPLES, from_graph=graph)
        assert triples
        found.parse(data=triples, format="nt")
    return found


def _mentioned(*paths: Path, prefix: str = "ra") -> list[URIRef]:
    pattern = re.compile(rf"(?<![\w.-]){prefix}:(\w+)")
    return [
        URIRef(PREFIXES[prefix] + found)
        for path in paths
        for found in pattern.findall(_without_comments(path))
    ]


def _without_comments(path: Path) -> str:
    return re.sub(r"(?m)^\s*#.*$", "", path.read_text(encoding="utf-8"))


def test_terms_stand_in_alphabetical_order() -> None:
    sections = re.split(r"(?m)^# ", TERMS.read_text(encoding="utf-8"))
    blocks = [re.findall(r"(?m)^ra:(\w+)$", section) for section in sections]
    listed = [terms for terms in blocks if terms]
    assert len(listed) > 3
    for terms in listed:
        assert all(a.lower() < b.lower() for a, b in pairwise(terms)), terms


def test_01_one_ontology_with_title_description_licence_creator_and_dates(ontology: Graph) -> None:
    assert checks.check_01_header(ontology) == []


def test_02_version_iri_is_the_ontology_iri_and_the_version(ontology: Graph) -> None:
    assert checks.check_02_version(ontology) == []


def test_03_each_term_has_one_label_per_language_and_one_definition(ontology: Graph) -> None:
    assert checks.check_03_annotations(ontology) == []


def test_04_no_two_terms_share_a_label_or_a_definition(ontology: Graph) -> None:
    assert checks.check_04_duplicates(ontology) == []


def test_05_annotations_have_no_stray_white_space(ontology: Graph) -> None:
    assert checks.check_05_whitespace(ontology) == []


def test_06_terms_that_are_used_are_declared(ontology: Graph) -> None:
    mentioned = [*checks.terms_used(ontology), *_mentioned(*QUERIES, *SHAPES)]
    assert checks.check_06_declared(ontology, mentioned) == []


def test_06_terms_that_the_data_uses_are_declared(ontology: Graph, used: set[URIRef]) -> None:
    assert checks.check_06_declared(ontology, used) == []


def test_06_terms_that_are_declared_are_used(ontology: Graph, used: set[URIRef]) -> None:
    assert checks.check_06_used(ontology, used, UNUSED) == []


def test_06_listed_terms_are_declared(ontology: Graph) -> None:
    assert UNUSED.keys() <= {checks.name(term) for term in checks.own(ontology)}


def test_07_external_terms_are_imported(ontology: Graph, imports: Graph) -> None:
    assert checks.check_07_external(ontology, imports) == []


def test_07_external_terms_of_kg_vocab_are_imported(imports: Graph) -> None:
    text = (ROOT / "kg" / "vocab.py").read_text(encoding="utf-8")
    curies = set(re.findall(r'= expand\("((?!ra:)\w+):(\w+)"\)', text))
    assert len(curies) > 20
    terms = {URIRef(PREFIXES[prefix] + local) for prefix, local in curies}
    assert terms <= set(imports.subjects(RDF.type))


@pytest.mark.parametrize("path", [*QUERIES, *SHAPES], ids=lambda path: str(path.relative_to(ROOT)))
def test_07_external_terms_of_queries_and_shapes_are_imported(path: Path, imports: Graph) -> None:
    vocabularies = PREFIXES.keys() - checks.NOT_IMPORTED
    terms = {term for prefix in vocabularies for term in _mentioned(path, prefix=prefix)}
    assert terms <= set(imports.subjects(RDF.type))


def test_07_external_terms_of_the_data_are_imported(data: Graph, imports: Graph) -> None:
    assert checks.check_07_external(data, imports) == []


@pytest.mark.parametrize("path", IMPORTS, ids=lambda path: path.stem)
def test_07_imports_agree_with_rdflib(path: Path) -> None:
    subjects = set(Graph().parse(path).subjects())
    assert subjects
    assert all(str(term).startswith(PREFIXES[path.stem]) for term in subjects)
    if path.stem in LISTS:
        listed = cast("Container[object]", LISTS[path.stem])  # mypy sees no cached method
        assert URIRef(PREFIXES[path.stem] + "noSuchTerm") not in listed
        unlisted = {term for term in subjects if term not in listed}
        assert unlisted - NEWER_THAN_RDFLIB == set()


def test_07_terms_newer_than_rdflib_are_still_newer() -> None:
    assert NEWER_THAN_RDFLIB.isdisjoint(dir(DCAT))


@pytest.mark.parametrize("path", IMPORTS, ids=lambda path: path.stem)
def test_07_imports_hold_names_only_and_name_origin_and_version(path: Path) -> None:
    assert re.search(r"(?m)^# Origin: +\S.*\n# Version: +\S", path.read_text(encoding="utf-8"))
    graph = Graph().parse(path)
    assert set(graph.predicates()) == {RDF.type, RDFS.label}
    for term in set(graph.subjects()):
        assert len(list(graph.objects(term, RDF.type))) == 1
        assert len(list(graph.objects(term, RDFS.label))) == 1


def test_08_properties_have_at_most_one_domain_and_range(ontology: Graph, imports: Graph) -> None:
    assert checks.check_08_domains(ontology + imports) == []


def test_09_no_cycle_and_no_term_of_two_kinds(ontology: Graph) -> None:
    assert checks.check_09_kinds(ontology) == []


def test_09_no_term_of_two_kinds_in_the_data(data: Graph) -> None:
    assert checks.check_09_kinds(data) == []


def test_10_top_classes_are_pairwise_disjoint(ontology: Graph) -> None:
    assert checks.check_10_disjoint(ontology) == []


def test_11_nothing_that_spreads_evidence_and_no_blank_node(ontology: Graph) -> None:
    assert checks.check_11_corrupting(ontology) == []


def test_11_nothing_that_spreads_evidence_in_the_data(data: Graph) -> None:
    assert checks.check_11_corrupting(data) == []


def test_12_closure_of_the_ontology_adds_nothing(ontology: Graph, imports: Graph) -> None:
    assert checks.check_12_closure(ontology + imports) == []


def test_12_closure_of_the_data_adds_nothing(data: Graph, imports: Graph) -> None:
    assert checks.check_12_closure(data + imports) == []


def test_13_concepts_have_one_scheme_and_one_notation(ontology: Graph) -> None:
    assert checks.check_13_skos(ontology) == []


def test_13_concepts_of_the_data_have_one_scheme_and_one_notation(data: Graph) -> None:
    assert checks.check_13_skos(data) == []


def test_14_deprecated_terms_have_a_replacement(ontology: Graph) -> None:
    assert checks.check_14_deprecated(ontology, ()) == []


def test_14_deprecated_terms_are_not_used(ontology: Graph, used: set[URIRef]) -> None:
    assert checks.check_14_deprecated(ontology, used) == []


def test_15_names_follow_the_policy_under_one_base(ontology: Graph) -> None:
    assert checks.check_15_iris(ontology) == []


def test_levels_have_facets_and_no_rank(ontology: Graph) -> None:
    facets = {
        (
            str(ontology.value(level, SKOS.notation)),
            tuple(sorted(str(p).removeprefix(RA) for p in ontology[level : RA.admitsAttester])),
            tuple(str(f).removeprefix(RA) for f in ontology[level : RA.attestedForm]),
        )
        for level in ontology.subjects(RDF.type, RA.EvidenceLevel)
    }
    assert facets == {
        ("documented_recipe", ("UpstreamParty", "VendorParty"), ("RecipeForm",)),
        ("upstream_verified", ("UpstreamParty",), ("ListingForm",)),
        ("vendor_reported", ("VendorParty",), ("ListingForm",)),
        ("independently_tested", ("IndependentParty",), ("TestForm",)),
        ("integration_only", ("UpstreamParty", "VendorParty"), ("IntegrationForm",)),
    }
    ordering = {SKOS.broader, SKOS.narrower, SKOS.member, SKOS.memberList, RDF.value}
    assert ordering.isdisjoint(ontology.predicates())


# Negative controls: a change to the ontology, and a finding that it must lead to.

Change = Callable[[Graph], None]
Check = Callable[[Graph], list[str]]


def _add(*triples: tuple[URIRef, URIRef, BNode | URIRef | Literal]) -> Change:
    def change(graph: Graph) -> None:
        for triple in triples:
            assert triple not in graph
            graph.add(triple)

    return change


def _remove(subject: URIRef, predicate: URIRef) -> Change:
    def change(graph: Graph) -> None:
        assert (subject, predicate, None) in graph
        graph.remove((subject, predicate, None))

    return change


def _external(graph: Graph) -> list[str]:
    imported = Graph()
    for path in IMPORTS:
        imported.parse(path)
    return checks.check_07_external(graph, imported)


def _declared(graph: Graph) -> list[str]:
    return checks.check_06_declared(graph, checks.terms_used(graph))


def _deprecated(graph: Graph) -> list[str]:
    return checks.check_14_deprecated(graph, checks.terms_used(graph))


RDF_CLASS: Final = URIRef(PREFIXES["rdf"] + "Class")
HTTP_SCHEMA: Final = URIRef(PREFIXES["schema"].replace("https:", "http:") + "url")
VERSION: Final = URIRef(f"{ONTOLOGY}/9.9.9")

BREAKS: Final[list[tuple[Check, Change, str]]] = [
    (checks.check_01_header, _remove(ONTOLOGY, DCTERMS.license), "dcterms:license"),
    (checks.check_01_header, _add((EX.o, RDF.type, OWL.Ontology)), "ontologies"),
    (checks.check_01_header, _add((ONTOLOGY, DCTERMS.created, Literal("now"))), "dcterms:created"),
    (checks.check_02_version, _remove(ONTOLOGY, OWL.versionIRI), "version IRIs []"),
    (checks.check_02_version, _add((ONTOLOGY, OWL.versionIRI, VERSION)), "version IRIs"),
    (checks.check_03_annotations, _remove(RA.level, RDFS.label), "ra:level rdfs:label"),
    (checks.check_03_annotations, _remove(RA.Stable, SKOS.definition), "ra:Stable"),
    (
        checks.check_03_annotations,
        _add((RA.Product, RDFS.label, Literal("thing", lang=LANGUAGE))),
        "ra:Product rdfs:label",
    ),
    (
        checks.check_04_duplicates,
        _add((RA.Product, RDFS.label, Literal("Has Level", lang=LANGUAGE))),
        "has level",
    ),
    (
        checks.check_05_whitespace,
        _add((RA.Product, SKOS.scopeNote, Literal("Two  spaces", lang=LANGUAGE))),
        "Two  spaces",
    ),
    (
        checks.check_05_whitespace,
        _add((RA.Product, SKOS.scopeNote, Literal("Ends in one ", lang=LANGUAGE))),
        "Ends in one",
    ),
    (_declared, _add((RA.Product, RDFS.subClassOf, RA.Prodcut)), "ra:Prodcut"),
    (_external, _add((RA.Product, RDF.type, RDF_CLASS)), "Class"),
    (_external, _add((EX.product, HTTP_SCHEMA, Literal("x"))), "http://schema.org/url"),
    (_external, _add((EX.product, RDF.type, URIRef(PREFIXES["fair4ml"] + "Model"))), "Model"),
    (checks.check_08_domains, _add((RA.level, RDFS.domain, RA.Checkpoint)), "ra:level"),
    (checks.check_08_domains, _add((DCTERMS.title, RDFS.range, RDFS.Literal)), "dcterms:title"),
    (checks.check_09_kinds, _add((RA.Organisation, RDFS.subClassOf, RA.Vendor)), "above itself"),
    (checks.check_09_kinds, _add((RA.level, RDF.type, OWL.DatatypeProperty)), "ra:level"),
    (checks.check_09_kinds, _add((RA.Product, RDF.type, SKOS.Concept)), "ra:Product"),
    (checks.check_09_kinds, _add((EX.path, RDF.type, RA.Stable)), "used as a class"),
    (checks.check_10_disjoint, _remove(RA.Checkpoint, OWL.disjointWith), "ra:Checkpoint and"),
    (checks.check_10_disjoint, _remove(RA.Maturity, OWL.disjointWith), "and ra:Outcome"),
    (checks.check_11_corrupting, _add((EX.a, OWL.sameAs, EX.b)), "owl:sameAs"),
    (checks.check_11_corrupting, _add((EX.a, RDFS.seeAlso, BNode())), "a blank node"),
    (
        checks.check_11_corrupting,
        _add((RA.level, RDF.type, OWL.FunctionalProperty)),
        "owl:FunctionalProperty",
    ),
    (
        checks.check_11_corrupting,
        _add((RA.partOf, RDF.type, OWL.TransitiveProperty)),
        "owl:TransitiveProperty",
    ),
    (
        checks.check_12_closure,
        _add((EX.path, RDF.type, RA.SupportPath), (EX.path, RDF.type, RA.Checkpoint)),
        "isjoint",
    ),
    (
        checks.check_12_closure,
        _add((EX.model, RDF.type, RA.Checkpoint), (EX.model, RA.level, RA.VendorReported)),
        "isjoint",
    ),
    (
        checks.check_12_closure,
        _add((EX.path, RDF.type, RA.SupportPath), (EX.path, RA.level, RA.Supported)),
        "isjoint",
    ),
    (checks.check_12_closure, _add((EX.path, RA.level, RA.VendorReported)), "a ra:SupportPath"),
    (
        checks.check_12_closure,
        _add(
            (RA.onPlatform, RDFS.subPropertyOf, RA.onProduct),
            (EX.path, RDF.type, RA.SupportPath),
            (EX.path, RA.onPlatform, EX.platform),
        ),
        "ra:onProduct",
    ),
    (
        checks.check_12_closure,
        _add((EX.a, OWL.sameAs, EX.b), (EX.a, RA.evidence, EX.citation)),
        "adds urn:test:b ra:evidence",
    ),
    (checks.check_13_skos, _remove(RA.Stable, SKOS.inScheme), "ra:Stable skos:inScheme"),
    (checks.check_13_skos, _add((RA.Stable, SKOS.notation, Literal("beta"))), "ra:Beta"),
    (checks.check_13_skos, _add((EX.llama, RDF.type, RA.Family)), "skos:Concept"),
    (
        checks.check_13_skos,
        _add((RA.Stable, SKOS.broader, RA.Beta), (RA.Beta, SKOS.broader, RA.Stable)),
        "broader than itself",
    ),
    (
        checks.check_13_skos,
        _add((RA.Stable, SKOS.broader, RA.Beta), (RA.Stable, SKOS.related, RA.Beta)),
        "related",
    ),
    (_deprecated, _add((RA.Stable, OWL.deprecated, Literal(True))), "no replacement"),
    (_deprecated, _add((RA.Stable, OWL.deprecated, Literal(True))), "is used"),
    (checks.check_15_iris, _add((RA.Level, RDF.type, OWL.ObjectProperty)), "ra:Level"),
    (checks.check_15_iris, _add((RA.path, RDF.type, OWL.Class)), "ra:path"),
    (checks.check_15_iris, _add((EX.Path, RDF.type, OWL.Class)), "urn:test:Path"),
]


@pytest.mark.parametrize(
    ("check", "change", "finding"),
    BREAKS,
    ids=[f"{check.__name__.lstrip('_')}-{number}" for number, (check, _, _) in enumerate(BREAKS)],
)
def test_broken_ontology_is_found_out(
    check: Check, change: Change, finding: str, ontology: Graph
) -> None:
    broken = Graph()
    broken += ontology
    change(broken)
    found = check(broken)
    assert [line for line in found if finding in line], found


def test_unused_terms_are_found_out(ontology: Graph) -> None:
    used = set(checks.own(ontology)) - {RA.level}
    assert (
        checks.check_06_used(ontology, used - {RA.Basis, RA.Bases, RA.Ran}, {"ra:level": "x"}) == []
    )
    assert checks.check_06_used(ontology, used, {}) == ["ra:level is used by nothing"]
    assert checks.check_06_used(ontology, used, {"ra:level": "a reason"}) == []
    assert checks.check_06_used(ontology, used | {RA.level}, {"ra:level": "a reason"}) == [
        "ra:level is used; take it off the list"
    ]
