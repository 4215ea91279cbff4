"""Validate a store against shapes/.

``shapes/asserted`` and ``shapes/warnings`` are checked over the default graph, which holds what is
asserted now, and ``shapes/derived`` over that and the derived graphs. SPARQL constraints come
first, each as one query over all nodes; pyshacl then reports on the nodes found, and on every node
for all else.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Final, TypeAlias

import pyshacl
from oxrdflib import OxigraphStore
from pyoxigraph import (
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    QuerySolutions,
    RdfFormat,
    Store,
    Triple,
    parse,
    serialize,
)
from pyshacl.errors import ReportableRuntimeError
from rdflib import Graph
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import SH

from kg.backend import Term
from kg.errors import ShapesError
from kg.iris import local_name, mint_iri
from kg.resources import SHAPES
from kg.snapshot import Place
from kg.terms import shorten
from kg.vocab import DCTERMS, DERIVED_GRAPHS, ID, OVERLAY_GRAPHS, PREFIXES, RA, RDF, XSD

ASSERTED: Final = SHAPES / "asserted"
WARNINGS: Final = SHAPES / "warnings"
DERIVED: Final = SHAPES / "derived"
PLACES_SHOWN: Final = 3

_DERIVED_GRAPHS: Final = (DERIVED_GRAPHS, f"{OVERLAY_GRAPHS}derived/")
_SEVERITIES: Final = ("Violation", "Warning", "Info")
_REPORT: Final = NamedNode(f"{ID}validation-report")
_Found: TypeAlias = Mapping[NamedNode, Term]


@dataclass(frozen=True, slots=True)
class Result:
    """One way in which a focus node breaks a rule, and where the focus node is stated."""

    rule: str
    severity: NamedNode
    focus: Term
    path: Term | None
    value: Term | None
    component: NamedNode
    shape: NamedNode
    message: str
    places: tuple[Place, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """What results are sorted by: violations come before warnings, notes come last."""
        terms = (self.focus, self.path, self.value, self.shape, self.component)
        severity = _SEVERITIES.index(local_name(self.severity))
        return f"{severity}", self.rule, self.message, *(str(term or "") for term in terms)

    @property
    def iri(self) -> NamedNode:
        """The result's own IRI, minted from what makes it differ from others."""
        where = (_iri_or_text(term) for term in (self.focus, self.path))
        value = "-" if self.value is None else str(self.value)
        return mint_iri("result", local_name(self.shape), local_name(self.component), *where, value)


@dataclass(frozen=True, slots=True)
class Report:
    """A validation report; it conforms if no result is a violation."""

    conforms: bool
    turtle: bytes
    text: str
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes that hold for one graph: which rule each enforces, and the queries they ask."""

    triples: tuple[Triple, ...]
    rules: Mapping[Term, str]
    selects: Mapping[NamedNode, str]

    def graph(self, *, sparql: bool) -> Graph:
        """Return the shapes for pyshacl, with or without their SPARQL constraints."""
        left_out = None if sparql else NamedNode(SH.sparql)
        kept = (triple for triple in self.triples if triple.predicate != left_out)
        text = serialize(kept, format=RdfFormat.N_TRIPLES)
        return Graph().parse(data=text or b"", format="nt")


class _Data(OxigraphStore):
    """A store whose size is not counted: pyshacl asks for it three times for each result."""

    def __len__(self, context: Graph | None = None) -> int:
        return 1


def validate(store: Store, places: Mapping[str, set[Place]]) -> Report:
    """Check a store against every shape; the same store and places give the same bytes.

    Raises:
        ShapesError: the shapes themselves are not usable.
    """
    found: set[Result] = set()
    nodes: set[Term] = set()
    count = 0
    for folder, data in ((ASSERTED, store), (WARNINGS, store), (DERIVED, _with_derived(store))):
        shapes = read_shapes(folder.glob("*.ttl"))
        count += len(shapes.rules)
        nodes |= focus_nodes(data, shapes)
        found.update(check(data, shapes))
    results = sorted((_placed(result, places) for result in found), key=lambda r: r.order)
    return Report(
        conforms=all(result.severity != NamedNode(SH.Violation) for result in results),
        turtle=_write_turtle(results),
        text=_write_text(results, f"shapes: {count}, focus nodes: {len(nodes)}"),
        results=tuple(results),
    )


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
    texts = _texts(triples, NamedNode(SH.select))
    return Shapes(
        triples=tuple(triples),
        rules=_texts(triples, RA.rule),
        selects={
            triple.subject: texts.get(triple.object, "")
            for triple in triples
            if triple.predicate == NamedNode(SH.sparql) and isinstance(triple.subject, NamedNode)
        },
    )


def _texts(triples: Iterable[Triple], predicate: NamedNode) -> dict[Term, str]:
    return {
        triple.subject: triple.object.value
        for triple in triples
        if triple.predicate == predicate and isinstance(triple.object, Literal)
    }


def focus_nodes(data: Store, shapes: Shapes) -> set[Term]:
    """Return the nodes of a store's default graph that shapes target."""
    nodes: set[Term] = set()
    for target in shapes.triples:
        if not isinstance(target.object, NamedNode):
            continue
        if target.predicate == NamedNode(SH.targetClass):
            nodes.update(quad.subject for quad in _quads(data, RDF.type, target.object))
        elif target.predicate == NamedNode(SH.targetSubjectsOf):
            nodes.update(quad.subject for quad in _quads(data, target.object))
    return nodes


def _quads(data: Store, predicate: NamedNode, object_: Term | None = None) -> Iterator[Quad]:
    return data.quads_for_pattern(None, predicate, object_, DefaultGraph())


def check(data: Store, shapes: Shapes) -> Iterator[Result]:
    """Yield what breaks shapes in a store's default graph, in no order.

    Raises:
        ShapesError: a shape is not usable, or its query means something else when it is asked of
            all nodes at once.
    """
    graph = Graph(store=_Data(store=data), identifier=DATASET_DEFAULT_GRAPH_ID)
    for found in _report(graph, shapes.graph(sparql=False)):
        yield _read_result(found, shapes)
    queried = {shape: _select(data, shape, text) for shape, text in shapes.selects.items()}
    hits = {shape: nodes for shape, nodes in queried.items() if nodes}
    whole = shapes.graph(sparql=True) if hits else Graph()
    for shape, nodes in hits.items():
        results = [_read_result(found, shapes) for found in _report(graph, whole, shape, nodes)]
        if {result.focus for result in results} != nodes:
            raise ShapesError(f"{shape.value}: its query finds other nodes one by one")
        yield from results


def _select(data: Store, shape: NamedNode, text: str) -> set[Term]:
    try:
        solutions = data.query(text, prefixes=PREFIXES)
        if not isinstance(solutions, QuerySolutions):
            raise ShapesError(f"{shape.value}: sh:select is not a SELECT query")
        found = {solution["this"] for solution in solutions}
    except SyntaxError as error:
        raise ShapesError(f"{shape.value}: {error}") from error
    if None in found:
        raise ShapesError(f"{shape.value}: sh:select does not give $this")
    return {term for term in found if term is not None}


def _report(
    data: Graph, shapes: Graph, shape: NamedNode | None = None, nodes: Iterable[Term] = ()
) -> Iterator[_Found]:
    """Run pyshacl: one shape on given nodes, or every shape on the nodes that it targets."""
    try:
        _, report, text = pyshacl.validate(
            data,
            shacl_graph=shapes,
            inplace=True,
            use_shapes=[shape.value] if shape else None,
            focus_nodes=[node.value for node in nodes if isinstance(node, NamedNode)],
        )
    except ReportableRuntimeError as error:
        raise ShapesError(str(error)) from error
    if not isinstance(report, Graph):  # a ValidationFailure: nothing has been checked
        raise ShapesError(text)
    found: dict[Term, dict[NamedNode, Term]] = {}
    for quad in parse(report.serialize(format="nt"), format=RdfFormat.N_TRIPLES):
        found.setdefault(quad.subject, {})[quad.predicate] = quad.object
    result = NamedNode(SH.ValidationResult)
    yield from (node for node in found.values() if node.get(RDF.type) == result)


def _read_result(found: _Found, shapes: Shapes) -> Result:
    shape = found[NamedNode(SH.sourceShape)]
    severity = found[NamedNode(SH.resultSeverity)]
    component = found[NamedNode(SH.sourceConstraintComponent)]
    message = found.get(NamedNode(SH.resultMessage))
    if not isinstance(shape, NamedNode) or shape not in shapes.rules:
        raise ShapesError(f"{shape}: a shape with constraints has an IRI and an ra:rule")
    if not isinstance(severity, NamedNode) or not isinstance(component, NamedNode):
        raise ShapesError(f"{shape.value}: sh:severity is no IRI")
    return Result(
        rule=shapes.rules[shape],
        severity=severity,
        focus=found[NamedNode(SH.focusNode)],
        path=found.get(NamedNode(SH.resultPath)),
        value=found.get(NamedNode(SH.value)),
        component=component,
        shape=shape,
        message=message.value if isinstance(message, Literal) else "",
    )


def _with_derived(store: Store) -> Store:
    whole = Store()
    graphs: list[NamedNode | DefaultGraph] = [DefaultGraph()]
    for graph in store.named_graphs():
        if isinstance(graph, NamedNode) and graph.value.startswith(_DERIVED_GRAPHS):
            graphs.append(graph)
    for name in graphs:
        quads = store.quads_for_pattern(None, None, None, name)
        whole.extend(Quad(quad.subject, quad.predicate, quad.object) for quad in quads)
    return whole


def _placed(result: Result, places: Mapping[str, set[Place]]) -> Result:
    for term in (result.focus, result.value):
        if isinstance(term, NamedNode) and term.value in places:
            return replace(result, places=tuple(sorted(places[term.value], key=_source_first)))
    return result


def _source_first(place: Place) -> tuple[bool, str, int, str, str]:
    curated = place.path.startswith("curated/")
    return curated, place.path, len(place.place), place.place, place.source


def _write_turtle(results: list[Result]) -> bytes:
    conforms = Literal(str(not results).lower(), datatype=XSD.boolean)
    triples = [
        Triple(_REPORT, RDF.type, NamedNode(SH.ValidationReport)),
        Triple(_REPORT, NamedNode(SH.conforms), conforms),
        *(Triple(_REPORT, NamedNode(SH.result), result.iri) for result in results),
    ]
    for result in results:
        triples += _describe(result)
    prefixes = {name: PREFIXES[name] for name in ("dcterms", "ra", "rash", "sh", "xsd")}
    return serialize(triples, format=RdfFormat.TURTLE, prefixes=prefixes) or b""


def _describe(result: Result) -> Iterator[Triple]:
    statements: tuple[tuple[NamedNode, Term | None], ...] = (
        (RDF.type, NamedNode(SH.ValidationResult)),
        (NamedNode(SH.resultSeverity), result.severity),
        (RA.rule, Literal(result.rule)),
        (NamedNode(SH.focusNode), result.focus),
        (NamedNode(SH.resultPath), result.path),
        (NamedNode(SH.value), result.value),
        (NamedNode(SH.sourceConstraintComponent), result.component),
        (NamedNode(SH.sourceShape), result.shape),
        (NamedNode(SH.resultMessage), Literal(result.message)),
        *((DCTERMS.source, Literal(str(place))) for place in result.places),
    )
    for predicate, term in statements:
        if term is not None:
            yield Triple(result.iri, predicate, term)


def _write_text(results: list[Result], checked: str) -> str:
    lines = []
    for (severity, rule, message), group in groupby(results, key=lambda r: r.order[:3]):
        name = _SEVERITIES[int(severity)]
        lines += [f"{name} of {rule}: {message}", *map(_line, group), ""]
    severities = Counter(local_name(result.severity) for result in results)
    outcome = "Does not conform" if severities["Violation"] else "Conforms"
    counts = f"violations: {severities['Violation']}, warnings: {severities['Warning']}, "
    counts += f"notes: {severities['Info']}, {checked}"
    return "\n".join([*lines, f"{outcome} ({counts}).", ""])


def _iri_or_text(term: Term | None) -> str:
    return term.value if isinstance(term, NamedNode) else str(term or "-")


def _line(result: Result) -> str:
    shown = [str(place) for place in result.places[:PLACES_SHOWN]]
    more = [f"{len(result.places) - len(shown)} more"] if len(result.places) > len(shown) else []
    said = (shorten(term) for term in (result.path, result.value) if term is not None)
    focus = _iri_or_text(result.focus).removeprefix(ID)
    return f"  {', '.join([*shown, *more]) or 'no place'}: {' '.join([focus, *said])}"
