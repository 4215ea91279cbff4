"""The hostile corpus over HTTP: the process, the other clients and the memory survive it."""

import csv
import io
import itertools
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx2
import pytest

from tests.hostile import BODIES, FORMULAS, LOOKUPS, QUERIES, lookup, value_of, write_graph
from tests.http_server import serving_by_command
from tests.processes import memory_of, tree_of

LIMIT_S: Final = 2.0
SHORT_S: Final = 0.5
MIXED: Final = 2_000
EVERY: Final = 20  # one of so many is hostile
CLIENTS: Final = 8
QUERY_MIB: Final = 256
SPARE_MIB: Final = 40  # what caches and the allocators of the server may keep


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("hostile") / "graph.nt"
    write_graph(file)
    return file


@contextmanager
def _serving(
    graph: Path, workers: int, timeout: float = LIMIT_S
) -> Iterator[tuple[httpx2.Client, "subprocess.Popen[str]"]]:
    limits = ["--timeout", str(timeout), "--memory", str(QUERY_MIB)]
    arguments = ["--dataset", str(graph), "--workers", str(workers), *limits]
    with serving_by_command(*arguments) as served:
        yield served


@dataclass
class _Other:
    """Another client, which asks throughout and must always be answered."""

    address: httpx2.URL
    asked: int = 0
    wrong: list[str] = field(default_factory=list)

    def ask(self, over: threading.Event) -> None:
        with httpx2.Client(base_url=self.address, timeout=60) as client:
            while not over.is_set():
                number = self.asked % LOOKUPS
                try:
                    if client.get("/healthz").status_code != 200 or not _is_right(client, number):
                        self.wrong.append(f"{number}")
                except httpx2.HTTPError as error:
                    self.wrong.append(repr(error))
                self.asked += 1


@contextmanager
def _another(address: httpx2.URL) -> Iterator[_Other]:
    other, over = _Other(address), threading.Event()
    asking = threading.Thread(target=other.ask, args=[over])
    asking.start()
    try:
        yield other
    finally:
        over.set()
        asking.join()


def _is_right(client: httpx2.Client, number: int) -> bool:
    answer = client.get("/sparql", params={"query": lookup(number)}, headers={"Accept": "text/csv"})
    return answer.status_code == 200 and answer.text == f"value\r\n{value_of(number)}\r\n"


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_each_ends_alone(graph: Path, workers: int) -> None:
    with _serving(graph, workers) as (client, process), _another(client.base_url) as other:
        server, fork_server, *_ = tree_of(process.pid)
        before = memory_of(process.pid)
        for name, (query, statuses) in QUERIES.items():
            answer = client.post("/sparql", data={"query": query})
            assert answer.status_code in statuses, (
                f"{name}: {answer.status_code} {answer.text[:300]}"
            )
        for name, (body, fields, status) in BODIES.items():
            answer = client.post("/sparql", content=body, headers=fields)
            assert answer.status_code == status, name
            assert answer.headers["content-type"] == "application/problem+json"
        deadline = time.monotonic() + 60
        while memory_of(process.pid) > before + SPARE_MIB * (1 << 20):
            assert time.monotonic() < deadline, f"{before:,} {memory_of(process.pid):,}"
            time.sleep(0.1)
        assert tree_of(process.pid)[:2] == [server, fork_server]
    assert other.asked
    assert not other.wrong


def test_mixed_with_others_nothing_is_lost_or_wrong(graph: Path) -> None:
    """2,000 requests of 8 clients, of which one in 20 is hostile."""
    hostile = itertools.cycle(QUERIES.values())
    requests = [
        (lookup(number % LOOKUPS), value_of(number % LOOKUPS)) if number % EVERY else next(hostile)
        for number in range(MIXED)
    ]
    with _serving(graph, 2, SHORT_S) as (client, process), _another(client.base_url) as other:
        before = tree_of(process.pid)[:2]

        def ask(request: tuple[str, int | frozenset[int]]) -> str | None:
            query, expected = request
            fields = {"Accept": "text/csv, application/n-triples"}
            answer = client.post("/sparql", data={"query": query}, headers=fields)
            if isinstance(expected, int):
                is_right = answer.text == f"value\r\n{expected}\r\n"
            else:
                is_right = answer.status_code in expected
            return None if is_right else f"{query[:100]}: {answer.status_code} {answer.text[:100]}"

        with ThreadPoolExecutor(CLIENTS) as clients:
            assert [fault for fault in clients.map(ask, requests) if fault] == []
        assert tree_of(process.pid)[:2] == before
    assert not other.wrong


def test_cells_that_look_like_formulas_are_written_as_they_are(graph: Path) -> None:
    """CSV of SPARQL is raw; what reads it must not calculate (docs/http.md)."""
    query = "SELECT ?text { <s:formulas> <p:formula> ?text }"
    with _serving(graph, 1) as (client, _):
        answer = client.get("/sparql", params={"query": query}, headers={"Accept": "text/csv"})
    head, *rows = csv.reader(io.StringIO(answer.text))
    assert head == ["text"]
    assert sorted(text for (text,) in rows) == sorted(FORMULAS)
