"""From a run to an answer: what a test report states, what R15 refuses, and the commands."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from pyoxigraph import NamedNode

from docs.walk import PAGE, walked
from kg.backend import StoreBackend
from kg.build import Built, assemble, build
from kg.check.engine import Request, check
from kg.check.report import as_json
from kg.check.verdict import Judged
from kg.errors import SourceError, UsageError
from kg.iris import mint_iri
from kg.overlay_writing import write_new
from kg.report_drafts import Known, begin_report, slug
from kg.snapshot import open_snapshot
from kg.validation import validate
from kg.vocab import RA, expand
from mappings.test_report.reader import schema_text
from tests.conftest import DOCUMENTS
from tests.test_check import TODAY

ROOT: Final = Path(__file__).parents[1]
OVERLAY: Final = ROOT / "examples" / "our-runs"
REPORTS: Final = Path("sources/lab-runs/reports.json")
MODEL: Final = "example-org/demo-7b-instruct"
LARGE: Final = "example-org/demo-70b-instruct"


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """A copy of the example, to be edited."""
    return Path(shutil.copytree(OVERLAY, tmp_path / "our-runs"))


def _edit(overlay: Path, number: int, **values: Any) -> None:
    path = overlay / REPORTS
    document = json.loads(path.read_text(encoding="utf-8"))
    document["reports"][number] |= values
    path.write_text(json.dumps(document), encoding="utf-8")


def _judge(overlay: Path, model: str, target: str, **more: Any) -> Judged:
    built = build(out=overlay.parent / "out", only=DOCUMENTS, overlays=(overlay,))
    assert built.snapshot, built.report.text
    request = Request(model=model, targets=(target,), **more)
    backend = StoreBackend(open_snapshot(built.snapshot))
    (judged,) = check(backend, request, as_of=TODAY).targets
    return judged


# What a report states


def test_a_run_that_passed_is_independently_tested(overlay: Path) -> None:
    judged = _judge(overlay, MODEL, "h100", stack="vllm==0.11.0")
    (finding,) = judged.decisive
    path = finding.path
    assert judged.verdict.value == "supported"
    assert (path.outcome, path.level, path.basis) == (RA.Supported, RA.IndependentlyTested, RA.Ran)
    (deployment,) = path.deployments
    assert (deployment.devices, deployment.unit) == (2, RA.Chip)
    assert deployment.command and "--tensor-parallel-size 2" in deployment.command
    assert deployment.run and deployment.run.correctness
    assert (deployment.run.revision, deployment.run.correctness.holds) == ("v1.0", True)
    assert [str(place) for place in path.places] == [f"our-runs/{REPORTS}#/reports/1"]
    (citation,) = path.citations
    assert citation.publisher == "Example Lab"
    assert citation.url is None
    assert citation.content_sha256 == deployment.run.log_sha256


def test_a_run_that_failed_fails_with_all_its_evidence(overlay: Path) -> None:
    judged = _judge(overlay, LARGE, "h100")
    (finding,) = judged.decisive
    assert judged.verdict.value == "failing"
    assert finding.path.level is None
    assert finding.path.citations
    (deployment,) = finding.path.deployments
    assert deployment.run and deployment.run.correctness is None


def test_a_limited_run_has_a_level(overlay: Path) -> None:
    _edit(overlay, 1, outcome="limited", limitations=["Prompts of one kind alone."])
    judged = _judge(overlay, MODEL, "h100", stack="vllm==0.11.0")
    assert judged.verdict.value == "limited"
    assert judged.decisive[0].path.level == RA.IndependentlyTested


def test_a_failure_and_a_recipe_of_one_configuration_conflict(overlay: Path) -> None:
    """The vendor's guide and the lab's run are of the same chip, release and precision."""
    assert _judge(overlay, MODEL, "example-x1").verdict.value == "supported"
    _edit(overlay, 0, outcome="fail", correctness=None)
    judged = _judge(overlay, MODEL, "example-x1")
    assert judged.verdict.value == "conflicting"
    assert {finding.path.outcome for finding in judged.decisive} == {RA.Supported, RA.Failing}


def test_a_failure_of_another_release_is_mixed(overlay: Path) -> None:
    software = [{"component": "example-runtime", "version": "0.2.0"}]
    _edit(overlay, 0, outcome="fail", correctness=None, software=software)
    assert _judge(overlay, MODEL, "example-x1").verdict.value == "mixed"


def test_the_answer_as_json_tells_of_the_run(overlay: Path) -> None:
    built = build(out=overlay.parent / "out", only=DOCUMENTS, overlays=(overlay,))
    assert built.snapshot
    backend = StoreBackend(open_snapshot(built.snapshot))
    answer = as_json(check(backend, Request(model=MODEL, targets=("h100",)), as_of=TODAY))
    run = answer["targets"][0]["statements"][0]["documented_with"][0]["run"]
    assert run["correctness"]["result"] == "181 of 200 in FP8, 182 of 200 in BF16."
    assert run["ran_at"] == "2026-11-20"


def test_a_log_with_an_address_is_cited_by_it(overlay: Path) -> None:
    _edit(overlay, 0, published=None)
    (finding, _) = _judge(overlay, MODEL, "example-x1", stack="example-runtime").decisive
    assert finding.path.citations[0].url == "https://example.org/lab/runs/demo-7b-on-x1.log"


# What is refused


@dataclass(frozen=True)
class Slip:
    """An edit of the example, and the rules that it breaks."""

    name: str
    number: int
    values: dict[str, Any]
    rules: set[str]
    publisher: str = "Example Lab"
    severity: str = "Violation"
    rows: tuple[str, ...] = field(default=())


CHECKED: Final = {
    "method": "Compared.",
    "reference": "Known answers.",
    "result": "3 of 64.",
    "holds": False,
}
SLIPS: Final = (
    Slip("no correctness", 1, {"correctness": None}, {"R15-correctness"}),
    Slip("wrong answers", 1, {"correctness": CHECKED}, {"R15-correctness"}),
    Slip("the vendor", 0, {}, {"R15-independent"}, "Example Chips"),
    Slip(
        "a part of the vendor",
        0,
        {},
        {"R15-independent"},
        "Example Labs of the vendor",
        rows=("example-chip-lab,Example Labs of the vendor,example-chips,why,here",),
    ),
    Slip(
        "the model's publisher",
        1,
        {},
        {"R15-modelPublisher"},
        "Example Org",
        severity="Warning",
    ),
    Slip("another product", 1, {"product": "h200"}, {"R02-namedProduct"}),
    Slip("performance", 1, {"finding": "It reached 900 tokens/s."}, {"R06-performanceNumber"}),
    Slip("performance", 2, {"environment": ["3.3 TB/s"]}, {"R06-performanceNumber"}),
)


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip.name}-{slip.number}")
def test_a_slip_is_caught_at_its_report(slip: Slip, overlay: Path) -> None:
    path = overlay / REPORTS
    _edit(overlay, slip.number, **slip.values)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["publisher"] = slip.publisher
    document["reports"] = [document["reports"][slip.number]]
    path.write_text(json.dumps(document), encoding="utf-8")
    with (overlay / "curated" / "organisations.csv").open("a", encoding="utf-8") as table:
        table.writelines(f"{row}\n" for row in slip.rows)
    graph = assemble(only=DOCUMENTS, overlays=(overlay,))
    results = [
        result
        for result in validate(graph.store, graph.places).results
        if result.severity == expand(f"sh:{slip.severity}") and result.rule != "R44"
        and any("lab-runs" in str(place) for place in result.places)
    ]  # fmt: skip
    shapes = {result.shape for result in results}
    assert shapes == {expand(f"rash:{name}") for name in slip.rules}
    for result in results:
        assert f"our-runs/{REPORTS}#/reports/0" in map(str, result.places)


def test_the_example_breaks_nothing() -> None:
    graph = assemble(only=DOCUMENTS, overlays=(OVERLAY,))
    report = validate(graph.store, graph.places)
    assert report.conforms, report.text
    runs = graph.store.quads_for_pattern(None, expand("rdf:type"), RA.TestRun, None)
    assert sum(1 for _ in runs) > 3


def test_names_that_are_not_registered_are_said_all_at_once(overlay: Path) -> None:
    values: dict[str, Any] = {
        "product": "h1000",
        "software": [{"component": "vlm", "version": "1"}],
        "precisions": [{"precision": "fp", "role": "weights"}],
        "features": ["servin"],
    }
    _edit(overlay, 1, **values)
    with pytest.raises(SourceError) as caught:
        assemble(only=DOCUMENTS, overlays=(overlay,))
    said = "\n".join(map(str, caught.value.problems))
    for place, near in (
        ("product", "'h100'"),
        ("software/0/component", "'vllm'"),
        ("precisions/0/precision", "'fp8'"),
        ("features/0", "'serving'"),
    ):
        assert re.search(rf"#/reports/1/{place}: .*did you mean.*{near}", said), said


def test_another_release_of_a_document_keeps_the_statement_s_key(overlay: Path) -> None:
    path = overlay / REPORTS
    text = path.read_text(encoding="utf-8").replace('"version": "2026.11.20"', '"version": "2"', 1)
    path.write_text(text, encoding="utf-8")
    store = assemble(only=DOCUMENTS, overlays=(overlay,)).store
    subject: NamedNode = mint_iri("path", "lab-runs", "2", "demo-7b-on-h100")
    keys = {quad.object.value for quad in store.quads_for_pattern(subject, RA.statementKey, None)}  # type: ignore[union-attr]
    assert keys == {"lab-runs/demo-7b-on-h100"}


# The commands


@pytest.fixture(scope="module")
def current(built: Built) -> str:
    """The folder of a snapshot of the two documents."""
    return str(built.snapshot)


def _run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "kg.cli", "report", *arguments],
        capture_output=True, text=True, check=False, cwd=cwd,
        env={**os.environ, "COLUMNS": "80", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert "Traceback" not in done.stderr + done.stdout
    return done


def test_new_takes_names_in_any_form_and_writes_ids(current: str, tmp_path: Path) -> None:
    (tmp_path / "run.log").write_bytes(b"log")
    done = _run(
        "new", "--checkpoint", "openai/gpt-oss-120b", "--product", "NVIDIA H100", "--count", "2",
        "--stack", "vLLM==0.11.0", "--precision", "MXFP4:weights", "--feature", "serving",
        "--log", "run.log", "--snapshot", current, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    (report,) = json.loads(done.stdout)["reports"]
    assert report["id"] == "gpt-oss-120b-on-h100"
    assert (report["product"], report["hardware"]) == ("h100", "2 x NVIDIA H100")
    assert report["software"] == [{"component": "vllm", "version": "0.11.0"}]
    assert report["precisions"] == [{"precision": "mxfp4", "role": "weights"}]
    assert report["features"] == ["serving"]
    assert report["log"]["sha256"] == hashlib.sha256(b"log").hexdigest()
    assert report["ran_at"] == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--product", "h10"), "Did you mean h100"),
        (("--stack", "vlm==1"), "Did you mean vllm"),
        (("--stack", "vllm"), "NAME==VERSION"),
        (("--stack", "vllm=1"), "NAME==VERSION"),
        (("--precision", "fp8:weight"), 'did you mean "weights"?'),
        (("--precision", "fp8:"), "--precision: still to be given: what is in that precision"),
        (("--id", "../../../evil"), '--id: "../../../evil" is not the report'),
        (("--publisher", "A\x1bB"), '--publisher: "A\\u001bB" holds the control'),
        (("--publisher", "A\nB"), '--publisher: "A\\nB" is not who ran the tests'),
        (("--publisher", " Lab"), "has blanks around it"),
        (("--publisher", ""), "--publisher: still to be given"),
        (("--publisher", "vllm Project"), 'is written "vLLM project" in the registry'),
        (("--outcome", "banana"), '--outcome: "banana" is not the outcome: pass, limited or fail'),
        (("--ran-at", "yesterday"), '--ran-at: "yesterday" is not the day of the run'),
        (("--ran-at", "2026-W48-1"), '--ran-at: "2026-W48-1" is not the day of the run'),
        (("--revision", "main"), '--revision: "main" is a branch, which moves'),
        (("--unit", "foo"), '--unit: "foo" is not what devices counts'),
        (("--count", "12345678901234567890"), "--count: 12345678901234567890 is not the number"),
        (("--stack", "vllm==1", "--stack", "vLLM==2"), '--stack: "vllm" stands at'),
        (("--stack", "vllm==0.11.X"), '--stack: "0.11.X" is a range of releases'),
        (("--command", "\u200b"), '--command: "\\u200b" holds the control or format'),
        (("--command", "."), '--command: "." says nothing'),
        (("--checkpoint", "OpenAI/GPT-oss-120b"), 'only in case from "openai/gpt-oss-120b"'),
        (("--log", "/dev/null"), "/dev/null: cannot be read: not a regular file"),
        (("--publisher-id", "x"), "--publisher-id is for --overlay"),
        (("--overlay", "Our Runs", "--publisher", "L"), "has a name such as 'our-runs'"),
        (("--overlay", "derived", "--publisher", "L"), "has a name such as 'our-runs'"),
        (("--overlay", "a/ours", "--publisher", "L"), "there is no folder a"),
        (
            ("--overlay", "ours", "--publisher", "実験室"),
            "give one such as our-lab with --publisher-id",
        ),
        (("--overlay", "ours", "--publisher", "vLLM project!"), "the id 'vllm-project' is that of"),
        (("--overlay", "o", "--publisher", "L", "--publisher-id", "L"), '"L" is no id'),
        (("--overlay", "o", "--publisher", "vLLM project", "--publisher-id", "v"), "already"),
        (("--out", "."), ". is a folder: name a file"),
        (("--out", ""), ". is a folder: name a file"),
        (("--out", "/"), "/ is a folder: name a file"),
        (("--precision", "f8"), "no precision 'f8'"),
        (("--feature", "servin"), "Did you mean serving"),
        (("--checkpoint", "Qwen3"), '"Qwen3" is not the repository id'),
        (("--log", "no.log"), "no.log: cannot be read"),
        (("--overlay", "ours"), "give --publisher"),
        (("--overlay", "ours", "--out", "x.json"), "not both"),
        (("--out", "none/x.json"), "cannot be written"),
        (("--count", "0"), "count"),
    ],
)
def test_new_refuses_what_is_not_usable(
    arguments: tuple[str, ...], said: str, current: str, tmp_path: Path
) -> None:
    done = _run("new", *arguments, "--snapshot", current, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_new_says_all_that_is_wrong_at_once(current: str, tmp_path: Path) -> None:
    wrong = {
        "--out": "none/x.json", "--id": "A B", "--revision": "HEAD", "--product": "h10",
        "--count": "0", "--stack": "vlm==1", "--feature": "servin", "--outcome": "ok",
        "--ran-at": "20261128", "--log": "no.log", "--unit": "rack", "--precision": "f8",
    }  # fmt: skip
    options = [text for pair in wrong.items() for text in pair]
    done = _run("new", *options, "--snapshot", current, cwd=tmp_path)
    assert done.returncode == 2
    said = re.findall(r"^runatlas: (--[a-z-]+): ", done.stderr, re.M)
    assert sorted(said) == sorted(wrong)
    assert list(tmp_path.iterdir()) == []


def test_new_never_waits_for_a_pipe(current: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for option in ("--log", "--out"):
        done = _run("new", option, "pipe", "--snapshot", current, cwd=tmp_path)
        assert done.returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_publisher_of_any_script_has_an_id_that_is_given(current: str, tmp_path: Path) -> None:
    options = ("--overlay", "ours", "--publisher", "実験室", "--publisher-id", "jikken")
    done = _run("new", *options, "--snapshot", current, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    with (tmp_path / "ours" / "curated" / "organisations.csv").open(encoding="utf-8") as table:
        assert [(row["id"], row["label"]) for row in csv.DictReader(table)] == [
            ("jikken", "実験室")
        ]
    assert (tmp_path / "ours" / "sources" / "jikken-runs" / "reports.json").is_file()


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


WRITTEN: Final = {
    "curated/organisations.csv",
    "sources/our-lab-runs/reports.json",
    "sources/our-lab-runs/source.toml",
}


def _stop_after(call: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let so many steps at files be taken; at the next, the process is gone."""
    steps = iter(range(call))

    def stop(function: Any) -> Any:
        def stopping(*arguments: Any, **options: Any) -> Any:
            if next(steps, None) is None:
                os._exit(9)
            return function(*arguments, **options)

        return stopping

    for owner, name in ((Path, "mkdir"), (Path, "write_text"), (Path, "rename"), (os, "link")):
        monkeypatch.setattr(owner, name, stop(getattr(owner, name)))


@pytest.mark.parametrize("there", [(), ("sources",), ("curated",), ("sources", "curated")])
@pytest.mark.parametrize("call", range(7))
def test_new_that_is_killed_leaves_an_overlay_that_can_be_read_and_finished(
    call: int, there: tuple[str, ...], current: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it does to the files, ``call`` of these steps are done, and no other."""
    overlay = tmp_path / "ours"
    for name in there:
        (overlay / name).mkdir(parents=True)
    backend = StoreBackend(open_snapshot(Path(current)))
    known = Known(publisher="Our Lab", overlay=overlay)
    child = os.fork()
    if not child:
        _stop_after(call, monkeypatch)
        begin_report(backend, known).write()
        os._exit(0)
    os.waitpid(child, 0)
    if overlay.exists():
        names = {path for path in _files(overlay) if "/." not in path}
        assert names in (set(), {"curated/organisations.csv"}, WRITTEN)
        if names == WRITTEN:
            return
    begin_report(backend, known).write()
    assert {path for path in _files(overlay) if "/." not in path} == WRITTEN


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("call", range(3))
def test_new_that_fails_takes_away_what_it_began(
    call: int, there: bool, current: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overlay = tmp_path / "ours"
    if there:
        (overlay / "sources").mkdir(parents=True)
    backend = StoreBackend(open_snapshot(Path(current)))
    begun = begin_report(backend, Known(publisher="Our Lab", overlay=overlay))
    steps, write = iter(range(call)), Path.write_text

    def failing(path: Path, *arguments: Any, **options: Any) -> int:
        if next(steps, None) is None:
            raise OSError(28, "No space left on device")
        return write(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", failing)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        begun.write()
    assert _files(tmp_path) == set()


@pytest.mark.parametrize("name", ["sources", "curated"])
def test_new_writes_nothing_where_a_folder_is_none(name: str, current: str, tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / name).symlink_to("nowhere")
    options = ("--overlay", "ours", "--publisher", "Our Lab", "--snapshot", current)
    done = _run("new", *options, cwd=tmp_path)
    assert (done.returncode, f"ours/{name} is no folder" in done.stderr) == (2, True)
    assert _files(tmp_path) == set()


def test_a_checkpoint_that_differs_in_case_is_refused(overlay: Path) -> None:
    _edit(overlay, 1, checkpoint="openai/GPT-OSS-120b")
    done = _run("check", f"our-runs/{REPORTS}", cwd=overlay.parent)
    assert done.returncode == 2
    assert f"our-runs/{REPORTS}#/reports/1: checkpoint " in done.stderr
    assert 'differs only in case from "openai/gpt-oss-120b"' in done.stderr


def test_new_says_that_a_checkpoint_is_new(current: str, tmp_path: Path) -> None:
    options = ("--checkpoint", "openai/gpt-oss-12b", "--snapshot", current)
    done = _run("new", *options, cwd=tmp_path)
    assert done.returncode == 0
    assert "No source here names openai/gpt-oss-12b yet" in done.stderr
    assert "Did you mean openai/gpt-oss-120b" in done.stderr


def test_new_overwrites_nothing(current: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text("mine", encoding="utf-8")
    done = _run("new", "--out", "report.json", "--snapshot", current, cwd=tmp_path)
    assert done.returncode == 2
    assert "report.json is there already" in done.stderr
    options = ("--overlay", "ours", "--publisher", "A & B Lab", "--snapshot", current)
    assert _run("new", *options, cwd=tmp_path).returncode == 0
    again = _run("new", *options, cwd=tmp_path)
    assert again.returncode == 2
    assert "a-b-lab-runs is there already" in again.stderr
    assert file.read_text(encoding="utf-8") == "mine"
    with (tmp_path / "ours" / "curated" / "organisations.csv").open(encoding="utf-8") as table:
        assert [row["label"] for row in csv.DictReader(table)] == ["A & B Lab"]


def test_a_registered_publisher_gets_no_row(current: str, tmp_path: Path) -> None:
    options = ("--overlay", "ours", "--publisher", "vLLM project", "--snapshot", current)
    assert _run("new", *options, cwd=tmp_path).returncode == 0
    assert not (tmp_path / "ours" / "curated").exists()


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_new(tmp_path / "none" / "report.json", "{}")
    (tmp_path / "report.json").touch()
    with pytest.raises(UsageError, match="is there already"):
        write_new(tmp_path / "report.json", "{}")
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Our Lab", "our-lab"), ("A & B (Ltd.)", "a-b-ltd"), ("実験室", ""), ("-x-", "x")],
)
def test_slug(text: str, expected: str) -> None:
    assert slug(text) == expected


def test_check_reads_a_report_with_the_overlay_it_lies_in(overlay: Path) -> None:
    done = _run("check", f"our-runs/{REPORTS}", cwd=overlay.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == [
        f"demo-7b-on-x1: {MODEL} on example-x1: pass, which states support, independently tested",
        f"demo-7b-on-h100: {MODEL} on h100: pass, which states support, independently tested",
        f"demo-70b-on-h100: {LARGE} on h100: fail, which states that it fails",
    ]
    inside = _run("check", "reports.json", cwd=(overlay / REPORTS).parent)
    assert inside.stdout == done.stdout


def test_check_names_the_rule_and_the_place(overlay: Path) -> None:
    _edit(overlay, 1, correctness=None)
    done = _run("check", f"our-runs/{REPORTS}", cwd=overlay.parent)
    assert done.returncode == 1
    assert "Violation of R15: " in done.stdout
    assert f"our-runs/{REPORTS}#/reports/1: " in done.stdout
    assert "which states" not in done.stdout


def test_check_of_a_report_alone_knows_the_project_s_names(overlay: Path) -> None:
    document = json.loads((overlay / REPORTS).read_text(encoding="utf-8"))
    document["reports"] = document["reports"][1:2]
    alone = overlay.parent / "alone.json"
    alone.write_text(json.dumps(document), encoding="utf-8")
    done = _run("check", "alone.json", cwd=overlay.parent)
    assert done.returncode == 2
    assert "alone.json#/publisher: publisher 'Example Lab' is not in" in done.stderr
    document["publisher"] = "vLLM project"
    alone.write_text(json.dumps(document), encoding="utf-8")
    done = _run("check", "alone.json", cwd=overlay.parent)
    assert (done.returncode, done.stderr) == (0, "")


def test_schema_is_printed_as_it_is_published(tmp_path: Path) -> None:
    assert json.loads(_run("schema", cwd=tmp_path).stdout) == json.loads(schema_text())


def test_every_option_of_report_is_documented(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    listed = _run("--help", cwd=tmp_path).stdout.partition("Commands:")[2]
    commands = re.findall(r"^  (\w+) ", listed, re.M)
    assert commands == ["new", "check", "schema"]
    for command in commands:
        assert f"### report {command}\n" in text
        section = re.split(r"\n##", text.partition(f"### report {command}\n")[2])[0]
        shown = _run(command, "--help", cwd=tmp_path).stdout
        for option in re.findall(r"^  (--[a-z-]+)", shown, re.M):
            assert option == "--help" or f"`{option}`" in section, option


# The page


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The page as the walk writes it again, from all of the project's data; and what it leaves."""
    built = build(out=tmp_path_factory.mktemp("all"))
    assert built.snapshot, built.report.text
    folder = tmp_path_factory.mktemp("walk")
    return walked(PAGE.read_text(encoding="utf-8"), built.snapshot, folder), folder


def test_the_page_s_walk_is_what_happens(walk: tuple[str, Path]) -> None:
    assert PAGE.read_text(encoding="utf-8") == walk[0], "run python -m docs.walk"


def test_the_walk_ends_in_an_independently_tested_answer_and_a_failure(
    walk: tuple[str, Path],
) -> None:
    assert "h100  supported  independently tested  vLLM 0.11.0" in walk[0]
    assert "h100  failing  failing  vLLM 0.11.0" in walk[0]


def test_the_page_names_every_key() -> None:
    text = PAGE.read_text(encoding="utf-8")
    schema = json.loads(schema_text())
    parts = [schema, *schema["$defs"].values()]
    keys = {key for part in parts for key in part.get("properties", {})}
    assert len(keys) > 25
    assert [key for key in keys if f"`{key}`" not in text] == []


def test_each_refusal_that_is_told_of_is_a_shape_s() -> None:
    text = PAGE.read_text(encoding="utf-8")
    told = re.findall(r"^\| `(R\d+): ([^…`]+)`", text, re.MULTILINE)
    assert len(told) >= 5
    shapes = "".join(path.read_text("utf-8") for path in ROOT.glob("shapes/*/*.ttl"))
    assert [message for _, message in told if message not in shapes] == []


# What a report can meet, and what the page says of it

_PUBLISHED: Final = {"url": "https://example.org/latest/legacy/run", "published_at": None}
_MET: Final[dict[str, dict[str, Any]]] = {
    "R02": {"hardware": "Two MI300X in one server."},
    "R06": {"finding": "It gave 1200 tokens/s."},
    "R15": {"correctness": None},
    "R50": {"features": ["speculative-decoding"]},
    "R73": {"published": _PUBLISHED},
    "R80": {"published": _PUBLISHED},
}


def _results(overlay: Path) -> set[tuple[str, str, str]]:
    graph = assemble(only=(), overlays=(overlay,))
    results = validate(graph.store, graph.places).results
    return {(result.rule, result.message, str(result.focus)) for result in results}


@pytest.mark.parametrize("rule", sorted(_MET))
def test_each_refusal_is_explained(rule: str, overlay: Path) -> None:
    known = _results(overlay)
    _edit(overlay, 1, **_MET[rule])
    met = {message for named, message, _ in _results(overlay) - known if named == rule}
    page = (ROOT / "docs" / "contributing-data.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^\| `{rule}: ([^`]+)`", page, re.M)
    assert met
    assert all(any(message.startswith(row) for row in rows) for message in met)


def test_the_log_of_a_run_is_no_copy_of_another_document(overlay: Path) -> None:
    _edit(overlay, 1, published=None)
    assert "R52" not in {rule for rule, *_ in _results(overlay)}


def test_a_new_source_asks_for_its_licence(overlay: Path) -> None:
    description = overlay / "sources/lab-runs/source.toml"
    text = description.read_text(encoding="utf-8")
    description.write_text(re.sub("licence = .*", 'licence = ""', text), encoding="utf-8")
    _edit(overlay, 1, command="")
    done = _run("check", f"our-runs/{REPORTS}", cwd=overlay.parent)
    assert done.returncode == 2
    first, second, count = done.stderr.splitlines()
    assert re.search(r"source\.toml:\d+: still to be given: the licence", first)
    assert f"{REPORTS}#/reports/1/command: still to be given: " in second
    assert count == "runatlas: 2 problems found."
