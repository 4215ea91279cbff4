"""A switch to newer data by ``runatlas serve``: no request is lost, no answer is mixed."""

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from kg.snapshot import Snapshot
from tests.http_server import serving_by_command

COUNT = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"
ROWS = 60_000


def numbers(file: Path, count: int, state: str) -> None:
    """Write so many triples, each with the name of the state, in one step."""
    lines = [f'<s:{number}> <p:state> "{state}" .\n' for number in range(count)]
    new = file.with_suffix(".new")
    new.write_text("".join(lines))
    new.replace(file)


def _count(client: httpx2.Client) -> int:
    response = client.get("/sparql", params={"query": COUNT}).raise_for_status()
    return int(response.json()["results"]["bindings"][0]["n"]["value"])


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _fork_servers(process: int) -> int:
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return len(children.split())


def test_a_signal_has_files_read_again(tmp_path: Path) -> None:
    """The answer that has begun comes to its end from the old state, whose workers then end."""
    file = tmp_path / "data.nt"
    numbers(file, ROWS, "old")
    with serving_by_command("--dataset", str(file)) as (client, process):
        assert _count(client) == ROWS
        # Long rows: no buffer on the way holds the whole answer.
        query = f"SELECT ?o ('{'-' * 200}' AS ?long) {{ ?s ?p ?o }}"
        fields = {"Accept": "text/csv", "Accept-Encoding": "identity"}
        with client.stream("GET", "/sparql", params={"query": query}, headers=fields) as slow:
            parts = slow.iter_bytes()
            begin = next(parts)
            numbers(file, 7, "new")
            process.send_signal(signal.SIGHUP)
            with httpx2.Client(base_url=client.base_url, timeout=60) as other:
                until(lambda: _count(other) == 7)
            assert _fork_servers(process.pid) == 2
            rest = b"".join(parts)
        assert (begin + rest).count(b"old") == ROWS
        assert b"new" not in rest
        until(lambda: _fork_servers(process.pid) == 1)


def test_a_file_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "data.nt"
    numbers(file, 3, "old")
    with serving_by_command("--dataset", str(file)) as (client, process):
        file.write_text("<s:1> <p:2> .\n")
        process.send_signal(signal.SIGHUP)
        until(lambda: "runatlas_snapshot_behind 1.0" in client.get("/metrics").text)
        assert _count(client) == 3
        numbers(file, 4, "new")
        process.send_signal(signal.SIGHUP)
        until(lambda: _count(client) == 4)
        assert "runatlas_snapshot_behind 0.0" in client.get("/metrics").text


def test_a_new_build_is_served_without_a_signal(tmp_path: Path, snapshot: Snapshot) -> None:
    """Also if the link was away for a while, or led nowhere."""
    copy = tmp_path / "build" / "snapshots" / "other"
    copy.mkdir(parents=True)
    for path in snapshot.folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    link = tmp_path / "build" / "current"
    link.symlink_to(snapshot.folder)

    def lead(folder: Path) -> None:
        new = link.with_name("new")
        new.symlink_to(folder)
        new.replace(link)

    with serving_by_command("--snapshot", str(link)) as (client, process):
        before = _fork_server(process.pid)
        for folder in (damaged, tmp_path / "nowhere"):
            lead(folder)
            time.sleep(1.5)
            assert _fork_server(process.pid) == before
        lead(copy)
        until(lambda: _fork_server(process.pid) not in (None, before))
        assert client.get("/healthz").json()["snapshot"] == snapshot.name


def _fork_server(process: int) -> str | None:
    """Return the number of the one fork server; none while there are two."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    return children[0] if len(children) == 1 else None


def test_no_request_is_lost_and_no_answer_is_mixed(tmp_path: Path) -> None:
    """Clients ask without pause while the data changes; the tag and the snapshot fit the answer."""
    file = tmp_path / "data.nt"
    numbers(file, 1, "1")
    ended = threading.Event()
    found: list[tuple[str, str, int]] = []
    failed: list[Exception] = []

    def ask(address: httpx2.URL) -> None:
        with httpx2.Client(base_url=address, timeout=60) as client:
            try:
                while not ended.is_set():
                    response = client.get("/sparql", params={"query": COUNT}).raise_for_status()
                    count = int(response.json()["results"]["bindings"][0]["n"]["value"])
                    fields = response.headers
                    found.append((fields["runatlas-snapshot"], fields["etag"], count))
            except (httpx2.HTTPError, KeyError) as error:
                failed.append(error)

    with serving_by_command("--dataset", str(file)) as (client, process):
        asking = [threading.Thread(target=ask, args=[client.base_url]) for _ in range(4)]
        for thread in asking:
            thread.start()
        try:
            for count in range(2, 8):
                numbers(file, count, str(count))
                process.send_signal(signal.SIGHUP)
                until(lambda count=count: _count(client) == count)  # type: ignore[misc]
        finally:
            ended.set()
            for thread in asking:
                thread.join()
        until(lambda: _fork_servers(process.pid) == 1)
    assert not failed
    assert {count for *_, count in found} == set(range(1, 8))
    assert len({snapshot for snapshot, *_ in found}) == len(set(found)) == 7


@pytest.mark.parametrize("signals", [1, 50])
def test_a_signal_that_changes_nothing_starts_nothing(tmp_path: Path, signals: int) -> None:
    file = tmp_path / "data.nt"
    numbers(file, 3, "same")
    with serving_by_command("--dataset", str(file)) as (client, process):
        before = _fork_server(process.pid)
        for _ in range(signals):
            process.send_signal(signal.SIGHUP)
            assert _count(client) == 3
        time.sleep(0.5)
        assert _fork_server(process.pid) == before
