"""The command line as its users meet it: real processes, output, exit codes, no traceback."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from kg.build import Built

ROOT = Path(__file__).parents[1]
SELECT = "SELECT ?id WHERE { ?c <https://w3id.org/runatlas/def#repositoryId> ?id } ORDER BY ?id"
SLOW = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"


@pytest.fixture(scope="module")
def current(built: Built) -> str:
    """The folder of a snapshot of the two documents."""
    assert built.snapshot
    return str(built.snapshot)


def _run(*arguments: str, stdin: str = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kg.cli", *arguments]
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, check=False, cwd=cwd,
        env={**os.environ, "COLUMNS": "80", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert "Traceback" not in done.stderr + done.stdout
    return done


def test_check_prints_one_line_for_each_target_within_80_columns(current: str) -> None:
    done = _run(
        "check", "meta-llama/Llama-3.1-405B-Instruct",
        "--on", "aws-trainium,cloud-ai-100,tpu7x,mi355x,h100", "--snapshot", current,
        "--as-of", "2026-11-30",
    )  # fmt: skip
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines[2:7]] == [
        ["aws-trainium", "supported"],
        ["cloud-ai-100", "may-work"],
        ["tpu7x", "excluded"],
        ["mi355x", "other-variant"],
        ["h100", "no-evidence"],
    ]
    assert max(map(len, lines[2:7])) <= 80
    assert "tensor parallel 64" in done.stdout
    assert "curated/family_alignment.csv:2" in done.stdout


def test_explain_goes_on_from_check_in_three_formats(current: str) -> None:
    done = _run(
        "check", "my-org/tune", "--architecture", "LlamaForCausalLM", "--on", "cloud-ai-100",
        "--snapshot", current,
    )  # fmt: skip
    command = _explain_command(done.stdout)
    shown = {}
    for format_ in ("text", "json", "mermaid"):
        done = _run(*command[1:], "--format", format_)
        assert done.returncode == 0
        shown[format_] = done.stdout
    assert "[supplied] class: LlamaForCausalLM, supplied by the asker" in shown["text"]
    written = json.loads(shown["json"])
    assert written["verdict"] == "may-work"
    assert shown["mermaid"].startswith("%% snapshot ")
    iri = written["tree"]["children"][1]["iri"]
    for given in (iri, iri.partition("/id/")[2]):
        done = _run("explain", given, "--snapshot", current)
        assert done.stdout.startswith("LlamaForCausalLM may run on cloud-ai-100")
        assert "\n[derived] LlamaForCausalLM may run on cloud-ai-100" in done.stdout


def _explain_command(text: str) -> list[str]:
    """Return the command that check prints, as a shell reads it."""
    printed = text.partition("\n  explain ")[2].partition("\n\n")[0]
    command = shlex.split(printed.replace("\\\n", " "))
    assert command[:2] == ["runatlas", "explain"]
    return command


SCOUT: Final = "meta-llama/Llama-4-Scout-17B-16E-Instruct"


@pytest.mark.parametrize(
    ("model", "target", "options", "verdict"),
    [
        (SCOUT, "h100", [], "wider-scope"),
        (SCOUT, "h100", ["--precision", "nvfp4"], "excluded"),
        (SCOUT, "h100", ["--stack", "vLLM"], "no-evidence"),
        (SCOUT, "hopper", ["--stack", "TensorRT-LLM==1.2.0", "--precision", "fp8"], "supported"),
        (SCOUT, "hopper", ["--feature", "CUDA Graphs", "--as-of", "2026-11-20"], "not-itemised"),
        ("openai/gpt-oss-120b", "h200", ["--count", "8"], "named-not-mapped"),
        ("meta-llama/Llama-3.1-405B-Instruct", "mi355x", [], "other-variant"),
        ("meta-llama/Llama-3.1-405B-Instruct", "aws-trainium", ["--strict"], "supported"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_check_prints_the_command_that_explains_its_answer(
    model: str, target: str, options: list[str], verdict: str, current: str
) -> None:
    given = [*options, "--snapshot", current]
    done = _run("check", model, "--on", target, *given)
    assert f"{target}: {verdict}\n" in done.stdout
    if verdict == "no-evidence":
        assert "\n  explain " not in done.stdout
        command = ["runatlas", "explain", model, target, *given]
    else:
        command = _explain_command(done.stdout)
        assert sorted(command[2:]) == sorted([model, target, *given])
        long = [line for line in done.stdout.splitlines() if len(line) > 80]
        assert [line for line in long if "://" not in line and current not in line] == []
    explained = json.loads(_run(*command[1:], "--format", "json").stdout)
    assert explained["verdict"] == verdict


def test_check_prints_the_configuration_that_it_read(current: str, tmp_path: Path) -> None:
    config = tmp_path / "my config.json"
    config.write_text('{"architectures": ["LlamaForCausalLM"]}', encoding="utf-8")
    given = ["--config", str(config), "--snapshot", current]
    done = _run("check", "my-org/tune", "--on", "cloud-ai-100", *given)
    command = _explain_command(done.stdout)
    assert command == ["runatlas", "explain", "my-org/tune", "cloud-ai-100", *given]
    assert json.loads(_run(*command[1:], "--format", "json").stdout)["verdict"] == "may-work"


def test_explain_without_anything_to_explain_is_answered(current: str) -> None:
    done = _run("explain", "openai/gpt-oss-120b", "tpu7x", "--snapshot", current)
    assert done.returncode == 0
    assert done.stdout.startswith("openai/gpt-oss-120b on tpu7x: no-evidence\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["inference/x"], "There is no statement or inference 'inference/x' here."),
        (["openai/gpt-oss-120b"], "openai/gpt-oss-120b is a model: give a target, too."),
        (["openai/gpt-oss"], "or a model and a target"),
        (["inference/x", "--precision", "fp8"], "need a model and a target"),
        (["a/b", "h100", "--precision", "fp9"], "Did you mean"),
        (["inference/x", "--strict"], "need a model and a target"),
        (["a/b", "h10"], "Did you mean h100"),
        (["gemma-2b", "h100"], "google/gemma-2b"),
        (["a/b", "h100", "--architecture", "A", "--config", "c"], "not both"),
        (["a/b", "h100", "--as-of", "soon"], "is not a day"),
    ],
)
def test_explain_refuses_in_one_line(arguments: list[str], says: str, current: str) -> None:
    done = _run("explain", *arguments, "--snapshot", current)
    assert done.returncode == 2
    assert done.stdout == ""
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_ask_lists_questions_and_answers_in_three_formats(current: str) -> None:
    listing = _run("ask", "--list").stdout
    assert "families_of_architecture" in listing
    asked = ("ask", "families_of_architecture", "architecture=GemmaForCausalLM")
    rows = json.loads(_run(*asked, "--format", "json", "--snapshot", current).stdout)
    assert len(rows) == 2
    table = _run(*asked, "--snapshot", current).stdout
    assert "CodeGemma" in table and "2 rows" in table
    assert len(_run(*asked, "--format", "csv", "--snapshot", current).stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("format_", "start"),
    [
        (None, "id\nBAAI/bge-base"),
        ("json", '{"head"'),
        ("xml", "<?xml"),
        ("csv", "id\r\nBAAI"),
        ("tsv", '?id\n"BAAI'),
    ],
)
def test_query_formats(format_: str | None, start: str, current: str) -> None:
    options = ("--format", format_) if format_ else ()
    done = subprocess.run(
        [sys.executable, "-m", "kg.cli", "query", "-", "--snapshot", current, *options],
        input=SELECT.encode(), capture_output=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert done.stdout.decode().startswith(start)


def test_query_of_a_graph_is_turtle(current: str) -> None:
    query = "CONSTRUCT { ?a a ?b } WHERE { ?a a ?b } LIMIT 1"
    assert _run("query", "-", "--snapshot", current, stdin=query).stdout.startswith("<")
    wrong = _run("query", "-", "--snapshot", current, "--format", "csv", stdin=query)
    assert wrong.returncode == 2
    assert "turtle" in wrong.stderr


def test_a_query_without_end_is_given_up(current: str) -> None:
    done = _run("query", "-", "--snapshot", current, "--timeout", "0.5", stdin=SLOW)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "given up after 0.5 s" in done.stderr


def test_a_query_that_breaks_the_engine_ends_in_a_message(current: str) -> None:
    nested = "SELECT * { FILTER" + "(" * 100_000 + "1" + ")" * 100_000 + " }"
    done = _run("query", "-", "--snapshot", current, stdin=nested)
    assert done.returncode in {1, 2}
    assert done.stdout == ""
    assert done.stderr.startswith("runatlas: ")


def test_no_query_of_the_command_line_leaves_the_machine(current: str) -> None:
    query = "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"
    done = _run("query", "-", "--snapshot", current, stdin=query)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no query leaves this machine" in done.stderr


def test_a_query_ends_with_its_command(current: str) -> None:
    """A child that outlived its parent would hold a processor without a time limit."""
    command = [sys.executable, "-m", "kg.cli", "query", "-", "--snapshot", current]
    with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdin
        process.stdin.write(SLOW)
        process.stdin.close()
        children: list[str] = []
        deadline = time.monotonic() + 30
        while not children and time.monotonic() < deadline:
            time.sleep(0.05)
            listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            children = listed.read_text(encoding="utf-8").split()
        process.terminate()
    assert len(children) == 1
    child = Path(f"/proc/{children[0]}")
    while child.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not child.exists() or "(zombie)" in (child / "status").read_text(encoding="utf-8")


ESCAPE = "\x1b]0;owned\x07"


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", f"a/b{ESCAPE}"),
        ("check", "a/b", "--on", f"h100{ESCAPE}"),
        ("check", "deepseek-ai/DeepSeek-R1-0528", "--on", "hopper", "--stack", f"vllm=={ESCAPE}"),
        ("ask", f"x{ESCAPE}"),
        ("query", f"no-such-file{ESCAPE}"),
        ("build", "--source", f"model-support=no{ESCAPE}.json"),
    ],
)
def test_nothing_steers_the_terminal(arguments: tuple[str, ...], current: str) -> None:
    snapshot = () if arguments[0] == "build" else ("--snapshot", current)
    done = _run(*arguments, *snapshot)
    assert "\x1b" not in done.stdout + done.stderr
    assert "\x07" not in done.stdout + done.stderr


def test_a_cell_of_a_table_does_not_steer_the_terminal(current: str) -> None:
    query = 'SELECT ("\\u001b[31mred\\u0007" AS ?x) {}'
    assert _run("query", "-", "--snapshot", current, stdin=query).stdout == "x\n\\x1b[31mred\\x07\n"


@pytest.mark.parametrize("command", ["check a/b", "query - < query.rq", "ask hardware"])
def test_output_that_cannot_be_written_is_no_traceback(
    command: str, current: str, tmp_path: Path
) -> None:
    (tmp_path / "query.rq").write_text(SELECT, encoding="utf-8")
    line = f"{sys.executable} -m kg.cli {command} --snapshot {current} > /dev/full"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr


@pytest.mark.parametrize("file", ["/dev/zero", "."])
def test_a_query_file_is_read_within_bounds(file: str, current: str) -> None:
    done = _run("query", file, "--snapshot", current)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"runatlas: {file}: ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("check", "a/b", "--on", "mi355"), "Did you mean mi355x"),
        (("check", "a/b", "--on", ","), "not a list of names"),
        (("check", "a/b", "--as-of", "yesterday"), "not a day"),
        (("check", "a/b", "--architecture", "A", "--config", "b"), "not both"),
        (("check", "a/b", "--snapshot", "nowhere"), "not a snapshot"),
        (("check", "a/b", "--format", "xml"), "xml"),
        (("ask", "no_such_question"), "There is no question"),
        (("ask", "families_of_architecture", "x=y"), "takes"),
        (("ask", "families_of_architecture", "x"), "NAME=VALUE"),
        (("query", "no-such-file"), "no-such-file"),
        (("build", "--data", "no-such-folder"), "no-such-folder"),
        (("build", "--only", "no-such-source"), "There is no source"),
        (("build", "--source", "model-support"), "NAME=PATH"),
        (("build", "--source", "model-support=no-such-file"), "no-such-file"),
        (("build", "--overlay", "no-such-folder"), "no-such-folder"),
        (("export", "--format", "nquads", "--out", "no-such-folder/x/y"), "no-such-folder"),
        (("no-such-command",), "no-such-command"),
    ],
)
def test_unusable_input_is_exit_2_and_a_clear_line(
    arguments: tuple[str, ...], says: str, current: str, tmp_path: Path
) -> None:
    readers = {"check", "ask", "query", "export"}
    snapshot = (
        ("--snapshot", current) if arguments[0] in readers and "--snapshot" not in arguments else ()
    )
    done = _run(*arguments, *snapshot, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert says in done.stderr
    assert not (tmp_path / "build" / "current").exists()


def test_a_query_that_does_not_parse_is_exit_2(current: str) -> None:
    done = _run("query", "-", "--snapshot", current, stdin="SELEC ?a {}")
    assert (done.returncode, done.stdout) == (2, "")


def test_build_prints_the_snapshot_and_stats(tmp_path: Path) -> None:
    done = _run("build", "--stats", "--out", str(tmp_path / "out"))
    assert done.returncode == 0
    assert Path(done.stdout.strip()).is_dir()
    assert re.search(r"CPU \d+\.\d+ s", done.stderr)
    assert re.search(r"peak memory \d+ MB", done.stderr)


def test_validate_conforms() -> None:
    assert _run("validate", "--only", "model-support,cloud-ai-100").returncode == 0


def test_violations_are_exit_1_and_leave_the_snapshot(tmp_path: Path) -> None:
    """A path that maps a product which it excludes (rule R05)."""
    out = tmp_path / "out"
    first = _run("build", "--out", str(out)).stdout.strip()
    document = tmp_path / "model-support.json"
    original = ROOT / "data/sources/model-support/model-support.json"
    database = json.loads(original.read_text(encoding="utf-8"))
    path = next(p for p in database["support_paths"] if p["id"].startswith("amd-aim-deepseek"))
    path["product_ids"].append("mi300x")
    document.write_text(json.dumps(database), encoding="utf-8")
    done = _run("build", "--out", str(out), "--source", f"model-support={document}")
    assert (done.returncode, done.stdout) == (1, "")
    assert "R05" in done.stderr
    assert "/support_paths/6" in done.stderr
    assert (out / "current").resolve() == (ROOT / first).resolve()


def test_many_problems_are_counted_and_the_first_shown(tmp_path: Path) -> None:
    document = tmp_path / "model-support.json"
    document.write_text(json.dumps({f"key{n}": 1 for n in range(1000)}), encoding="utf-8")
    done = _run("build", "--out", str(tmp_path / "out"), "--source", f"model-support={document}")
    assert done.returncode == 2
    assert "the first 100 are shown" in done.stderr
    assert len(done.stderr.splitlines()) == 101


def test_a_closed_pipe_is_no_error(current: str) -> None:
    command = f"{sys.executable} -m kg.cli ask --list | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.fixture
def server(current: str) -> Iterator[str]:
    """A server started by the command line, on a free port; its address."""
    command = [sys.executable, "-m", "kg.cli", "serve", "--port", "0", "--snapshot", current]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stderr
        for line in process.stderr:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                yield found[0]
                break
        process.send_signal(signal.SIGINT)
        process.stderr.read()


def test_serve(server: str) -> None:
    with urllib.request.urlopen(f"{server}/healthz") as answer:  # noqa: S310 - our own server
        assert answer.status == 200


def test_every_command_and_option_is_documented() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    commands = re.findall(r"^  (\w+) ", _run("--help").stdout.partition("Commands:")[2], re.M)
    assert len(commands) >= 7
    for command in commands:
        assert f"## {command}" in text
        section = text.partition(f"## {command}")[2].partition("\n## ")[0]
        for option in re.findall(r"^  (--[a-z-]+)", _run(command, "--help").stdout, re.M):
            if option != "--help":
                assert f"`{option}" in section, f"{command} {option}"


@pytest.mark.parametrize("command", ["ask hardware", "check a/b --on h100", "query query.rq"])
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_closed_standard_streams_are_no_traceback(
    command: str, closed: str, current: str, tmp_path: Path
) -> None:
    (tmp_path / "query.rq").write_text(SELECT, encoding="utf-8")
    line = f"{sys.executable} -m kg.cli {command} --snapshot {current} {closed}"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert bool(done.stdout) == (closed != ">&-")
