"""Validate a store against shapes/.

``shapes/asserted`` is checked over the default graph, which holds what is asserted now, and
``shapes/derived`` over that and the derived graphs. SPARQL constraints come first, each as one query
over all nodes; pyshacl then reports on the nodes found, and on every node for all else.
"""

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

from kg.backend import Term
from kg.errors import ShapesError
from kg.iris import local_name, mint_iri
from kg.resources import SHAPES
from kg.snapshot import Place
from kg.terms import shorten
from kg.vocab import DCTERMS, DERIVED_GRAPHS, ID, OVERLAY_GRAPHS, PREFIXES, RA, RDF, SH, XSD

ASSERTED: Final = SHAPES / "asserted"
DERIVED: Final = SHAPES / "derived"
PLACES_SHOWN: Final = 3

_DERIVED_GRAPHS: Final = (DERIVED_GRAPHS, f"{OVERLAY_GRAPHS}derived/")
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
        """Sort by this: violations come before warnings, as they do in the alphabet."""
        terms = (self.severity, self.focus, self.path, self.value, self.shape, self.component)
        first, *rest = (str(term or "") for term in terms)
        return first, self.rule, *rest

    @property
    def iri(self) -> NamedNode:
        """The result's own IRI, minted from what makes it differ from others."""
        terms = (self.shape, self.component, self.focus, self.path, self.value)
        return mint_iri("result", self.rule, *(str(term or "-") for term in terms))


@dataclass(frozen=True, slots=True)
class Report:
    """A validation report; it conforms if no result is a violation."""

    conforms: bool
    turtle: bytes
    text: str
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes that hold for one graph: by which rule, and which queries they ask."""

    triples: tuple[Triple, ...]
    rules: Mapping[NamedNode, str]
    selects: Mapping[NamedNode, str]

    def graph(self, *, sparql: bool) -> Graph:
        """Return the shapes for pyshacl, with or without their SPARQL constraints."""
        kept = (triple for triple in self.triples if sparql or triple.predicate != SH.sparql)
        text = serialize(kept, format=RdfFormat.N_TRIPLES)
        return Graph().parse(data=text, format="nt")


class _Data(OxigraphStore):
    """A store whose size is not counted: pyshacl asks for it three times for each result."""

    def __len__(self, context: Graph | None = None) -> int:
        return 1


def validate(store: Store, places: Mapping[str, set[Place]]) -> Report:
    """Check a store against every shape.

    The same store and places give the same bytes.

    Raises:
        ShapesError: the shapes themselves are not usable.
    """
    found: set[Result] = set()
    nodes: set[Term] = set()
    rules = 0
    for folder, data in ((ASSERTED, store), (DERIVED, _with_derived(store))):
        shapes = read_shapes(folder.glob("*.ttl"))
        rules += len(shapes.rules)
        nodes |= focus_nodes(data, shapes)
        found.update(check(data, shapes))
    results = sorted((_placed(result, places) for result in found), key=lambda r: r.order)
    checked = f"{rules} shapes and {len(nodes)} focus nodes checked"
    return Report(
        conforms=all(result.severity != SH.Violation for result in results),
        turtle=_write_turtle(results),
        text=_write_text(results, checked),
        results=tuple(results),
    )


def read_shapes(files: Iterable[Path]) -> Shapes:
    """Read shapes, with the prefixes and parts of shapes that all files share.

    Raises:
        ShapesError: a file is not Turtle.
    """
    triples: list[Triple] = []
    for path in sorted([*SHAPES.glob("*.ttl"), *files]):
        try:
            triples += (quad.triple for quad in parse(path=path, format=RdfFormat.TURTLE))
        except (OSError, SyntaxError) as error:
            raise ShapesError(f"{path}: {error}") from error
    texts = {t.subject: t.object.value for t in triples if t.predicate == SH.select}
    return Shapes(
        tuple(triples),
        {t.subject: t.object.value for t in triples if t.predicate == RA.rule},
        {t.subject: texts[t.object] for t in triples if t.predicate == SH.sparql},
    )


def focus_nodes(data: Store, shapes: Shapes) -> set[Term]:
    """Return the nodes of a store's default graph that the shapes target."""
    nodes: set[Term] = set()
    for triple in shapes.triples:
        if triple.predicate == SH.targetClass:
            nodes.update(q.subject for q in _matching(data, RDF.type, triple.object))
        elif triple.predicate == SH.targetSubjectsOf:
            nodes.update(q.subject for q in _matching(data, triple.object))
        elif triple.predicate == SH.targetObjectsOf:
            nodes.update(q.object for q in _matching(data, triple.object))
    return nodes


def _matching(data: Store, predicate: Term, object_: Term | None = None) -> Iterator[Quad]:
    return data.quads_for_pattern(None, predicate, object_, DefaultGraph())


def check(data: Store, shapes: Shapes) -> Iterator[Result]:
    """Yield what breaks the shapes in a store's default graph, in no order.

    Raises:
        ShapesError: a shape is not usable, or a query means something else when it is asked about
            all nodes at once.
    """
    graph = Graph(store=_Data(store=data), identifier=DATASET_DEFAULT_GRAPH_ID)
    yield from _report(graph, shapes, shapes.graph(sparql=False))
    for shape, text in shapes.selects.items():
        hits = _select(data, shape, text)
        if hits:
            results = list(_report(graph, shapes, shapes.graph(sparql=True), shape, hits))
            if {result.focus for result in results} != hits:
                raise ShapesError(f"{shape.value}: its query finds other nodes one by one")
            yield from results


def _select(data: Store, shape: NamedNode, text: str) -> set[Term]:
    try:
        solutions = data.query(text, prefixes=PREFIXES)
        if not isinstance(solutions, QuerySolutions):
            raise ShapesError(f"{shape.value}: sh:select is not a SELECT query")
        return {solution["this"] for solution in solutions}
    except (SyntaxError, KeyError) as error:
        raise ShapesError(f"{shape.value}: {error}") from error


def _report(
    data: Graph,
    shapes: Shapes,
    graph: Graph,
    shape: NamedNode | None = None,
    nodes: Iterable[Term] = (),
) -> Iterator[Result]:
    try:
        _, report, text = pyshacl.validate(
            data,
            shacl_graph=graph,
            inplace=True,
            use_shapes=[shape.value] if shape else None,
            focus_nodes=[node.value for node in nodes if isinstance(node, NamedNode)] or None,
        )
    except ReportableRuntimeError as error:
        raise ShapesError(str(error)) from error
    if not isinstance(report, Graph):  # a ValidationFailure: nothing was checked
        raise ShapesError(text)
    for found in _found(report):
        yield _result(found, shapes)


def _found(report: Graph) -> Iterator[_Found]:
    nodes: dict[Term, dict[NamedNode, Term]] = {}
    for quad in parse(report.serialize(format="nt"), format=RdfFormat.N_TRIPLES):
        nodes.setdefault(quad.subject, {})[quad.predicate] = quad.object
    yield from (node for node in nodes.values() if node.get(RDF.type) == SH.ValidationResult)


def _result(found: _Found, shapes: Shapes) -> Result:
    shape, message = found[SH.sourceShape], found.get(SH.resultMessage)
    severity, component = found[SH.resultSeverity], found[SH.sourceConstraintComponent]
    if not isinstance(shape, NamedNode) or shape not in shapes.rules:
        raise ShapesError(f"{shape}: a shape with constraints has an IRI and an ra:rule")
    if not isinstance(severity, NamedNode) or not isinstance(component, NamedNode):
        raise ShapesError(f"{shape.value}: its severity is no IRI")
    return Result(
        rule=shapes.rules[shape],
        severity=severity,
        focus=found[SH.focusNode],
        path=found.get(SH.resultPath),
        value=found.get(SH.value),
        component=component,
        shape=shape,
        message=message.value if isinstance(message, Literal) else "",
    )


def _with_derived(store: Store) -> Store:
    whole = Store()
    graphs = [graph for graph in store.named_graphs() if isinstance(graph, NamedNode)]
    derived = (graph for graph in graphs if graph.value.startswith(_DERIVED_GRAPHS))
    for graph in (DefaultGraph(), *derived):
        quads = store.quads_for_pattern(None, None, None, graph)
        whole.extend(Quad(quad.subject, quad.predicate, quad.object) for quad in quads)
    return whole


def _placed(result: Result, places: Mapping[str, set[Place]]) -> Result:
    for term in (result.focus, result.value):
        if isinstance(term, NamedNode) and term.value in places:
            found = sorted(places[term.value], key=lambda p: (p.source, p.path, len(p.place), p))
            return replace(result, places=tuple(found))
    return result


def _write_turtle(results: list[Result]) -> bytes:
    triples = [
        Triple(_REPORT, RDF.type, SH.ValidationReport),
        Triple(_REPORT, SH.conforms, Literal(str(not results).lower(), datatype=XSD.boolean)),
        *(Triple(_REPORT, SH.result, result.iri) for result in results),
    ]
    for result in results:
        triples += _describe(result)
    used = ("dcterms", "ra", "rash", "sh", "xsd")
    prefixes = {name: PREFIXES[name] for name in used}
    return serialize(triples, format=RdfFormat.TURTLE, prefixes=prefixes)


def _describe(result: Result) -> Iterator[Triple]:
    statements: tuple[tuple[NamedNode, Term | None], ...] = (
        (RDF.type, SH.ValidationResult),
        (SH.resultSeverity, result.severity),
        (RA.rule, Literal(result.rule)),
        (SH.focusNode, result.focus),
        (SH.resultPath, result.path),
        (SH.value, result.value),
        (SH.sourceConstraintComponent, result.component),
        (SH.sourceShape, result.shape),
        (SH.resultMessage, Literal(result.message)),
        *((DCTERMS.source, Literal(str(place))) for place in result.places),
    )
    yield from (Triple(result.iri, name, term) for name, term in statements if term is not None)


def _write_text(results: list[Result], checked: str) -> str:
    violations = sum(result.severity == SH.Violation for result in results)
    lines = []
    for (_, rule, message), group in groupby(
        results, key=lambda r: (r.severity, r.rule, r.message)
    ):
        found = list(group)
        lines += [f"{rule} {local_name(found[0].severity)}: {message}", *map(_line, found), ""]
    outcome = "Conforms" if not violations else f"Does not conform: {violations} violations"
    others = len(results) - violations
    return "\n".join([*lines, f"{outcome}, {others} warnings; {checked}.", ""])


def _line(result: Result) -> str:
    shown = [str(place) for place in result.places[:PLACES_SHOWN]]
    left = len(result.places) - len(shown)
    places = ", ".join([*shown, *([f"{left} more"] if left else [])]) or "no place"
    said = " ".join(shorten(term) for term in (result.path, result.value) if term is not None)
    return f"  {places}: {shorten(result.focus)} {said}".rstrip()
