"""The build: counts, equal bytes, parts of the data, a user's own statements, and kill -9."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, NamedNode, QuerySolutions, RdfFormat, parse

from kg.backend import StoreBackend
from kg.build import Built, assemble, build
from kg.check.engine import Request, check
from kg.check.report import as_json
from kg.check.text import as_text
from kg.errors import SourceError, UnknownNameError, UsageError
from kg.snapshot import GRAPH, MANIFEST, PLACES, Snapshot, open_snapshot
from kg.store import is_asserted, is_overlay, named_quads
from tests.conftest import DOCUMENTS
from tests.test_check import TODAY

ROOT = Path(__file__).parents[1]
PREFIX = "PREFIX ra: <https://w3id.org/runatlas/def#> PREFIX dcterms: <http://purl.org/dc/terms/>"


def _count(snapshot: Snapshot, pattern: str) -> int:
    query = f"{PREFIX} SELECT (COUNT(DISTINCT ?x) AS ?n) {{ {pattern} }}"
    solutions = snapshot.store.query(query)
    assert isinstance(solutions, QuerySolutions)
    (row,) = solutions
    return int(row["n"].value)


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("?x a ra:Checkpoint", 78),
        ("?x a ra:SupportPath", 86),
        ("?x a ra:SupportPath ; dcterms:isPartOf/ra:schemaVersion ?v", 12),
        ("?p dcterms:isPartOf/ra:schemaVersion ?v ; ra:evidence ?x", 12),
        ("?x a ra:ModelStatement ; dcterms:isPartOf/ra:schemaVersion ?v", 7),
        ("?s a ra:ModelStatement ; ra:row ?x", 41),
        ("?x a ra:Architecture", 28),
        (
            "?s ra:row ?r ; dcterms:isPartOf/ra:ofSource ?o ; ra:ofCheckpoint/ra:family ?x ."
            " ?x ra:ofSource ?o",
            41,
        ),
        ("?s ra:row ?r ; ra:ofCheckpoint ?x", 72),
        ("?x a ra:CompatibilityInference", 0),
        ("GRAPH ?g { ?x a ra:CompatibilityInference }", 28),
    ],
)
def test_counts(pattern: str, count: int, snapshot: Snapshot) -> None:
    assert _count(snapshot, pattern) == count


def test_the_default_graph_is_a_set(snapshot: Snapshot) -> None:
    """A plain count, without DISTINCT: a bag would count the two shared checkpoints twice."""
    query = f"{PREFIX} SELECT (COUNT(?c) AS ?n) {{ ?c a ra:Checkpoint }}"
    solutions = snapshot.store.query(query)
    assert isinstance(solutions, QuerySolutions)
    assert [row["n"].value for row in solutions] == ["78"]


def test_asserted_and_derived_share_no_triple(built: Built) -> None:
    asserted, derived = set(), set()
    for quad in named_quads(built.graph.store):
        assert isinstance(quad.graph_name, NamedNode)
        if is_asserted(quad.graph_name):
            asserted.add(quad.triple)
        elif "/derived/" in quad.graph_name.value:
            derived.add(quad.triple)
    assert asserted and derived
    assert not asserted & derived


def test_no_blank_node_and_no_time_of_building(built: Built) -> None:
    quads = list(named_quads(built.graph.store))
    terms = {term for quad in quads for term in (quad.subject, quad.object, quad.graph_name)}
    assert not [term for term in terms if isinstance(term, BlankNode)]
    assert built.snapshot
    everything = b"".join(path.read_bytes() for path in sorted(built.snapshot.iterdir()))
    assert str(built.snapshot.parent.parent).encode() not in everything


def test_every_named_graph_is_described_with_its_true_size(built: Built) -> None:
    described: dict[str, int] = {}
    actual: dict[str, int] = {}
    for quad in named_quads(built.graph.store):
        assert isinstance(quad.graph_name, NamedNode)
        actual[quad.graph_name.value] = actual.get(quad.graph_name.value, 0) + 1
        if quad.predicate.value.endswith("void#triples") and "/graph/" in str(quad.subject):
            assert isinstance(quad.subject, NamedNode)
            described[quad.subject.value] = int(quad.object.value)  # type: ignore[union-attr]
    catalog = "https://w3id.org/runatlas/graph/catalog"
    del actual[catalog]
    assert described == actual


def test_every_statement_has_a_place(snapshot: Snapshot) -> None:
    paths = {
        quad.subject.value
        for quad in snapshot.store
        if isinstance(quad.subject, NamedNode) and "/id/path/" in quad.subject.value
    }
    assert len(paths) == 86
    assert not paths - set(snapshot.places)
    lines = (ROOT / "data/sources/cloud-ai-100/cloud-ai-100.txt").read_text("utf-8").split("\n")
    for path in paths:
        for place in snapshot.places[path]:
            if place.source == "cloud-ai-100":
                assert path.rpartition("/")[2] in lines[int(place.place) - 1]


def test_two_builds_in_two_folders_on_two_days_are_equal(tmp_path: Path) -> None:
    """The data are copied elsewhere, files get other times, and the clock and hash seed differ."""
    snapshots = []
    for name, day, seed in (("one", "1", "0"), ("two/deeper", "2", "12345")):
        data = tmp_path / name / "data"
        shutil.copytree(ROOT / "data", data)
        for path in data.rglob("*"):
            os.utime(path, (int(day) * 86_400, int(day) * 86_400))
        out = tmp_path / name / "out"
        script = (
            f"import time, sys; time.time = lambda: {day} * 86400.0;"
            "from kg.cli import main; sys.argv = ['runatlas', *sys.argv[1:]]; main()"
        )
        subprocess.run(
            [sys.executable, "-c", script, "build", "--data", data, "--out", out],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": f"UTC+{day}"},
            cwd=tmp_path / name,
            capture_output=True,
        )
        snapshots.append((out / "current").resolve())
    one, two = snapshots
    assert one.name == two.name
    for path in one.iterdir():
        assert path.read_bytes() == (two / path.name).read_bytes(), path.name


def test_what_builds_the_graph_knows_no_clock_and_no_chance() -> None:
    modules = [*(ROOT / "mappings").rglob("*.py"), *(ROOT / "kg").glob("*.py")]
    asks_for_today = {"ask.py", "query.py"}  # they answer questions; they build nothing
    for path in modules:
        if path.name not in asks_for_today:
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"\b(today\(|now\(|import (time|random|uuid|secrets))", text), path


def test_only_leaves_out_the_other_source() -> None:
    graph = assemble(only=("model-support",))
    names = {quad.graph_name.value for quad in named_quads(graph.store)}  # type: ignore[union-attr]
    assert not [name for name in names if "cloud-ai-100" in name]
    assert not [
        quad
        for quad in named_quads(graph.store)
        if "id/path/cloud-ai-100" in str(quad) or "id/family/cloud-ai-100" in str(quad)
    ]


def test_an_unknown_source_gets_near_misses() -> None:
    with pytest.raises(UnknownNameError, match="model-support"):
        assemble(only=("model-suport",))
    with pytest.raises(UnknownNameError, match="cloud-ai-100"):
        assemble(documents={"cloud-ai-10": Path("x")})


def test_faults_of_every_file_are_reported_at_once(tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(ROOT / "data", data)
    _edit(
        data / "sources/model-support/model-support.json",
        '"platform_id": "amd-gpu"',
        '"platform_id": "amd-gpus"',
    )
    _edit(data / "sources/cloud-ai-100/cloud-ai-100.txt", "tiiuae/falcon-40b\t", "falcon-40b\t")
    _edit(
        data / "sources/cloud-ai-100/source.toml", 'absence = "representative"', 'absence = "total"'
    )
    with pytest.raises(SourceError) as caught:
        assemble(data=data)
    said = str(caught.value)
    assert len(re.findall("did you mean 'amd-gpu'", said)) == 5
    assert "source.toml:16: absence is not one of" in said
    _edit(data / "sources/cloud-ai-100/source.toml", 'absence = "total"', 'absence = "complete"')
    _edit(
        data / "curated/exclusions.csv", "tier-differs,product,mi250x", "tier-differs,product,mi250"
    )
    with pytest.raises(SourceError) as caught:
        assemble(data=data)
    assert "exclusions.csv:14: target 'mi250' is not in products.csv" in str(caught.value)


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("model-support,no-such-row,h100,why,where", "model-support has no row 'no-such-row'"),
        ("model-support,amd-aim-gpt-oss-120b,h101,why,where", "product 'h101' is not in products"),
        ("model-support,amd-aim-gpt-oss-120b,h100,,where", "why is blank"),
        ("model-support,amd-aim-gpt-oss-120b,h100,why", "expected 5 cells, found 4"),
    ],
)
def test_a_bad_curated_row_is_named_with_its_line(row: str, problem: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(ROOT / "data", data)
    path = data / "curated/named_products.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines, row]) + "\n", encoding="utf-8")
    with pytest.raises(
        SourceError, match=re.escape(f"named_products.csv:{len(lines) + 1}")
    ) as error:
        assemble(data=data)
    assert problem in str(error.value)


# A user's own statements

CLAIM = "On AMD Instinct MI300X, openai/gpt-oss-120b answers."
OWN = {
    "title": "Our own runs",
    "format": "evidence-database",
    "document": "runs.json",
    "licence": "ours",
    "attribution": "ours",
    "absence": "unstated",
    "licenses_inference": "none",
}


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """An overlay with one path: gpt-oss-120b on MI300X, tested by ourselves."""
    folder = tmp_path / "ours"
    source = folder / "sources" / "our-runs"
    source.mkdir(parents=True)
    lines = [f"{key} = {json.dumps(value)}" for key, value in OWN.items()]
    (source / "source.toml").write_text("\n".join(lines), encoding="utf-8")
    database = json.loads(
        (ROOT / "data/sources/model-support/model-support.json").read_text("utf-8")
    )
    path = next(p for p in database["support_paths"] if p["id"] == "amd-aim-gpt-oss-120b")
    path |= {"id": "our-run", "product_ids": ["mi300x"], "software_stack": "vLLM"}
    path |= {"precision_modes": ["MXFP4"], "hardware_scope": "AMD Instinct MI300X, one node"}
    path |= {"execution_modes": ["tensor parallelism"], "limitations": "One node was tried."}
    path["evidence"][0] |= {"url": "https://example.org/1.0.0/notes", "claim": CLAIM}
    database["support_paths"] = [path]
    database["models"] = [m for m in database["models"] if m["id"] == "gpt-oss-120b"]
    (source / "runs.json").write_text(json.dumps(database), encoding="utf-8")
    return folder


def test_an_overlay_answers_marked_and_apart(overlay: Path, tmp_path: Path) -> None:
    built = build(out=tmp_path / "out", only=DOCUMENTS, overlays=(overlay,))
    assert built.snapshot, built.report.text
    snapshot = open_snapshot(built.snapshot)
    answer = check(
        StoreBackend(snapshot),
        Request(model="openai/gpt-oss-120b", targets=("mi300x",), precision="mxfp4"),
        as_of=TODAY,
    )
    (judged,) = answer.targets
    assert judged.verdict.value == "supported"
    assert judged.decisive[0].path.overlay == "ours"
    assert snapshot.manifest["overlays"] == ["ours"]


def test_the_data_s_own_graphs_do_not_depend_on_an_overlay(overlay: Path) -> None:
    plain = assemble(only=DOCUMENTS)
    with_own = assemble(only=DOCUMENTS, overlays=(overlay,))
    ours = {
        quad
        for quad in named_quads(with_own.store)
        if isinstance(quad.graph_name, NamedNode) and not is_overlay(quad.graph_name)
    }
    assert ours == set(named_quads(plain.store))


def test_an_overlay_may_not_take_the_name_of_a_source(overlay: Path) -> None:
    (overlay / "sources" / "our-runs").rename(overlay / "sources" / "model-support")
    with pytest.raises(UsageError, match="Two sources are called 'model-support'"):
        assemble(overlays=(overlay,))


def test_a_folder_that_is_no_overlay_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    with pytest.raises(SourceError, match="not an overlay"):
        assemble(overlays=(folder,))


@pytest.mark.parametrize("name", ["derived", "Our Runs", ".hidden"])
def test_an_overlay_has_a_name_that_can_name_its_graphs(name: str, tmp_path: Path) -> None:
    (tmp_path / name / "curated").mkdir(parents=True)
    with pytest.raises(UsageError, match="a name such as"):
        assemble(overlays=(tmp_path / name,))


# kill -9

KILLS = 20


def test_kill_9_at_any_moment_leaves_the_old_snapshot(tmp_path: Path) -> None:
    """Twenty builds of other data are killed at random moments over the length of a whole build."""
    out, data = tmp_path / "out", tmp_path / "data"
    old = build(out=out).snapshot
    assert old
    shutil.copytree(ROOT / "data", data)
    _edit(data / "dataset.toml", "2026.11.30-1", "other")
    command = [sys.executable, "-m", "kg.cli", "build", "--data", str(data), "--out", str(out)]
    start = time.monotonic()
    subprocess.run([*command[:-1], str(tmp_path / "timed")], check=True, capture_output=True)
    length = time.monotonic() - start
    moments = random.Random(20261130)
    killed = 0
    for _ in range(KILLS):
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(moments.uniform(0, length))
            process.send_signal(signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL
        assert open_snapshot(out / "current").folder in (old.resolve(), _other(out))
        for folder in (out / "snapshots").glob("[!.]*"):
            assert open_snapshot(folder).name == folder.name
    assert killed, "no build was killed before it ended"
    subprocess.run(command, check=True, capture_output=True)
    assert open_snapshot(out / "current").name.startswith("other-")
    assert open_snapshot(old).name == old.name
    assert not list((out / "snapshots").glob(".*"))


def _other(out: Path) -> Path | None:
    return next(iter((out / "snapshots").glob("other-*")), None)


@pytest.mark.parametrize("step", ["write", "rename", "switch"])
def test_dying_between_two_steps_leaves_the_old_snapshot(step: str, tmp_path: Path) -> None:
    """The same, made certain: the process dies right before one of the steps that matter."""
    out = tmp_path / "out"
    old = build(out=out).snapshot
    assert old
    data = tmp_path / "data"
    shutil.copytree(ROOT / "data", data)
    _edit(data / "dataset.toml", "2026.11.30-1", "other")
    die = "lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)"
    target = {"write": "os.fsync", "rename": "pathlib.Path.rename", "switch": "kg.snapshot._switch"}
    script = (
        "import os, pathlib, signal, sys; import kg.snapshot; from kg.build import build;"
        f"{target[step]} = {die};"
        "build(data=pathlib.Path(sys.argv[1]), out=pathlib.Path(sys.argv[2]))"
    )
    process = subprocess.run([sys.executable, "-c", script, data, out], check=False)
    assert process.returncode == -signal.SIGKILL
    assert open_snapshot(out / "current").folder == old.resolve()
    assert build(data=data, out=out).snapshot
    assert open_snapshot(out / "current").name.startswith("other-")


def test_two_builds_at_once_both_succeed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "kg.cli", "build", "--out", str(out)]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert open_snapshot(out / "current").manifest["sources"]


def test_graph_file_is_sorted_and_parses(built: Built) -> None:
    assert built.snapshot
    content = (built.snapshot / GRAPH).read_bytes()
    lines = content.splitlines()
    assert lines == sorted(set(lines))
    assert len(list(parse(content, format=RdfFormat.N_QUADS))) == len(lines)
    manifest = json.loads((built.snapshot / MANIFEST).read_bytes())
    assert manifest["quads"] == len(lines)
    assert (built.snapshot / PLACES).stat().st_size > 0


def test_what_an_overlay_excludes_is_marked(overlay: Path, tmp_path: Path) -> None:
    (overlay / "curated").mkdir()
    header = (ROOT / "data/curated/exclusions.csv").read_text("utf-8").splitlines()[0]
    row = "our-runs,our-run,no-h200,unsupported,product,h200,It does not run there.,Tried,our notes"
    (overlay / "curated" / "exclusions.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    built = build(out=tmp_path / "out", only=DOCUMENTS, overlays=(overlay,))
    assert built.snapshot, built.report.text
    backend = StoreBackend(open_snapshot(built.snapshot))
    request = Request(model="openai/gpt-oss-120b", targets=("h200",))
    answer = check(backend, request, as_of=TODAY)
    assert answer.targets[0].verdict.value == "excluded"
    assert as_json(answer)["targets"][0]["exclusions"][0]["overlay"] == "ours"
    assert "(your own, from ours)" in as_text(answer)


def test_an_overlay_may_not_keep_a_class_from_being_lent(overlay: Path) -> None:
    (overlay / "curated").mkdir()
    text = "word,why,read_in\nllama,Mine,our notes\n"
    (overlay / "curated" / "variant_words.csv").write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match="keep a class from being lent"):
        assemble(overlays=(overlay,))
