"""A graph on disk is served as one in memory is, and one that is not whole is never opened."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import httpx2
import pytest

from kg.snapshot import Snapshot
from tests.federation import FEDERATED, federated, listening
from tests.http_server import serving_by_command
from tests.processes import tree_of
from tests.reading import ROOT
from tests.test_workers import ENDLESS, ORDERED

COUNT: Final = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
ALL: Final = "SELECT * { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"
TRIPLES: Final = "".join(f"<s:{number}> <p:number> {number} .\n" for number in range(50_000))


def _rows(client: httpx2.Client, query: str = ALL) -> list[str]:
    answer = client.post("/sparql", data={"query": query}, headers={"Accept": "text/csv"})
    return sorted(answer.raise_for_status().text.splitlines())


def _databases(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "graph.ttl"
    file.write_text(TRIPLES)
    return file


def test_a_snapshot_is_answered_as_from_memory(tmp_path: Path, snapshot: Snapshot) -> None:
    question = {"model": "meta-llama/Llama-3.1-405B-Instruct", "as_of": "2026-11-30"}
    answers = []
    for arguments in ([], ["--on-disk", str(tmp_path)]):
        with serving_by_command("--snapshot", str(snapshot.folder), *arguments) as (client, _):
            checked = client.get("/api/v1/check", params=question).raise_for_status()
            answers.append((_rows(client), checked.json()))
    assert answers[0] == answers[1]


def test_what_is_there_is_opened_and_not_made_again(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "databases"
    found = []
    for _ in range(2):
        with serving_by_command("--dataset", str(file), "--on-disk", str(folder)) as (client, _):
            assert _rows(client, COUNT) == ["50000", "n"]
        (database,) = _databases(folder)
        found.append((database, (folder / database).stat().st_mtime_ns))
    assert found[0] == found[1]


def test_new_data_get_a_database_of_their_own(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "databases"
    with serving_by_command("--dataset", str(file), "--on-disk", str(folder)) as (client, process):
        file.write_text("<s:1> <p:number> 1 .\n")
        process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 60
        while _rows(client, COUNT) != ["1", "n"]:
            assert time.monotonic() < deadline
    assert len(_databases(folder)) == 2


def test_limits_are_those_of_memory(tmp_path: Path, file: Path) -> None:
    limits = ["--timeout", "2", "--memory", "192", "--workers", "1"]
    with serving_by_command(
        "--dataset", str(file), "--on-disk", str(tmp_path / "databases"), *limits
    ) as (client, process):
        before = tree_of(process.pid)[:2]
        for query, status in {ENDLESS: 504, ORDERED: 507, "SELEC": 400, COUNT: 200}.items():
            assert client.post("/sparql", data={"query": query}).status_code == status
        assert tree_of(process.pid)[:2] == before


def test_no_query_leaves_the_machine(tmp_path: Path, file: Path) -> None:
    with (
        listening() as (port, connected),
        serving_by_command("--dataset", str(file), "--on-disk", str(tmp_path / "d")) as (client, _),
    ):
        for form in FEDERATED:
            client.post("/sparql", data={"query": federated(form, port)})
        assert connected == []


def test_a_file_that_cannot_be_read_leaves_no_database(tmp_path: Path, file: Path) -> None:
    file.write_text(f"{TRIPLES}<s:1> <p:2> .\n")
    folder = tmp_path / "databases"
    done = _serve(file, folder).wait(timeout=60)
    assert done == 2
    assert _databases(folder) == set()


@pytest.mark.parametrize("seconds", [0.6, 0.8, 1.0, 1.2, 1.5])
def test_one_that_is_killed_leaves_nothing_half_made(
    tmp_path: Path, file: Path, seconds: float
) -> None:
    folder = tmp_path / "databases"
    killed = _serve(file, folder)
    time.sleep(seconds)
    killed.kill()
    killed.wait()
    with serving_by_command("--dataset", str(file), "--on-disk", str(folder)) as (client, _):
        assert _rows(client, COUNT) == ["50000", "n"]
    assert len(_databases(folder)) == 1


def _serve(file: Path, folder: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "kg.cli", "serve", "--port", "0"]
    command += ["--dataset", str(file), "--on-disk", str(folder)]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=ROOT)
