"""The trees are true: what they say an answer rests on is what takes it away, and nothing less.

First on the graph itself, for every inference and every branch: the quads of a node are removed,
the rules run again, and the answer is asked again. Then on the files: the row at each place of a
tree is removed, and the graph is built from the rest.
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from pyoxigraph import DefaultGraph, NamedNode, Quad, Store

from kg.backend import StoreBackend
from kg.build import Graph, assemble
from kg.check.engine import Request, check
from kg.check.verdict import Verdict
from kg.errors import SourceError, UnknownNameError
from kg.explain.engine import explain_answer, explain_iri
from kg.explain.report import as_json
from kg.explain.tree import Bearing, Branch, Explanation, Kind, Node
from kg.iris import keys_of
from kg.resources import DATA
from kg.rules import derive, read_rules
from kg.snapshot import Place, Snapshot
from kg.vocab import DERIVED_GRAPHS, RA, SKOS
from tests.conftest import DOCUMENTS

TODAY: Final = date(2026, 11, 30)
R1: Final = "deepseek-ai/DeepSeek-R1-0528"
SCOUT: Final = "meta-llama/Llama-4-Scout-17B-16E-Instruct"
MODEL, TARGET = "meta-llama/Llama-3.1-405B-Instruct", "cloud-ai-100"


class Editable:
    """The graph of the two documents, from which statements can be taken for a while."""

    def __init__(self, graph: Graph) -> None:
        """Take the graph as a build assembles it."""
        self.store: Store = graph.store
        places = {subject: tuple(sorted(found, key=str)) for subject, found in graph.places.items()}
        self.backend = StoreBackend(Snapshot("edited", Path(), {}, graph.store, places))

    @contextmanager
    def without(self, *quads: Quad, rules: bool = True) -> Iterator[None]:
        """Take quads away and derive again, and put everything back at the end."""
        derived = self._derived()
        for quad in (*quads, *derived):
            self.store.remove(quad)
        try:
            if rules:
                self._derive()
            yield
        finally:
            for quad in self._derived():
                self.store.remove(quad)
            self.store.extend([*quads, *derived])

    def about(self, *iris: str | None) -> list[Quad]:
        """Return every quad of these subjects, and every asserted one that leads to them."""
        found: dict[Quad, None] = {}
        for iri in iris:
            node = NamedNode(iri or "")
            for pattern in ((node, None, None, None), (None, None, node, None)):
                found |= dict.fromkeys(self.store.quads_for_pattern(*pattern))
        derived = set(self._derived())
        return [quad for quad in found if quad not in derived]

    def shortcuts(self, statement: Quad) -> Iterator[Quad]:
        """Yield the shortcuts that a row about a checkpoint writes beside itself."""
        if statement.graph_name == DefaultGraph() or not isinstance(statement.object, NamedNode):
            return
        for predicate in (RA.family, RA.architecture):
            found = self.store.quads_for_pattern(
                statement.object, predicate, None, statement.graph_name
            )
            for quad in found:
                yield quad
                yield Quad(quad.subject, quad.predicate, quad.object)

    def said(self, predicate: NamedNode) -> list[Quad]:
        """Return every quad with a predicate."""
        return list(self.store.quads_for_pattern(None, predicate, None, None))

    def inferences(self) -> dict[NamedNode, frozenset[NamedNode]]:
        """Return the premises of every inference."""
        found: dict[NamedNode, set[NamedNode]] = {}
        for quad in self._derived():
            if quad.predicate == RA.premise:
                assert isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode)
                found.setdefault(quad.subject, set()).add(quad.object)
        return {inference: frozenset(premises) for inference, premises in found.items()}

    def _derived(self) -> list[Quad]:
        return [
            quad
            for graph in self.store.named_graphs()
            if isinstance(graph, NamedNode) and graph.value.startswith(DERIVED_GRAPHS)
            for quad in self.store.quads_for_pattern(None, None, None, graph)
        ]

    def _derive(self) -> None:
        for rule in read_rules():
            self.store.extend(list(derive(self.store, rule, rule.graph)))

    def answer(self, model: str, target: str, architecture: str | None = None) -> Explanation:
        request = Request(model=model, targets=(target,), architecture=architecture)
        return explain_answer(self.backend, request, as_of=TODAY)


@pytest.fixture(scope="module")
def graph() -> Editable:
    return Editable(assemble(only=DOCUMENTS))


@pytest.fixture(scope="module")
def inferences(graph: Editable) -> dict[NamedNode, frozenset[NamedNode]]:
    """Every inference with its premises, before anything is removed."""
    found = graph.inferences()
    assert len(found) == 28
    assert sum(map(len, found.values())) == 73
    return found


def _branches(node: Node, role: str) -> list[Branch]:
    return [branch for branch in node.branches if branch.role == role]


def _premises(explanation: Explanation) -> list[str]:
    return [str(branch.node.iri) for branch in _branches(explanation.root, "premise")]


def test_a_withdrawn_witness_leaves_the_premises_and_nothing_else(
    graph: Editable, inferences: dict[NamedNode, frozenset[NamedNode]]
) -> None:
    for inference, premises in inferences.items():
        assert _premises(explain_iri(graph.backend, inference.value)) == sorted(
            premise.value for premise in premises
        )
        for premise in premises:
            with graph.without(*graph.about(premise.value)):
                left = premises - {premise}
                expected = {**inferences, inference: left}
                assert graph.inferences() == {i: p for i, p in expected.items() if p}
                if left:
                    after = explain_iri(graph.backend, inference.value)
                    assert _premises(after) == sorted(path.value for path in left)
                else:
                    with pytest.raises(UnknownNameError):
                        explain_iri(graph.backend, inference.value)
    assert graph.inferences() == inferences


def test_a_withdrawn_row_takes_the_premises_that_need_it(
    graph: Editable, inferences: dict[NamedNode, frozenset[NamedNode]]
) -> None:
    for inference, premises in inferences.items():
        root = explain_iri(graph.backend, inference.value).root
        needing: dict[str, set[str]] = {}
        for premise in _branches(root, "premise"):
            (row,) = _branches(premise.node, "row")
            needing.setdefault(str(row.node.iri), set()).add(str(premise.node.iri))
        for row_iri, taken in needing.items():
            with graph.without(*graph.about(row_iri)):
                left = {path for path in premises if path.value not in taken}
                assert graph.inferences().get(inference, frozenset()) == left


def test_the_last_witness_takes_the_inference_and_the_answer(
    graph: Editable, inferences: dict[NamedNode, frozenset[NamedNode]]
) -> None:
    for inference, premises in inferences.items():
        class_ = keys_of(inference)[3]
        assert graph.answer("me/tune", TARGET, class_).verdict is Verdict.MAY_WORK
        with graph.without(*graph.about(*(premise.value for premise in premises))):
            assert set(graph.inferences()) == set(inferences) - {inference}
            assert graph.answer("me/tune", TARGET, class_).verdict is Verdict.NO_EVIDENCE


def test_without_the_licence_nothing_is_derived(
    graph: Editable, inferences: dict[NamedNode, frozenset[NamedNode]]
) -> None:
    grants = {
        str(branch.node.iri)
        for inference in inferences
        for branch in _branches(explain_iri(graph.backend, inference.value).root, "licence")
    }
    assert len(grants) == 1
    for quads in (graph.about(*grants), graph.said(RA.licensesInference)):
        with graph.without(*quads):
            assert graph.inferences() == {}
            for inference in inferences:
                answer = graph.answer("me/tune", TARGET, keys_of(inference)[3])
                assert answer.verdict is Verdict.NO_EVIDENCE


UPWARD: Final = (RA.ofGeneration, RA.ofPlatform, RA.contains, SKOS.broader)


def _rows_of(graph: Editable, role: str, nodes: tuple[Node, ...]) -> list[Quad]:
    """Return what states the nodes; of a description or a step, what it is needed for."""
    quads: list[Quad] = []
    for node in nodes:
        if "is described as" in node.says:
            quads += graph.said(RA.licensesInference)
        elif role == "registry":
            quads += [
                quad
                for quad in graph.about(node.iri)
                if quad.predicate in UPWARD and quad.subject == NamedNode(node.iri or "")
            ]
        else:
            quads += graph.about(node.iri)
    statements = [quad for quad in quads if quad.predicate == RA.ofCheckpoint]
    return [*quads, *(short for quad in statements for short in graph.shortcuts(quad))]


def _asked(graph: Editable, inferences: dict[NamedNode, frozenset[NamedNode]]) -> Iterator[Any]:
    """Yield questions of every kind: derived for each class, assumed, asserted, excluded."""
    for inference in inferences:
        yield "me/tune", TARGET, keys_of(inference)[3]
    yield MODEL, TARGET, None
    stated = {
        (quad.subject, quad.object)
        for quad in graph.store.quads_for_pattern(None, RA.checkpoint, None, DefaultGraph())
    }
    for path, model in sorted(stated, key=str):
        if isinstance(path, NamedNode) and isinstance(model, NamedNode):
            (on,) = graph.store.quads_for_pattern(path, RA.onPlatform, None, DefaultGraph())
            assert isinstance(on.object, NamedNode)
            yield "/".join(keys_of(model)[1:]), keys_of(on.object)[1], None
    for target in ("tpu7x", "mi355x"):
        yield MODEL, target, None
    yield "Qwen/Qwen3-235B-A22B-Thinking-2507", "hopper", None
    yield "deepseek-ai/DeepSeek-R1-0528", "mi300x", None
    yield "deepseek-ai/DeepSeek-R1-0528", "h100", None
    yield SCOUT, "h100", None
    yield "Qwen/Qwen3-235B-A22B", "nvidia-gpu", None


def test_each_thing_that_an_answer_falls_without_takes_it_away(
    graph: Editable, inferences: dict[NamedNode, frozenset[NamedNode]]
) -> None:
    tried = 0
    for question in dict.fromkeys(_asked(graph, inferences)):
        explanation = graph.answer(*question)
        assert explanation.withdrawals, question
        for withdrawal in explanation.withdrawals:
            if withdrawal.nodes[0].kind is Kind.SUPPLIED:
                assert graph.answer(*question[:2]).verdict is not explanation.verdict
                continue
            if withdrawal.role == "read by":
                continue  # what it reads stands in the graph already: tried on the files
            rules = withdrawal.nodes[0].kind is not Kind.RULE
            role = withdrawal.role
            quads = _rows_of(graph, role, withdrawal.nodes) if rules else []
            with graph.without(*quads, rules=rules):
                left = _verdict(graph, question)
                assert left is not explanation.verdict, (question, withdrawal)
                assert left is (withdrawal.leaves or left), (question, withdrawal)
            tried += 1
            for node in withdrawal.nodes if len(withdrawal.nodes) > 1 else ():
                with graph.without(*_rows_of(graph, role, (node,))):
                    assert _verdict(graph, question) is explanation.verdict, (question, node)
                    tried += 1
    assert tried > 200


def _verdict(graph: Editable, question: tuple[str, str, str | None]) -> Verdict | None:
    """Return the verdict; None where the target itself has gone."""
    model, target, class_ = question
    request = Request(model=model, targets=(target,), architecture=class_)
    try:
        return check(graph.backend, request, as_of=TODAY).targets[0].verdict
    except UnknownNameError:
        return None


def test_a_stated_class_falls_with_its_row(graph: Editable) -> None:
    """A listed checkpoint whose path is withdrawn is still of the class that its row prints."""
    path = (
        "https://w3id.org/runatlas/id/path/cloud-ai-100/snapshot-1/listed/meta-llama/Llama-3.1-8B"
    )
    with graph.without(*graph.about(path)):
        explanation = graph.answer("meta-llama/Llama-3.1-8B", TARGET)
        assert explanation.verdict is Verdict.MAY_WORK
        (class_,) = _branches(explanation.root, "class")
        assert class_.node.kind is Kind.ASSERTED
        (row,) = _branches(class_.node, "row")
    with graph.without(*graph.about(path), *graph.about(row.node.iri)):
        assert graph.answer("meta-llama/Llama-3.1-8B", TARGET).verdict is Verdict.NO_EVIDENCE


# On the files.


def _places(node: Node) -> Iterator[Place]:
    yield from node.places
    for branch in node.branches:
        yield from _places(branch.node)


def _remove(data: Path, path: str, place: str) -> None:
    """Take the row at a place out of a file: a line, a row of a table, or a JSON value."""
    file = data / path
    text = file.read_text(encoding="utf-8")
    if place.startswith("/"):
        document = json.loads(text)
        *keys, last = place[1:].split("/")
        at = document
        for key in keys:
            at = at[int(key)] if isinstance(at, list) else at[key]
        del at[int(last) if isinstance(at, list) else last]
        file.write_text(json.dumps(document, indent=2), encoding="utf-8")
        return
    lines = text.split("\n")
    del lines[int(place) - 1]
    file.write_text("\n".join(lines), encoding="utf-8")


def _line(place: Place) -> int:
    return int(place.place) if place.place.isdigit() else 0


def _built_without(folder: Path, *places: Place) -> Editable:
    """Build without the rows at some places, and without the curated rows that only speak of them.

    Raises:
        SourceError: a document cannot be read without it.
    """
    data = folder / "data"
    shutil.copytree(DATA, data)
    for place in sorted(places, key=_line, reverse=True):
        _remove(data, place.path, place.place)
    while True:
        try:
            return Editable(assemble(data=data, only=DOCUMENTS))
        except SourceError as error:
            rows = {(Path(problem.path), problem.place) for problem in error.problems}
            if any(path.parent.name != "curated" for path, _ in rows):
                raise
            for path, line in sorted(rows, key=str, reverse=True):
                _remove(data, str(path.relative_to(data)), str(line))


def _without_places(written: Any) -> Any:
    """Drop where things stand: a row that goes moves all that stand below it."""
    if isinstance(written, dict):
        return {k: _without_places(v) for k, v in written.items() if k not in ("places", "read in")}
    return [_without_places(each) for each in written] if isinstance(written, list) else written


def _leaves() -> list[Place]:
    graph = Editable(assemble(only=DOCUMENTS))
    root = graph.answer(MODEL, TARGET).root
    places = [place for place in _places(root) if not place.path.startswith("ontology/")]
    return list(dict.fromkeys(places))


LEAVES: Final = _leaves()


def test_leaves_are_of_every_kind() -> None:
    assert {Path(place.path).name for place in LEAVES} == {
        "cloud-ai-100.txt",
        "family_alignment.csv",
        "model-support.json",
        "platforms.csv",
        "precision_names.csv",
        "source.toml",
        "stacks.csv",
        "status_words.csv",
    }


# What a document cannot be read without: its heading, its grant, the reading of its words, its
# platform, and the model that the paths of the database name. There is no graph then, so no answer.
REFUSED: Final = (
    "cloud-ai-100.txt:3", "source.toml:19",
    "cloud-ai-100.txt:7", "model-support.json#/models/0", "platforms.csv:4",
    "precision_names.csv:11", "precision_names.csv:12", "stacks.csv:21", "status_words.csv:7",
)  # fmt: skip


@pytest.mark.parametrize("place", LEAVES, ids=str)
def test_removing_the_row_at_a_place_changes_the_tree(
    place: Place, graph: Editable, tmp_path: Path
) -> None:
    before = as_json(graph.answer(MODEL, TARGET))
    if str(place).endswith(REFUSED):
        with pytest.raises(SourceError):
            _built_without(tmp_path, place)
        return
    after = as_json(_built_without(tmp_path, place).answer(MODEL, TARGET))
    assert _without_places(after) != _without_places(before)


def _request(model: str, target: str, **more: Any) -> Request:
    return Request(model=model, targets=(target,), **more)


# Questions whose answers rest on curated rows: the verdict, and the rows that it needs, written
# from the two documents and the tables. A row that reads a word is marked: it cannot go, because
# the document is not read without it, but may be read otherwise.
RESTING: Final[tuple[tuple[Request, str, str], ...]] = (
    (_request(SCOUT, "h100"), "wider-scope", "path_generations.csv:4 products.csv:7"),
    (_request(SCOUT, "h100", precision="nvfp4"), "excluded", "exclusions.csv:7+8 products.csv:7"),
    (
        _request(SCOUT, "blackwell", precision="nvfp4"),
        "supported",
        "configuration_cells.csv:5 path_generations.csv:5 *precision_names.csv:5 "
        "*status_words.csv:2",
    ),
    (_request(SCOUT, "nvidia-gpu"), "supported", "*status_words.csv:2"),
    (_request(R1, "h100"), "named-not-mapped", "named_products.csv:2"),
    (_request(R1, "mi300x"), "excluded", "exclusions.csv:6"),
    (_request(R1, "mi355x"), "supported", "*status_words.csv:4"),
    (_request(MODEL, "mi355x"), "other-variant", "tested_variants.csv:2"),
    (_request(MODEL, "tpu7x"), "excluded", ""),
    (
        _request(MODEL, "tpu-v6e-trillium", stack="jetstream"),
        "supported",
        "*stacks.csv:8 *status_words.csv:2",
    ),
    (
        _request("Qwen/Qwen3-235B-A22B-Thinking-2507", "hopper"),
        "excluded",
        "exclusions.csv:12 path_generations.csv:7",
    ),
    (_request("openai/gpt-oss-120b", "b200-sxm"), "excluded", "exclusions.csv:10+11"),
)


def _curated(node: Node) -> Iterator[tuple[Branch, tuple[Place, ...]]]:
    """Yield the curated rows of a tree."""
    for branch in node.branches:
        if branch.node.kind is Kind.CURATED:
            yield branch, branch.node.places
        yield from _curated(branch.node)


def _row(places: tuple[Place, ...]) -> str:
    lines = "+".join(place.place for place in places)
    return f"{Path(places[0].path).name}:{lines}"


READINGS: Final = (
    *("feature_names.csv", "integrations.csv", "precision_names.csv", "stacks.csv"),
    "status_words.csv",
)


@pytest.mark.parametrize(("asked", "verdict", "rows"), RESTING, ids=str)
def test_the_curated_rows_that_a_verdict_needs(
    asked: Request, verdict: str, rows: str, graph: Editable
) -> None:
    explanation = explain_answer(graph.backend, asked, as_of=TODAY)
    assert explanation.verdict == verdict
    needed = {
        _row(places)
        for branch, places in _curated(explanation.root)
        if branch.bearing is Bearing.NEEDED
    }
    assert needed == {row.removeprefix("*") for row in rows.split()}
    taking = {_row(it.nodes[0].places) for it in explanation.withdrawals if len(it.nodes) == 1}
    assert needed <= taking


def _shown() -> list[tuple[Place, ...]]:
    """Return every curated row in the trees of these questions that can be removed."""
    graph = Editable(assemble(only=DOCUMENTS))
    shown: dict[tuple[Place, ...], None] = {}
    for asked, _, _ in RESTING:
        root = explain_answer(graph.backend, asked, as_of=TODAY).root
        shown |= dict.fromkeys(places for _, places in _curated(root))
    return [places for places in shown if Path(places[0].path).name not in READINGS]


@pytest.mark.parametrize("places", _shown(), ids=_row)
def test_a_verdict_changes_with_the_rows_that_it_needs_and_with_no_other(
    places: tuple[Place, ...], graph: Editable, tmp_path: Path
) -> None:
    edited = _built_without(tmp_path, *places)
    registry = Path(places[0].path).name in ("generations.csv", "products.csv")
    for asked, verdict, rows in RESTING:
        after = _answered(edited, asked)
        if _row(places) in rows.split():
            assert after != verdict, asked
            explanation = explain_answer(graph.backend, asked, as_of=TODAY)
            (leaves,) = (
                it.leaves for it in explanation.withdrawals if it.nodes[0].places == places
            )
            assert after is None or after == leaves, asked
        elif not registry:  # whose rows take with them what speaks of them
            assert after == verdict, asked


def _answered(graph: Editable, asked: Request) -> str | None:
    try:
        return check(graph.backend, asked, as_of=TODAY).targets[0].verdict.value
    except UnknownNameError:
        return None


def test_a_status_word_that_is_read_otherwise_changes_the_verdicts_that_need_it(
    tmp_path: Path,
) -> None:
    data = Path(shutil.copytree(DATA, tmp_path / "data"))
    path = data / "curated" / "status_words.csv"
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[1].startswith(",documented_recipe,supported,documented_recipe,")
    lines[1] = lines[1].replace("supported,documented_recipe", "planned,", 1)
    path.write_text("\n".join(lines), encoding="utf-8")
    edited = Editable(assemble(data=data, only=DOCUMENTS))
    changed = [asked for asked, verdict, _ in RESTING if _answered(edited, asked) != verdict]
    assert changed == [asked for asked, _, rows in RESTING if "*status_words.csv:2" in rows.split()]


def test_the_row_that_the_class_rests_on_takes_the_answer(tmp_path: Path) -> None:
    edited = _built_without(tmp_path, Place("", "curated/family_alignment.csv", "2"))
    assert edited.answer(MODEL, TARGET).verdict is Verdict.NO_EVIDENCE
    assert edited.answer(MODEL, TARGET, "LlamaForCausalLM").verdict is Verdict.MAY_WORK


def test_the_row_of_every_witness_of_the_class_takes_the_answer(tmp_path: Path) -> None:
    page = Place("", "sources/cloud-ai-100/cloud-ai-100.txt", "30")
    edited = _built_without(tmp_path, page)
    assert edited.answer(MODEL, TARGET).verdict is Verdict.NO_EVIDENCE
    assert edited.answer("me/tune", TARGET, "LlamaForCausalLM").verdict is Verdict.MAY_WORK


def test_a_row_of_one_witness_shortens_the_premises(tmp_path: Path) -> None:
    iri = "inference/same-architecture/cloud-ai-100/XLMRobertaModel/cloud-ai-100/vLLM/AOT"
    text = (DATA / "sources/cloud-ai-100/cloud-ai-100.txt").read_text(encoding="utf-8")
    document = tmp_path / "page.txt"
    document.write_text(text.replace(", intfloat/multilingual-e5-large", ""), encoding="utf-8")
    source = {"cloud-ai-100": document}
    edited = Editable(assemble(only=DOCUMENTS, documents=source))
    assert len(_premises(explain_iri(edited.backend, iri))) == 2


def test_a_source_that_no_longer_licenses_takes_every_inference(tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(DATA, data)
    path = data / "sources/cloud-ai-100/source.toml"
    text = path.read_text(encoding="utf-8")
    licensed, refused = (f'licenses_inference = "{it}"' for it in ("same-architecture", "none"))
    assert licensed in text
    path.write_text(text.replace(licensed, refused), encoding="utf-8")
    edited = Editable(assemble(data=data, only=DOCUMENTS))
    assert edited.inferences() == {}
    assert edited.answer(MODEL, TARGET).verdict is Verdict.NO_EVIDENCE
