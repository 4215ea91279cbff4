"""The end of ``runatlas serve``: answers come to their end, or end so that it can be seen."""

import os
import re
import signal
import socket
import threading
from pathlib import Path
from typing import Final

import httpx2
import pytest

from tests.http_server import serving_by_command
from tests.test_switching import numbers, until

ROWS: Final = 3000
SLOW: Final = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f }"  # nine million rows
ENDLESS_ROWS: Final = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "data.nt"
    numbers(file, ROWS, "one")
    return file


def _processes(parent: int) -> list[int]:
    """Return a process and all below it."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
    return [parent, *(found for child in children for found in _processes(int(child)))]


def _is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def _running(client: httpx2.Client) -> bool:
    return "\nrunatlas_queries_running 1.0\n" in client.get("/metrics").text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("to_all", [False, True], ids=["server", "every process"])
def test_a_query_that_runs_is_answered(number: signal.Signals, to_all: bool, file: Path) -> None:
    """A terminal, ``timeout`` and some supervisors tell every process to end, not the server."""
    said: list[str] = []
    found: list[httpx2.Response] = []
    with serving_by_command("--dataset", str(file), said=said) as (client, process):
        everything = _processes(process.pid)
        assert len(everything) == 4

        def ask() -> None:
            with httpx2.Client(base_url=client.base_url, timeout=60) as slow:
                found.append(slow.get("/sparql", params={"query": SLOW}))

        asking = threading.Thread(target=ask)
        asking.start()
        until(lambda: _running(client))
        for told in everything if to_all else everything[:1]:
            os.kill(told, number)
        asking.join()
        assert process.wait(60) == 0
        (answer,) = found
        assert answer.json()["results"]["bindings"][0]["n"]["value"] == str(ROWS**2)
        with pytest.raises(httpx2.TransportError):
            client.get("/healthz")
        until(lambda: not any(map(_is_running, everything)))
    assert "Traceback" not in "".join(said)


@pytest.mark.parametrize("signals", [1, 2])
def test_an_answer_without_end_is_broken(signals: int, file: Path) -> None:
    """After its time, or by a second signal at once; no client can take the part for the whole."""
    said: list[str] = []
    timeout = "1" if signals == 1 else "3600"
    options = ("--dataset", str(file), "--timeout", timeout)
    with serving_by_command(*options, said=said) as (client, process):
        everything = _processes(process.pid)
        with (
            pytest.raises(httpx2.TransportError),
            client.stream("GET", "/sparql", params={"query": ENDLESS_ROWS}) as response,
        ):
            assert response.status_code == 200
            for at, _ in enumerate(response.iter_bytes()):
                if at == 0 or (at == 100 and signals == 2):
                    process.send_signal(signal.SIGTERM)
        assert process.wait(60) == (0 if signals == 1 else -signal.SIGTERM)
        until(lambda: not any(map(_is_running, everything)))
    assert "Traceback" not in "".join(said)


def test_a_signal_to_read_again_ends_no_worker(file: Path) -> None:
    with serving_by_command("--dataset", str(file)) as (client, process):
        everything = _processes(process.pid)
        for told in reversed(everything):
            os.kill(told, signal.SIGHUP)
        for _ in range(3):
            assert client.get("/sparql", params={"query": SLOW}).status_code == 200
        assert _processes(process.pid) == everything


def test_an_idle_server_ends(file: Path) -> None:
    said: list[str] = []
    with (
        serving_by_command("--dataset", str(file), said=said) as (client, process),
        socket.create_connection((client.base_url.host, client.base_url.port)) as idle,
    ):
        assert client.get("/healthz").status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert idle.recv(1) == b""
    assert not re.search("Traceback|ERROR", "".join(said))
