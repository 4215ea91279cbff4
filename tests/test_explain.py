"""What explain says: golden trees, their three forms, and that the names asked for are resolved.

That the trees are true is shown by removal, in test_explain_removal.py.
"""

import html
import json
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import DefaultGraph, NamedNode

from kg.backend import StoreBackend
from kg.build import assemble
from kg.check.engine import Request
from kg.errors import UnknownNameError, UsageError
from kg.explain.engine import explain_answer, explain_iri
from kg.explain.mermaid import as_mermaid
from kg.explain.reading import Reader
from kg.explain.report import as_json
from kg.explain.text import as_text
from kg.explain.tree import Bearing, Branch, Explanation, Kind, Node, Quote
from kg.iris import keys_of
from kg.snapshot import Snapshot
from kg.vocab import RA, RDF
from tests.conftest import DOCUMENTS

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


def test_a_model_that_nobody_names_is_said_to_be_so(backend: StoreBackend) -> None:
    request = Request(model="meta-llama/Llama-3.1-405B-Instuct", targets=("h100",))
    explanation = explain_answer(backend, request, as_of=TODAY)
    text = " ".join(as_text(explanation).split())
    assert "No source here names this repository. Did you mean" in text
    assert "meta-llama/Llama-3.1-405B-Instruct" in explanation.near
    written = as_json(explanation)
    assert (written["known"], written["did_you_mean"]) == (False, list(explanation.near))


def test_statements_of_a_later_day_are_counted(backend: StoreBackend) -> None:
    request = Request(model="Qwen/Qwen3-235B-A22B", targets=("hopper",))
    explanation = explain_answer(backend, request, as_of=date(2026, 11, 1))
    assert explanation.verdict == "no-evidence"
    assert as_json(explanation)["statements_after_as_of"] == 1
    assert "1 statement is left out: checked after that day." in as_text(explanation)


def test_what_takes_an_answer_away_comes_before_the_tree(backend: StoreBackend) -> None:
    lines = as_text(_explained(backend, CASES[2])).splitlines()
    assert lines[0] == "meta-llama/Llama-3.1-405B-Instruct on cloud-ai-100: may-work"
    assert lines[1].startswith("No source states this: it is derived")
    falls = lines.index("The verdict may-work falls without any one of these:")
    assert falls < next(n for n, line in enumerate(lines) if line.startswith("[answer]"))


def test_premises_that_are_alike_are_each_listed_and_short(backend: StoreBackend) -> None:
    text = as_text(_explained(backend, CASES[2]))
    assert len(re.findall(r"premise \d+ of 20: ", text)) == 20
    assert len(re.findall(r"else as[│\s]+#1,", text)) == 19  # one witness and 18 premises
    assert text.count("This page lists models validated") == 1
    assert len(text.splitlines()) < 180


OVERLAY: Final = Path(__file__).parents[1] / "examples" / "our-runs"
REPORTS: Final = Path("sources/lab-runs/reports.json")
DEMO: Final = "example-org/demo-7b-instruct"


def _with_runs(overlay: Path, edit: Callable[[list[dict[str, Any]]], None]) -> StoreBackend:
    """Assemble the documents and the example's runs, edited."""
    shutil.copytree(OVERLAY, overlay)
    path = overlay / REPORTS
    document = json.loads(path.read_text(encoding="utf-8"))
    edit(document["reports"])
    path.write_text(json.dumps(document), encoding="utf-8")
    graph = assemble(only=DOCUMENTS, overlays=(overlay,))
    places = {subject: tuple(sorted(found, key=str)) for subject, found in graph.places.items()}
    return StoreBackend(Snapshot("edited", Path(), {}, graph.store, places))


def _fail(report: dict[str, Any], **more: Any) -> None:
    report |= {"outcome": "fail", "correctness": None, **more}


OLDER: Final = {"software": [{"component": "example-runtime", "version": "0.2.0"}]}


@pytest.mark.parametrize(
    ("more", "verdict"), [({}, "conflicting"), (OLDER, "mixed")], ids=("conflicting", "mixed")
)
def test_each_side_of_a_disagreement_is_needed_for_it(
    more: dict[str, Any], verdict: str, tmp_path: Path
) -> None:
    backend = _with_runs(tmp_path / "our-runs", lambda reports: _fail(reports[0], **more))
    request = Request(model=DEMO, targets=("example-x1",))
    explanation = explain_answer(backend, request, as_of=TODAY)
    assert explanation.verdict == verdict
    left = {it.role: it.leaves for it in explanation.withdrawals if it.role.startswith("statement")}
    assert left == {"statement (failing)": "supported", "statement (supported)": "failing"}
    text = as_text(explanation)
    assert f"The verdict {verdict} falls without any one of these:" in text
    assert "one less leaves the others" not in text


def test_of_two_statements_on_one_side_either_will_do(tmp_path: Path) -> None:
    def edit(reports: list[dict[str, Any]]) -> None:
        reports.append(json.loads(json.dumps(reports[0])) | {"id": "again-on-x1"})
        _fail(reports[0])

    backend = _with_runs(tmp_path / "our-runs", edit)
    request = Request(model=DEMO, targets=("example-x1",))
    explanation = explain_answer(backend, request, as_of=TODAY)
    assert explanation.verdict == "conflicting"
    bearings = {
        (branch.role, branch.bearing, branch.leaves)
        for branch in explanation.root.branches
        if branch.role.startswith("statement")
    }
    assert bearings == {
        ("statement (failing)", Bearing.NEEDED, "supported"),
        ("statement (supported)", Bearing.ONE_OF, "failing"),
    }


def test_a_run_is_shown_with_its_day_devices_and_correctness(tmp_path: Path) -> None:
    backend = _with_runs(tmp_path / "our-runs", lambda _: None)
    request = Request(model=DEMO, targets=("h100",), stack="vllm==0.11.0")
    explanation = explain_answer(backend, request, as_of=TODAY)
    report = json.loads((OVERLAY / REPORTS).read_text(encoding="utf-8"))["reports"][1]
    (run,) = {node for node in _nodes(explanation.root) if node.says.startswith("run on ")}
    assert run.kind is Kind.ASSERTED
    assert run.says.startswith(f"run on {report['ran_at']}, revision {report['revision']}, ")
    assert f"{report['devices']} x {report['unit']}" in run.says
    quoted = {quote.what: quote.text for quote in run.quotes}
    assert quoted["command"] == report["command"]
    assert quoted["correctness"] == "holds"
    for what in ("method", "reference", "result"):
        assert quoted[what] == report["correctness"][what]
    assert quoted["log, SHA-256"] == report["log"]["sha256"]
    text = as_text(explanation)
    assert "no date given" not in text
    assert f"checked {report['checked_at']}" in " ".join(text.split())
    assert run.iri
    assert explain_iri(backend, run.iri).root == run


def test_a_run_that_failed_says_that_correctness_was_not_checked(tmp_path: Path) -> None:
    backend = _with_runs(tmp_path / "our-runs", lambda _: None)
    request = Request(model="example-org/demo-70b-instruct", targets=("h100",))
    explanation = explain_answer(backend, request, as_of=TODAY)
    assert explanation.verdict == "failing"
    assert 'correctness: "not checked"' in as_text(explanation)


def test_an_iri_is_taken_as_the_page_of_queries_writes_it(backend: StoreBackend) -> None:
    path = "path/model-support/2026.11.09-2/amd-aim-gpt-oss-120b"
    assert explain_iri(backend, f"<id/{path}>") == explain_iri(backend, path)


def test_keys_without_their_kind_are_taken(backend: StoreBackend) -> None:
    keys = "model-support/2026.11.09-2/amd-aim-gpt-oss-120b"
    assert explain_iri(backend, keys) == explain_iri(backend, f"path/{keys}")
    with pytest.raises(UsageError, match="a target, too"):
        explain_iri(backend, "openai/gpt-oss-120b")


def test_keys_that_two_kinds_share_are_refused(backend: StoreBackend) -> None:
    kinds: dict[str, set[str]] = {}
    for iri in Reader(backend).column("explainable", "subject"):
        kind, *keys = keys_of(iri)
        kinds.setdefault("/".join(keys), set()).add(kind)
    for shared in (shared for shared, found in kinds.items() if len(found) > 1):
        with pytest.raises(UsageError, match=" or "):
            explain_iri(backend, shared)


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
