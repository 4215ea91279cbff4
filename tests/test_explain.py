"""What explain says: golden trees, their three forms, and that the names asked for are resolved.

That the trees are true is shown by removal, in test_explain_removal.py.
"""

import html
import json
import re
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import DefaultGraph, NamedNode

from kg.backend import StoreBackend
from kg.check.engine import Request
from kg.errors import UnknownNameError, UsageError
from kg.explain.engine import explain_answer, explain_iri
from kg.explain.mermaid import as_mermaid
from kg.explain.report import as_json
from kg.explain.text import as_text
from kg.explain.tree import Bearing, Branch, Explanation, Kind, Node, Quote
from kg.snapshot import Snapshot
from kg.vocab import RA, RDF

CASES: Final[list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parent / "cases" / "explain" / "trees.toml").read_text(encoding="utf-8")
)["case"]
TODAY: Final = date(2026, 11, 30)
_MARKS: Final = {Bearing.NEEDED: "", Bearing.ONE_OF: "*", Bearing.CONTEXT: "~"}


def _explained(backend: StoreBackend, case: dict[str, Any]) -> Explanation:
    if "iri" in case:
        return explain_iri(backend, case["iri"])
    request = Request(
        model=case["model"],
        targets=(case["on"],),
        architecture=case.get("architecture"),
        strict=case.get("strict", False),
    )
    day = date.fromisoformat(case["as_of"]) if "as_of" in case else TODAY
    return explain_answer(backend, request, as_of=day)


def _outline(node: Node, *, context: bool, lead: str = "", indent: int = 0) -> Iterator[str]:
    places = ", ".join(f"{Path(at.path).name}{str(at)[len(at.path) :]}" for at in node.places)
    shown = places and node.kind is not Kind.DERIVED
    yield f"{' ' * indent}{node.kind.value} {lead}: {node.says}{f' @ {places}' if shown else ''}"
    for branch in node.branches:
        if context or branch.bearing is not Bearing.CONTEXT:
            lead = _MARKS[branch.bearing] + branch.role
            yield from _outline(branch.node, context=context, lead=lead, indent=indent + 2)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for branch in node.branches:
        yield from _nodes(branch.node)


def _everything(backend: StoreBackend, snapshot: Snapshot) -> Iterator[Explanation]:
    """Explain every inference and every path."""
    for type_ in (RA.CompatibilityInference, RA.SupportPath):
        subjects = {
            quad.subject.value
            for quad in snapshot.store.quads_for_pattern(None, RDF.type, type_, None)
            if isinstance(quad.subject, NamedNode)
        }
        assert subjects
        for subject in sorted(subjects):
            yield explain_iri(backend, subject)


@pytest.fixture(scope="module")
def explanations(backend: StoreBackend, snapshot: Snapshot) -> list[Explanation]:
    """Every inference and path, and every golden case, explained."""
    cases = [_explained(backend, case) for case in CASES]
    return [*_everything(backend, snapshot), *cases]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_tree(case: dict[str, Any], backend: StoreBackend) -> None:
    explanation = _explained(backend, case)
    outline = list(_outline(explanation.root, context=case.get("context", False)))
    assert outline == case["tree"].strip("\n").split("\n")
    assert (explanation.verdict and explanation.verdict.value) == case.get("verdict")
    text = json.dumps(as_json(explanation), ensure_ascii=False)
    assert [wanted for wanted in case.get("says", []) if wanted not in text] == []


def test_what_is_asserted_is_never_derived(
    explanations: list[Explanation], snapshot: Snapshot
) -> None:
    folders = {Kind.DERIVED: "derived", Kind.ASSERTED: "source", Kind.CURATED: "curated"}
    nodes = {node for each in explanations for node in _nodes(each.root) if node.iri}
    described = {node for node in nodes if "is described as licensing" in node.says}
    assert {node.kind for node in described} == {Kind.CURATED}
    for node in nodes - described:
        if node.kind is Kind.RULE:
            continue
        quads = snapshot.store.quads_for_pattern(NamedNode(node.iri or ""), RDF.type, None, None)
        graphs = {str(quad.graph_name) for quad in quads} - {str(DefaultGraph())}
        assert graphs, node
        assert [graph for graph in graphs if f"/graph/{folders[node.kind]}/" not in graph] == []


def test_every_row_has_a_place_a_date_and_a_document_or_says_that_it_has_none(
    explanations: list[Explanation],
) -> None:
    nodes = {node for explanation in explanations for node in _nodes(explanation.root)}
    stated = [node for node in nodes if node.kind in (Kind.ASSERTED, Kind.CURATED) and node.iri]
    assert [node for node in stated if not node.places] == []
    undated = [
        node
        for node in stated
        if node.release and not (node.release.registered or node.release.reviewed)
    ]
    assert undated == []
    paths = [node for node in stated if "/id/path/" in str(node.iri)]
    cited = [any(branch.node.cited for branch in node.branches) for node in paths]
    assert all(cited) and len(cited) > 80


def test_text_fits_80_columns_and_says_each_thing_once(explanations: list[Explanation]) -> None:
    for explanation in explanations:
        lines = as_text(explanation).splitlines()
        wide = [line for line in lines if len(line) > 80]
        # An address or a key stays whole, so that it can be copied.
        assert [line for line in wide if len(line.lstrip("│ ").split()) > 1] == []
        if explanation.verdict and not explanation.root.branches:
            continue  # there is no tree
        # A row stands in the line of its statement, where that is like another one.
        headings = [
            line for line in lines if re.match(r"[│ ├└─]*\[\w+\] |[│ ]+row( #\d+)?: ", line)
        ]
        assert len(headings) == len(set(_nodes(explanation.root)))


def test_text_tells_kinds_apart_and_says_what_is_missing(backend: StoreBackend) -> None:
    text = as_text(_explained(backend, CASES[2]))
    for kind in ("answer", "derived", "asserted", "curated", "rule"):
        assert f"[{kind}]" in text
    assert "no address given; a copy with SHA-256 4c7995d23790" in text
    assert "check date not given" in re.sub(r"[│\s]+", " ", text)
    assert "- every premise, all 20; one less leaves the others" in text


def test_nothing_to_explain_is_no_negative(backend: StoreBackend) -> None:
    text = as_text(_explained(backend, CASES[6]))
    assert "there is nothing to explain" in text
    assert "unsupported" not in text


def test_equal_questions_get_equal_bytes(backend: StoreBackend) -> None:
    first, second = (_explained(backend, CASES[2]) for _ in range(2))
    assert as_text(first) == as_text(second)
    assert as_mermaid(first) == as_mermaid(second)
    assert json.dumps(as_json(first)) == json.dumps(as_json(second))


_NODE: Final = re.compile(r'  (n\d+)\["([^"]*)"\]:::(\w+)')
_EDGE: Final = re.compile(r'  (n\d+) (-->|-\.->)\|"([^"]*)"\| (n\d+)')
_CLASS: Final = re.compile(r"  classDef (\w+) [\w:#, -]+")
_LABEL: Final = re.compile(r"(?:[\w .,:/()+=-]|#\d+;|<br/>)*")


def _read_mermaid(text: str) -> tuple[dict[str, tuple[str, str]], list[tuple[str, ...]]]:
    """Read a flowchart by its own grammar: nodes with label and class, and edges."""
    first, *lines = text.splitlines()
    assert first == "flowchart TD"
    nodes: dict[str, tuple[str, str]] = {}
    edges: list[tuple[str, ...]] = []
    classes = set()
    for line in lines:
        if node := _NODE.fullmatch(line):
            assert node[1] not in nodes
            assert _LABEL.fullmatch(node[2]), node[2]
            nodes[node[1]] = (html.unescape(re.sub(r"#(\d+);", r"&#\1;", node[2])), node[3])
        elif edge := _EDGE.fullmatch(line):
            edges.append(edge.groups())
        else:
            defined = _CLASS.fullmatch(line)
            assert defined, line
            classes.add(defined[1])
    assert {kind for _, kind in nodes.values()} <= classes
    assert {end for edge in edges for end in (edge[0], edge[3])} <= set(nodes)
    return nodes, edges


def test_mermaid_holds_the_whole_tree(explanations: list[Explanation]) -> None:
    for explanation in explanations:
        nodes, edges = _read_mermaid(as_mermaid(explanation))
        tree = set(_nodes(explanation.root))
        pairs = {(node, branch.role, branch.node) for node in tree for branch in node.branches}
        assert len(nodes) == len(tree)
        assert len(edges) == len(pairs)
        for start, arrow, *_ in edges:
            assert (arrow == "-.->") == (nodes[start][1] in ("answer", "derived"))


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_out_of_a_label(said: str, role: str) -> None:
    below = Node(kind=Kind.ASSERTED, says=said, quotes=(Quote(role, said),))
    root = Node(kind=Kind.DERIVED, says=said, branches=(Branch(role, Bearing.NEEDED, below),))
    nodes, edges = _read_mermaid(as_mermaid(Explanation(root=root, snapshot="s")))
    assert len(nodes) == 2 and len(edges) == 1
    if said.isprintable():
        assert nodes["n0"][0] == f"derived: {said}"


def test_json_is_the_tree(explanations: list[Explanation]) -> None:
    def same(written: dict[str, Any], node: Node) -> None:
        assert (written["kind"], written["iri"], written["text"]) == (
            node.kind.value,
            node.iri,
            node.says,
        )
        assert written["places"] == [str(place) for place in node.places]
        for child, branch in zip(written["children"], node.branches, strict=True):
            assert (child["role"], child["bearing"]) == (branch.role, branch.bearing.value)
            same(child, branch.node)

    for explanation in explanations:
        same(as_json(explanation)["tree"], explanation.root)


@pytest.mark.parametrize(
    ("iri", "near"),
    [
        (
            "inference/same-architecture/cloud-ai-100/LlamaForCausalML/cloud-ai-100/vLLM/AOT",
            "inference/same-architecture/cloud-ai-100/LlamaForCausalLM/cloud-ai-100/vLLM/AOT",
        ),
        (
            "path/cloud-ai-100/snapshot-1/listed/openai/gpt-oss-120b",
            "path/cloud-ai-100/snapshot-1/listed/openai/gpt-oss-20b",
        ),
    ],
)
def test_an_unknown_iri_gets_near_misses(iri: str, near: str, backend: StoreBackend) -> None:
    with pytest.raises(UnknownNameError) as error:
        explain_iri(backend, iri)
    assert near in error.value.near


@given(st.text(max_size=40))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(UnknownNameError):
        explain_iri(_BACKEND[0], text)


_BACKEND: list[StoreBackend] = []


@pytest.fixture(autouse=True, scope="module")
def _keep_backend(backend: StoreBackend) -> None:
    _BACKEND[:] = [backend]


def test_one_target_is_asked_for(backend: StoreBackend) -> None:
    for targets in ((), ("h100", "mi355x")):
        with pytest.raises(UsageError, match="one target"):
            explain_answer(backend, Request(model="a/b", targets=targets), as_of=TODAY)
    with pytest.raises(UnknownNameError, match="ask hardware"):
        explain_answer(backend, Request(model="a/b", targets=("gaudi3",)), as_of=TODAY)
