"""Set-wise validation finds what pyshacl finds node by node, in every field of each result."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pyshacl
import pytest
import rdflib
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from oxrdflib import OxigraphStore
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Store
from pyshacl.errors import ReportableRuntimeError
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import RDF, SH

from kg.backend import Term
from kg.build import Built
from kg.errors import ShapesError
from kg.validation import (
    ASSERTED,
    DERIVED,
    WARNINGS,
    Result,
    Shapes,
    asserted,
    check,
    components,
    derived,
    focus_nodes,
    read_shapes,
    validate,
)
from kg.validation.candidates import candidates
from kg.validation.data import Data, as_value
from kg.vocab import PREFIXES, RA, RDFS, XSD, expand

Fields: TypeAlias = tuple[str, ...]

PARTS: Final = (
    *(SH.focusNode, SH.resultPath, SH.value, SH.sourceConstraintComponent, SH.sourceShape),
    SH.resultSeverity,
)

TYPE: Final = expand("rdf:type")


def _written(term: Term | rdflib.term.Node | None) -> str:
    if isinstance(term, Literal):
        term = as_value(term)
    if isinstance(term, rdflib.BNode | BlankNode):
        return "blank"
    if isinstance(term, NamedNode | Literal):
        return term.value
    return "" if term is None else str(term)


def _plain(store: Store, shapes: Shapes) -> set[Fields]:
    data = rdflib.Graph(OxigraphStore(store=store), DATASET_DEFAULT_GRAPH_ID)
    _, report, text = pyshacl.validate(data, shacl_graph=shapes.graph(sparql=True), inplace=True)
    if not isinstance(report, rdflib.Graph):
        raise ReportableRuntimeError(text)
    found = set()
    for node in report.subjects(RDF.type, SH.ValidationResult):
        parts = [report.value(node, part) for part in PARTS]
        parts[1] = None if isinstance(parts[1], rdflib.BNode) else parts[1]
        messages = {str(message) for message in report.objects(node, SH.resultMessage)}
        found.add((*map(_written, parts), " ".join(sorted(messages))))
    return found


def _ours(results: Iterator[Result]) -> set[Fields]:
    return {
        (
            *(_written(term) for term in (r.focus, r.path, r.value, r.component, r.shape)),
            _written(r.severity),
            r.message,
        )
        for r in results
    }


# The shipped shapes, on the real graph and on one in which every statement is broken somewhere


def _whole(store: Store) -> Store:
    """Return what shapes/derived are checked over."""
    whole = Store()
    whole.extend(asserted(store))
    whole.extend(derived(store))
    return whole


def _used(store: Store) -> dict[tuple[Term, NamedNode], list[NamedNode]]:
    """Return the nodes of each class that use each predicate."""
    used: dict[tuple[Term, NamedNode], list[NamedNode]] = {}
    for typed in sorted(store.quads_for_pattern(None, TYPE, None, DefaultGraph()), key=str):
        if isinstance(node := typed.subject, NamedNode):
            for predicate in sorted(Data(store).predicates(node), key=str):
                used.setdefault((typed.object, predicate), []).append(node)
    return used


def _broken(store: Store) -> Store:
    """Take each predicate from one node of each class, and give it wrong values at others."""
    broken = _whole(store)
    wrong: tuple[NamedNode | Literal, ...]
    wrong = (NamedNode("urn:nowhere"), Literal(7), Literal("9 ms", language="en"), RA.Chip)
    for (_, predicate), (lost, *others) in sorted(_used(broken).items(), key=str):
        if predicate != TYPE:
            for quad in list(broken.quads_for_pattern(lost, predicate, None, DefaultGraph())):
                broken.remove(quad)
        for number, node in enumerate(others[:8:2]):
            broken.add(Quad(node, predicate, wrong[number]))
    return broken


@pytest.fixture(scope="module")
def wreck(built: Built) -> Store:
    """The real graph, broken in every class and predicate."""
    return _broken(built.graph.store)


@pytest.mark.parametrize("folder", [ASSERTED, WARNINGS, DERIVED], ids=lambda f: f.name)
def test_the_real_graph_gives_what_plain_pyshacl_gives(folder: Path, built: Built) -> None:
    store = built.graph.store if folder != DERIVED else _whole(built.graph.store)
    shapes = read_shapes(folder.glob("*.ttl"))
    assert _ours(check(store, shapes)) == _plain(store, shapes)


@pytest.mark.parametrize("folder", [ASSERTED, WARNINGS, DERIVED], ids=lambda f: f.name)
def test_a_broken_graph_gives_what_plain_pyshacl_gives(folder: Path, wreck: Store) -> None:
    shapes = read_shapes(folder.glob("*.ttl"))
    found = _plain(wreck, shapes)
    assert _ours(check(wreck, shapes)) == found
    assert bool(found) == bool(shapes.rules)


def test_no_shipped_shape_is_left_to_pyshacl__whole(built: Built) -> None:
    for folder in (ASSERTED, DERIVED):
        shapes = read_shapes(folder.glob("*.ttl"))
        data = Data(built.graph.store)
        slow = [s.value for s in shapes.targeted() if candidates(data, shapes, s) is None]
        assert slow == []


# Each core component, on random graphs

EX: Final = "urn:example:"
PREFIX: Final = f"""
@prefix ex: <{EX}> . @prefix ra: <{PREFIXES["ra"]}> . @prefix sh: <{PREFIXES["sh"]}> .
@prefix xsd: <{PREFIXES["xsd"]}> .
"""
CONSTRAINTS: Final = {
    "class": ("sh:class ex:C", "sh:class ex:C , ex:D"),
    "closed": ("sh:closed true", "sh:closed true ; sh:ignoredProperties ( ex:p )"),
    "datatype": (
        *("sh:datatype xsd:string", "sh:datatype xsd:integer", "sh:datatype xsd:date"),
        *("sh:datatype xsd:boolean", "sh:datatype xsd:anyURI", "sh:datatype xsd:dateTime"),
    ),
    "disjoint": ("sh:disjoint ex:q",),
    "equals": ("sh:equals ex:q",),
    "hasValue": ("sh:hasValue 1", 'sh:hasValue "x"', "sh:hasValue ex:a"),
    "in": ("sh:in ( ex:a 1 )", 'sh:in ( "x" "x"@en ex:b )', "sh:in ()"),
    "lessThan": ("sh:lessThan ex:q",),
    "lessThanOrEquals": ("sh:lessThanOrEquals ex:q",),
    "maxCount": ("sh:maxCount 0", "sh:maxCount 1", "sh:maxCount 2"),
    "maxExclusive": ("sh:maxExclusive 5", 'sh:maxExclusive "2026-01-02"^^xsd:date'),
    "maxInclusive": ("sh:maxInclusive 1",),
    "maxLength": ("sh:maxLength 0", "sh:maxLength 10"),
    "minCount": ("sh:minCount 1", "sh:minCount 2"),
    "minExclusive": ("sh:minExclusive 1",),
    "minInclusive": ("sh:minInclusive 2", 'sh:minInclusive "2026-01-01"^^xsd:date'),
    "minLength": ("sh:minLength 0", "sh:minLength 1", "sh:minLength 3"),
    "nodeKind": (
        *("sh:nodeKind sh:IRI", "sh:nodeKind sh:Literal", "sh:nodeKind sh:BlankNode"),
        *("sh:nodeKind sh:BlankNodeOrIRI", "sh:nodeKind sh:IRIOrLiteral"),
        "sh:nodeKind sh:BlankNodeOrLiteral",
    ),
    "not": ("sh:not ex:IsC", "sh:not ex:HasQ"),
    "pattern": ('sh:pattern "^X" ; sh:flags "i"', 'sh:pattern "[0-9]$"', 'sh:pattern "^0?1$"'),
    # Components that are left to pyshacl with every node
    "node": ("sh:node ex:HasQ",),
    "or": ("sh:or ( ex:IsC ex:HasQ )",),
    "property": ("sh:property ex:q-shape",),
    "qualified": ("sh:qualifiedValueShape ex:IsC ; sh:qualifiedMinCount 1",),
    "uniqueLang": ("sh:uniqueLang true",),
}
# What a node shape may not have: we refuse it even where no node is targeted.
WITH_PATH: Final = frozenset(
    ("lessThan", "lessThanOrEquals", "maxCount", "minCount", "qualified", "uniqueLang")
)
NODES: Final = tuple(NamedNode(EX + name) for name in "abc")
VALUES: Final = (
    *(*NODES, BlankNode("blank"), Literal("x"), Literal(""), Literal("x", language="en")),
    *(Literal(lexical, datatype=XSD.integer) for lexical in ("1", "01", "5", "five")),
    *(Literal(f"2026-{day}", datatype=XSD.date) for day in ("01-01", "01-02", "13-01")),
    Literal("2026-01-01T00:00:00Z", datatype=XSD.dateTime),
    Literal("2026-01-01", datatype=XSD.anyURI),
    Literal("true", datatype=XSD.boolean),
)
TARGETS: Final = ("sh:targetClass ex:C", "sh:targetSubjectsOf ex:p", "sh:targetNode ex:a , ex:n")
STATEMENTS: Final = st.lists(
    st.tuples(
        st.sampled_from(NODES),
        st.sampled_from((NamedNode(f"{EX}p"), NamedNode(f"{EX}q"))),
        st.sampled_from(VALUES),
    ),
    max_size=9,
)
TYPES: Final = st.sets(
    st.tuples(st.sampled_from(NODES), st.sampled_from(("C", "D", "E"))), max_size=4
)


def _shapes(constraint: str, target: str, *, path: str) -> Shapes:
    kind = "sh:PropertyShape" if path else "sh:NodeShape"
    text = f"""{PREFIX}
        ex:S a {kind} ; {target} ; {path} ra:rule "R" ;
          sh:severity sh:Warning ; sh:message "No." ; {constraint} .
        ex:IsC a sh:NodeShape ; sh:class ex:C .
        ex:HasQ a sh:NodeShape ; sh:property ex:q-shape .
        ex:q-shape a sh:PropertyShape ; sh:path ex:q ; sh:message "No." ;
          ra:rule "R" ; sh:minCount 1 .
        """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shape.ttl"
        file.write_text(text, encoding="utf-8")
        return read_shapes([file])


def _store(
    statements: list[tuple[NamedNode, NamedNode, Term]], types: set[tuple[NamedNode, str]]
) -> Store:
    store = Store()
    store.add(Quad(NamedNode(f"{EX}D"), RDFS.subClassOf, NamedNode(f"{EX}C")))
    store.extend(Quad(*statement) for statement in statements)
    store.extend(Quad(node, TYPE, NamedNode(EX + kind)) for node, kind in types)
    return store


def test_every_component_that_is_judged_set_wise_is_tried() -> None:
    judged = {term.value.rpartition("#")[2] for term in components.COMPONENTS}
    assert judged <= set(CONSTRAINTS)


@pytest.mark.parametrize("component", CONSTRAINTS)
@given(data=st.data(), statements=STATEMENTS, types=TYPES, target=st.sampled_from(TARGETS))
@settings(max_examples=25, deadline=None, phases=(Phase.explicit, Phase.generate))
def test_a_component_finds_what_plain_pyshacl_finds(
    component: str,
    data: st.DataObject,
    statements: list[tuple[NamedNode, NamedNode, Term]],
    types: set[tuple[NamedNode, str]],
    target: str,
) -> None:
    constraint = data.draw(st.sampled_from(CONSTRAINTS[component]))
    paths = ("sh:path ex:p ;", "sh:path [ sh:inversePath ex:p ] ;", "")
    path = data.draw(st.sampled_from(paths[: 2 if component in WITH_PATH else 3]))
    shapes, store = _shapes(constraint, target, path=path), _store(statements, types)
    try:
        expected = _plain(store, shapes)
    except (ReportableRuntimeError, TypeError):
        with pytest.raises(ShapesError):
            list(check(store, shapes))
    else:
        assert _ours(check(store, shapes)) == expected


# SPARQL constraints


def _asking(select: str, *, about: str = "") -> Shapes:
    text = f"""{PREFIX}
        ex:S a sh:NodeShape ; sh:targetClass ex:C ; ra:rule "R" ; sh:sparql ex:q {about} .
        ex:q a sh:SPARQLConstraint ; sh:select "{select}" .
        """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shape.ttl"
        file.write_text(text, encoding="utf-8")
        return read_shapes([file])


TWO: Final = _store(
    [(NODES[0], NamedNode(f"{EX}p"), NODES[1]), (NODES[1], NamedNode(f"{EX}p"), Literal("v"))],
    {(NODES[0], "C"), (NODES[1], "C")},
)


@pytest.mark.parametrize(
    "select",
    [
        f"SELECT $this {{ $this <{EX}p> ?value }}",
        f"SELECT $this ?path ?value {{ $this ?path ?value FILTER (?path = <{EX}p>) }}",
        f"SELECT $this {{ ?any <{EX}p> $this }}",
    ],
)
def test_results_are_made_of_solutions_as_pyshacl_makes_them(select: str) -> None:
    shapes = _asking(select, about='; sh:message "Of {$this}: {?value} {?other}"@en')
    found = _ours(check(TWO, shapes))
    assert found == _plain(TWO, shapes)
    assert found


def test_a_query_that_counts_across_nodes_is_an_error() -> None:
    shapes = _asking(
        f"SELECT (SAMPLE(?node) AS $this) (COUNT(?node) AS ?value) {{ ?node <{EX}p> ?any }}"
    )
    with pytest.raises(ShapesError, match=r"urn:example:S"):
        list(check(TWO, shapes))


def test_a_failure_is_an_error_where_no_node_is_targeted() -> None:
    shapes = _asking(f"SELECT $this {{ $this <{EX}p> ?x MINUS {{ $this <{EX}q> ?x }} }}")
    with pytest.raises(ShapesError, match=r"urn:example:S.*MINUS"):
        list(check(Store(), shapes))


# Places


def test_every_focus_node_has_a_place(built: Built) -> None:
    store = built.graph.store
    for folder, data in ((ASSERTED, store), (WARNINGS, store), (DERIVED, _whole(store))):
        for node in focus_nodes(data, read_shapes(folder.glob("*.ttl"))):
            assert isinstance(node, NamedNode)
            assert built.graph.places.get(node.value), node


def test_a_derived_node_is_placed_at_its_rule_then_at_its_premises(built: Built) -> None:
    store = Store()
    store.extend(built.graph.store)
    quad = next(store.quads_for_pattern(None, RA.premise, None, None))
    store.add(Quad(quad.subject, RA.level, RA.VendorReported, quad.graph_name))
    results = validate(store, built.graph.places).results
    rule, *premises = next(r.places for r in results if r.focus == quad.subject)
    assert rule.path.startswith("ontology/rules/")
    assert isinstance(quad.object, NamedNode)
    assert built.graph.places[quad.object.value] <= set(premises)
