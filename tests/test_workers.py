"""Workers answer as the store does, and whatever a query does ends that query alone."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

import pytest
from pyoxigraph import QueryResultsFormat, RdfFormat

from kg.backend import StoreBackend
from kg.errors import (
    AnswerCutError,
    NotAcceptableError,
    OverloadedError,
    QueryFailedError,
    QueryMemoryError,
    QueryRefusedError,
    QuerySyntaxError,
    QueryTimeoutError,
    ResultTooLargeError,
    RunatlasError,
    WorkersError,
)
from kg.evaluation import Request
from kg.snapshot import Snapshot
from kg.workers.graph import Graph, Kind
from kg.workers.limits import MIB, Limits
from kg.workers.pool import RENEW_S, Pool
from tests.federation import FEDERATED, federated, listening

Value = TypeVar("Value")

ANY: Final = "ASK { ?s ?p ?o }"
TRUE: Final = b'{"head":{},"boolean":true}'
PRODUCT: Final = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i"
ENDLESS: Final = f"SELECT (COUNT(*) AS ?n) {{ {PRODUCT} }}"
ENDLESS_ROWS: Final = f"SELECT * {{ {PRODUCT} }}"
ORDERED: Final = "SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY ?f ?c LIMIT 1"
LIMITS: Final = Limits(workers=1, timeout=1, memory=192 * MIB)
PATIENT: Final = replace(LIMITS, timeout=3600, progress=3600)

# What strangers send to break an endpoint, and what each may come to.
HOSTILE: Final[dict[str, tuple[str, tuple[type[RunatlasError] | None, ...]]]] = {
    "parentheses": (f"ASK {{ FILTER({'(' * 5000}1{')' * 5000}) }}", (None, QueryFailedError)),
    "braces": (f"ASK {'{' * 5000}{'}' * 5000}", (None, QueryFailedError)),
    "more parentheses": (f"ASK {{ FILTER({'(' * 400_000}1{')' * 400_000}) }}", (QueryFailedError,)),
    "a chain of ||": (
        f"ASK {{ FILTER({'||'.join(f'?x={i}' for i in range(20_000))}) }}",
        (None, QueryFailedError, QueryMemoryError, QueryTimeoutError),
    ),
    "a chain of UNION": (
        f"ASK {{ {' UNION '.join(f'{{ ?a ?b {i} }}' for i in range(20_000))} }}",
        (None, QueryFailedError, QueryMemoryError, QueryTimeoutError),
    ),
    "a long IN": (
        f"SELECT * {{ ?s ?p ?o FILTER(?o IN ({','.join(map(str, range(100_000)))})) }}",
        (None, QueryFailedError, QueryMemoryError, QueryTimeoutError),
    ),
    "doubled texts": (
        "SELECT * { BIND('x' AS ?x0) "
        + " ".join(f"BIND(CONCAT(?x{i}, ?x{i}) AS ?x{i + 1})" for i in range(30))
        + " }",
        (QueryMemoryError, QueryTimeoutError),
    ),
    "a cross join": (ENDLESS, (QueryTimeoutError,)),
    "an ordered cross join": (ORDERED, (QueryMemoryError, QueryTimeoutError)),
    "everything in one text": (
        "SELECT (GROUP_CONCAT(?b) AS ?g) { ?a ?b ?c . ?d ?e ?f }",
        (QueryMemoryError, QueryTimeoutError),
    ),
    "nested closures": ("SELECT * { ?a ((!a*)*)* ?b . ?c ?d ?e }", (None, QueryTimeoutError)),
    "NUL": ("ASK { ?s ?p '\0' }", (None, QuerySyntaxError)),
}


def _graph(snapshot: Snapshot) -> Graph:
    return Graph(snapshot.name, Kind.SNAPSHOT, (snapshot.folder,))


def _request(query: str) -> Request:
    return Request(query=query, results=QueryResultsFormat.JSON, graph=RdfFormat.N_TRIPLES)


async def _answer(pool: Pool, request: Request | str, **options: float) -> bytes:
    asked = _request(request) if isinstance(request, str) else request
    async with pool.answer(asked, **options) as answering:  # type: ignore[arg-type]
        body = b""
        while part := await answering.next_part():
            body += part
        return body


def _with_pool(
    snapshot: Snapshot, work: Callable[[Pool], Awaitable[Value]], limits: Limits = LIMITS
) -> Value:
    async def run() -> Value:
        pool = Pool(_graph(snapshot), limits)
        await pool.start()
        try:
            return await work(pool)
        finally:
            await pool.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("query", "format_"),
    [
        *(
            ("SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o", format_)
            for format_ in (QueryResultsFormat.JSON, QueryResultsFormat.XML)
        ),
        *(
            ("SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o", format_)
            for format_ in (QueryResultsFormat.CSV, QueryResultsFormat.TSV)
        ),
        (ANY, QueryResultsFormat.JSON),
        ("SELECT * { ?s <urn:none> ?o }", QueryResultsFormat.CSV),
    ],
)
def test_a_worker_answers_what_the_store_answers(
    query: str, format_: QueryResultsFormat, backend: StoreBackend, snapshot: Snapshot
) -> None:
    request = Request(query=query, results=format_, graph=None)
    assert _with_pool(snapshot, lambda pool: _answer(pool, request)) == backend.answer(request).body


@pytest.mark.parametrize("format_", [RdfFormat.N_TRIPLES, RdfFormat.RDF_XML])
def test_a_worker_writes_the_graph_that_the_store_writes(
    format_: RdfFormat, backend: StoreBackend, snapshot: Snapshot
) -> None:
    query = "CONSTRUCT { ?s ?p ?o } WHERE { ?s <http://www.w3.org/2004/02/skos/core#notation> ?o }"
    request = Request(query=query, results=None, graph=format_)
    answer = _with_pool(snapshot, lambda pool: _answer(pool, request))
    assert sorted(answer.splitlines()) == sorted(backend.answer(request).body.splitlines())


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (_request("SELEC"), QuerySyntaxError),
        (replace(_request(ANY), results=None), NotAcceptableError),
        (replace(_request("DESCRIBE <urn:x>"), graph=None), NotAcceptableError),
        (_request("CONSTRUCT { ?s ?p ?o } { SERVICE ?s { ?s ?p ?o } }"), QueryFailedError),
    ],
)
def test_an_error_is_the_store_s(
    request_: Request, error: type[RunatlasError], snapshot: Snapshot
) -> None:
    async def work(pool: Pool) -> bytes:
        with pytest.raises(error):
            await _answer(pool, request_)
        return await _answer(pool, ANY)

    assert _with_pool(snapshot, work) == TRUE


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_query_ends_alone(name: str, snapshot: Snapshot) -> None:
    query, expected = HOSTILE[name]

    async def work(pool: Pool) -> bytes:
        try:
            await _answer(pool, query)
        except RunatlasError as error:
            assert type(error) in expected, error
        else:
            assert None in expected
        return await _answer(pool, ANY)

    assert _with_pool(snapshot, work) == TRUE


@pytest.mark.parametrize("form", FEDERATED)
def test_no_query_leaves_the_machine(form: str, snapshot: Snapshot) -> None:
    with listening() as (port, connected):

        async def work(pool: Pool) -> None:
            try:
                await _answer(pool, federated(form, port))
            except (QueryFailedError, QueryRefusedError, QuerySyntaxError):
                return

        _with_pool(snapshot, work)
        assert connected == []


def test_a_client_may_ask_for_less_time_than_the_limit(snapshot: Snapshot) -> None:
    async def work(pool: Pool) -> None:
        with pytest.raises(QueryTimeoutError):
            await _answer(pool, ENDLESS, timeout=0.2)

    _with_pool(snapshot, work, PATIENT)


def test_a_client_cannot_ask_for_more(snapshot: Snapshot) -> None:
    async def work(pool: Pool) -> None:
        with pytest.raises(QueryTimeoutError):
            await _answer(pool, ENDLESS, timeout=3600)

    _with_pool(snapshot, work, LIMITS)


@pytest.mark.parametrize(
    ("query", "error"), [("SELECT * { ?s ?p ?o }", ResultTooLargeError), (ANY, None)]
)
def test_an_answer_too_long_is_an_error(
    query: str, error: type[RunatlasError] | None, snapshot: Snapshot
) -> None:
    async def work(pool: Pool) -> None:
        if error is None:
            assert await _answer(pool, query) == TRUE
        else:
            with pytest.raises(error):
                await _answer(pool, query)

    _with_pool(snapshot, work, replace(LIMITS, result=1000))


def test_an_answer_that_is_cut_is_an_error(snapshot: Snapshot) -> None:
    async def work(pool: Pool) -> bytes:
        with pytest.raises(AnswerCutError):
            async with pool.answer(_request(ENDLESS_ROWS)) as answering:
                assert await answering.next_part()
                _kill_workers()
                while await answering.next_part():
                    pass
        return await _answer(pool, ANY)

    assert _with_pool(snapshot, work, PATIENT) == TRUE


def test_an_answer_that_nobody_takes_ends(snapshot: Snapshot) -> None:
    async def work(pool: Pool) -> bytes:
        async with pool.answer(_request(ENDLESS_ROWS)):
            with pytest.raises(OverloadedError):
                await _answer(pool, ANY)
        return await _answer(pool, ANY)

    assert _with_pool(snapshot, work, replace(PATIENT, waiting=0)) == TRUE


def test_whoever_leaves_frees_the_worker(snapshot: Snapshot) -> None:
    """No limit ends the query that is left, so only leaving can."""

    async def work(pool: Pool) -> bytes:
        for query in (ENDLESS, ENDLESS_ROWS):
            task = asyncio.create_task(_answer(pool, query))
            await asyncio.sleep(0.3)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        return await _answer(pool, ANY)

    assert _with_pool(snapshot, work, PATIENT) == TRUE


def test_each_client_waits_behind_its_own_queries(snapshot: Snapshot) -> None:
    order: list[str] = []

    async def ask(pool: Pool, client: str) -> None:
        async with pool.answer(_request(ANY), client=client) as answering:
            order.append(client)
            while await answering.next_part():
                pass

    async def work(pool: Pool) -> None:
        async with pool.answer(_request(ENDLESS_ROWS)):
            tasks = [asyncio.create_task(ask(pool, client)) for client in "aaabac"]
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)

    _with_pool(snapshot, work, PATIENT)
    assert order == ["a", "b", "c", "a", "a", "a"]


def test_more_than_may_wait_are_turned_away(snapshot: Snapshot) -> None:
    async def work(pool: Pool) -> list[bytes]:
        async with pool.answer(_request(ENDLESS_ROWS)):
            waiting = [asyncio.create_task(_answer(pool, ANY)) for _ in range(2)]
            await asyncio.sleep(0)
            with pytest.raises(OverloadedError):
                await _answer(pool, ANY)
            waiting[0].cancel()
            await asyncio.sleep(0)
            waiting[0] = asyncio.create_task(_answer(pool, ANY))
            await asyncio.sleep(0)
        return await asyncio.gather(*waiting)

    limits = replace(PATIENT, waiting=2)
    assert _with_pool(snapshot, work, limits) == [TRUE, TRUE]


def test_a_worker_that_has_grown_is_replaced(snapshot: Snapshot) -> None:
    async def work(pool: Pool) -> tuple[set[int], set[int]]:
        before = _children(_fork_servers()[0])
        await _answer(pool, "SELECT * { ?a ?b ?c . ?d ?b ?f } ORDER BY ?f ?c LIMIT 20000")
        assert await _answer(pool, ANY) == TRUE
        return before, _children(_fork_servers()[0])

    before, after = _with_pool(snapshot, work, replace(PATIENT, memory=2048 * MIB))
    assert before.isdisjoint(after)


@pytest.mark.parametrize("kind", ["worker", "fork server"])
def test_a_process_that_is_killed_is_replaced(kind: str, snapshot: Snapshot) -> None:
    async def work(pool: Pool) -> bytes:
        assert await _answer(pool, ANY) == TRUE
        if kind == "worker":
            _kill_workers()
        else:
            os.kill(_fork_servers()[0], signal.SIGKILL)
        while True:
            try:
                return await _answer(pool, ANY)
            except (
                OverloadedError,
                QueryFailedError,
                QueryMemoryError,
            ):  # it died just before it was asked
                await asyncio.sleep(0.05)

    assert _with_pool(snapshot, work, PATIENT) == TRUE


def test_nothing_outlives_the_process_of_the_pool(snapshot: Snapshot) -> None:
    script = f"""
import asyncio, os, sys
from pathlib import Path
from kg.workers.graph import Graph, Kind
from kg.workers.limits import Limits
from kg.workers.pool import Pool
from tests.test_workers import ENDLESS, _answer, _children, _fork_servers

async def main():
    graph = Graph({snapshot.name!r}, Kind.SNAPSHOT, (Path({str(snapshot.folder)!r}),))
    pool = Pool(graph, Limits(workers=2, timeout=3600))
    await pool.start()
    tasks = [asyncio.create_task(_answer(pool, ENDLESS)) for _ in range(2)]
    await asyncio.sleep(0.5)
    server = _fork_servers()[0]
    print(server, *_children(server), flush=True)
    os.kill(os.getpid(), 9)

asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    processes = [int(word) for word in done.stdout.split()]
    assert len(processes) == 3
    for process in processes:
        _wait_for_end(process)


def test_a_snapshot_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    async def work() -> None:
        pool = Pool(Graph("none", Kind.SNAPSHOT, (tmp_path,)), LIMITS)
        with pytest.raises(WorkersError, match="not a snapshot"):
            await pool.start()
        await pool.close()

    asyncio.run(work())


def _fork_servers() -> list[int]:
    return [pid for pid in _children(os.getpid()) if b"kg.workers" in _command(pid)]


def _kill_workers() -> None:
    for server in _fork_servers():
        for worker in _children(server):
            os.kill(worker, signal.SIGKILL)


def _children(process: int) -> set[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return {int(child) for task in tasks for child in task.read_text().split()}


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def _wait_for_end(process: int) -> None:
    for _ in range(600):
        if not _command(process):
            return
        asyncio.run(asyncio.sleep(0.05))
    raise AssertionError(f"{process} has not ended")


def test_a_worker_that_has_a_copy_of_the_store_is_replaced_when_nobody_needs_it(
    snapshot: Snapshot,
) -> None:
    """Memory that it writes is its own from then on; a lookup writes none."""

    async def work(pool: Pool) -> None:
        before = _children(_fork_servers()[0])
        for _ in range(100):
            await _answer(pool, "SELECT * { ?s a ?type } LIMIT 1")
        await asyncio.sleep(2 * RENEW_S)
        assert _children(_fork_servers()[0]) == before
        doubled = " ".join(f"BIND(CONCAT(?x{i}, ?x{i}) AS ?x{i + 1})" for i in range(24))
        await _answer(pool, f"SELECT (STRLEN(?x24) AS ?n) {{ BIND('x' AS ?x0) {doubled} }}")
        while before & _children(_fork_servers()[0]):
            await asyncio.sleep(0.1)
        assert await _answer(pool, ANY) == TRUE

    _with_pool(snapshot, work, replace(PATIENT, memory=2048 * MIB))
