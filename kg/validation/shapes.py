"""Read shapes: what each says, which rule it enforces, and the queries that it asks."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from oxrdflib import OxigraphStore
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, Triple, parse
from rdflib import Graph
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import SH

from kg.backend import Term
from kg.errors import ShapesError
from kg.resources import SHAPES
from kg.vocab import RA, RDF, expand

Said: TypeAlias = Mapping[NamedNode, tuple[Term, ...]]
Targets: TypeAlias = Mapping[NamedNode, Collection[Term] | None]

TARGET_CLASS: Final = NamedNode(SH.targetClass)
TARGET_NODE: Final = NamedNode(SH.targetNode)
TARGET_OBJECTS_OF: Final = NamedNode(SH.targetObjectsOf)
TARGET_SUBJECTS_OF: Final = NamedNode(SH.targetSubjectsOf)
TARGETS: Final = frozenset((TARGET_CLASS, TARGET_NODE, TARGET_OBJECTS_OF, TARGET_SUBJECTS_OF))
PATH: Final = NamedNode(SH.path)
SELECT: Final = NamedNode(SH.select)
SPARQL: Final = NamedNode(SH.sparql)
_CLASSES: Final = frozenset((expand("owl:Class"), expand("rdfs:Class")))
_KINDS: Final = frozenset((NamedNode(SH.NodeShape), NamedNode(SH.PropertyShape)))
_FIRST: Final = expand("rdf:first")
_NIL: Final = expand("rdf:nil")
_REST: Final = expand("rdf:rest")


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes that hold for one graph: which rule each enforces, and the queries they ask."""

    triples: tuple[Triple, ...]
    rules: Mapping[Term, str]
    selects: Mapping[NamedNode, str]
    said: Mapping[Term, Said]

    def targeted(self) -> Iterator[NamedNode]:
        """Yield the shapes that choose nodes themselves, in order.

        Raises:
            ShapesError: a result could not name such a shape, or the rule that it enforces.
        """
        for node, said in sorted(self.said.items(), key=lambda item: str(item[0])):
            if TARGETS.isdisjoint(said) and not is_class(said):
                continue
            if not isinstance(node, NamedNode) or node not in self.rules:
                raise ShapesError(f"{node}: a shape with targets has an IRI and an ra:rule")
            yield node

    def items(self, head: Term) -> list[Term] | None:
        """Return what an RDF list holds; None if it is no well-formed list."""
        items: list[Term] = []
        seen = {head}
        while head != _NIL:
            said = self.said.get(head, {})
            first, rest = said.get(_FIRST, ()), said.get(_REST, ())
            if len(first) != 1 or len(rest) != 1 or rest[0] in seen:
                return None
            items.append(first[0])
            head = rest[0]
            seen.add(head)
        return items

    def graph(self, *, sparql: bool, targets: Targets | None = None) -> Graph:
        """Return the shapes for pyshacl, with or without their SPARQL constraints.

        With ``targets``, the shapes that it names target these nodes, or their own for None, and
        no other shape targets any.

        Literals are made as those of the data are: to rdflib a text with the datatype xsd:string
        and one without differ, and sh:in would not find one in the other.
        """
        left_out = set() if sparql else {SPARQL}
        store = Store()
        kept = self.triples if targets is None else tuple(self._aimed(targets))
        store.extend(Quad(*triple) for triple in kept if triple.predicate not in left_out)
        graph = Graph()
        for triple in Graph(OxigraphStore(store=store), DATASET_DEFAULT_GRAPH_ID):
            graph.add(triple)
        return graph

    def _aimed(self, targets: Targets) -> Iterator[Triple]:
        own = {shape for shape, nodes in targets.items() if nodes is None}
        for triple in self.triples:
            if triple.predicate not in TARGETS or triple.subject in own:
                yield triple
        for shape, nodes in targets.items():
            for node in nodes or ():
                yield Triple(shape, TARGET_NODE, node)


def read_shapes(files: Iterable[Path]) -> Shapes:
    """Read files of shapes, and the prefixes that all of them share.

    Raises:
        ShapesError: a file cannot be read, or is not Turtle.
    """
    triples: list[Triple] = []
    for path in sorted([*SHAPES.glob("*.ttl"), *files]):
        try:
            triples += (quad.triple for quad in parse(path=path, format=RdfFormat.TURTLE))
        except (OSError, SyntaxError) as error:
            raise ShapesError(f"{path}: {error}") from error
    said: dict[Term, dict[NamedNode, tuple[Term, ...]]] = {}
    for triple in triples:
        about = said.setdefault(triple.subject, {})
        about[triple.predicate] = (*about.get(triple.predicate, ()), triple.object)
    texts = _texts(triples, SELECT)
    return Shapes(
        triples=tuple(triples),
        rules=_texts(triples, RA.rule),
        selects={
            triple.subject: texts.get(triple.object, "")
            for triple in triples
            if triple.predicate == SPARQL and isinstance(triple.subject, NamedNode)
        },
        said=said,
    )


def _texts(triples: Iterable[Triple], predicate: NamedNode) -> dict[Term, str]:
    return {
        triple.subject: triple.object.value
        for triple in triples
        if triple.predicate == predicate and isinstance(triple.object, Literal)
    }


def is_class(said: Said) -> bool:
    """Tell whether a shape is, or may be, a class too: then it targets the class's instances."""
    types = said.get(RDF.type, ())
    other = not _KINDS.isdisjoint(types) and not _KINDS.issuperset(types)
    return other or not _CLASSES.isdisjoint(types)
