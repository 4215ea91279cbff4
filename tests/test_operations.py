"""What the one who runs a server sees of it: metrics, probes, the access log, addresses."""

import hashlib
import json
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from api.access_log import AccessLog, as_line
from api.metrics import Metrics
from kg.backend import StoreBackend
from kg.workers.limits import MIB, Limits
from tests.http_server import serving_by_command, serving_by_workers
from tests.reading import ROOT
from tests.test_switching import numbers, until
from tests.test_workers import ANY, ENDLESS, ENDLESS_ROWS, ORDERED

GUIDE: Final = ROOT / "docs" / "operations.md"
LIMITS: Final = Limits(workers=2, timeout=1, progress=1, memory=192 * MIB, waiting=1)
PATIENT: Final = Limits(workers=2, timeout=3600, progress=3600, waiting=1)
BESIDE: Final = 512  # bytes that an answer that is kept takes beside its body
TRIPLE: Final = '<s:1> <p:1> "one" .\n'

Samples = Mapping[tuple[str, ...], float]


def _samples(client: httpx2.Client) -> Samples:
    """Return the values by the names of the samples and the values of their labels."""
    response = client.get("/metrics").raise_for_status()
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, *(sample.labels[label] for label in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


@contextmanager
def _served(backend: StoreBackend, limits: Limits) -> Iterator[httpx2.Client]:
    with (
        serving_by_workers(backend, limits) as address,
        httpx2.Client(base_url=address, timeout=60) as client,
    ):
        yield client


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "data.nt"
    file.write_text(TRIPLE)
    return file


def _ask(client: httpx2.Client, query: str, **headers: str) -> httpx2.Response:
    return client.get("/sparql", params={"query": query}, headers=headers)


def test_probes_and_metrics_answer_while_every_worker_is_busy(backend: StoreBackend) -> None:
    with _served(backend, PATIENT) as client:
        leaving = [httpx2.Client(base_url=client.base_url, timeout=3) for _ in range(3)]

        def ask(one: httpx2.Client) -> None:
            with pytest.raises(httpx2.TimeoutException):
                _ask(one, ENDLESS)

        asking = [threading.Thread(target=ask, args=[one]) for one in leaving]
        for thread in asking:
            thread.start()
        until(lambda: _samples(client)["runatlas_queries_waiting",] == 1)
        found = _samples(client)
        assert found["runatlas_queries_running",] == 2
        assert found["runatlas_http_connections",] == 4
        assert _ask(client, ANY).status_code == 503
        assert _samples(client)["runatlas_queries_turned_away_total",] == 1
        for probe in ("/healthz", "/readyz"):
            assert client.get(probe).status_code == 200
        for thread in asking:
            thread.join()
        for one in leaving:
            one.close()
        until(lambda: _samples(client)["runatlas_queries_running",] == 0)
        found = _samples(client)
        assert found["runatlas_queries_waiting",] == 0
        assert found["runatlas_workers_ended_total", "left"] >= 2
        assert found["runatlas_http_requests_total", "GET", "/sparql", "none"] == 3
        assert found["runatlas_http_request_duration_seconds_count", "/sparql"] == 4
        assert found["runatlas_http_response_start_seconds_count", "/sparql"] == 1


@pytest.mark.parametrize(
    ("query", "cause"),
    [(ENDLESS, "deadline"), (ORDERED, "memory"), (ENDLESS_ROWS + " OFFSET 9", "left")],
)
def test_what_ends_a_worker_is_counted(backend: StoreBackend, query: str, cause: str) -> None:
    # Whichever limit a query meets first ends it: only one of them is near.
    limits = LIMITS if cause == "deadline" else replace(LIMITS, timeout=60)
    with _served(backend, limits) as client:
        if cause == "left":
            with client.stream("GET", "/sparql", params={"query": query}) as response:
                next(response.iter_bytes())
        else:
            assert _ask(client, query).status_code in (504, 507)
        until(lambda: _samples(client)["runatlas_workers_ended_total", cause] == 1)
        found = _samples(client)
        assert sum(value for key, value in found.items() if "workers_ended" in key[0]) == 1
        assert found["runatlas_http_responses_cut_total",] == (cause == "left")


def test_what_is_asked_is_counted_by_its_route(backend: StoreBackend) -> None:
    with _served(backend, LIMITS) as client:
        first = _ask(client, ANY)
        _ask(client, ANY)
        tag = first.headers["etag"]
        assert _ask(client, ANY, **{"If-None-Match": tag}).status_code == 304
        table = _ask(client, "SELECT * { ?s ?p ?o } LIMIT 1")
        graph = _ask(client, "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o } LIMIT 1")
        _ask(client, "SELEC")
        client.get("/api/v1/models/none/none")
        for path in ("/one", "/two"):
            client.request("PROPFIND", path)
        found = _samples(client)
    requests = {key[1:]: value for key, value in found.items() if key[0].endswith("requests_total")}
    assert requests == {
        ("GET", "/sparql", "200"): 4,
        ("GET", "/sparql", "304"): 1,
        ("GET", "/sparql", "400"): 1,
        ("GET", "/api/v1/models/{org}/{name}", "404"): 1,
        ("other", "other", "404"): 2,
    }
    assert {key[1]: value for key, value in found.items() if "cache_lookups" in key[0]} == {
        "hit": 1,
        "miss": 4,
        "not-modified": 1,
    }
    assert {key[1]: value for key, value in found.items() if "sparql_answers" in key[0]} == {
        "boolean": 2,
        "table": 1,
        "graph": 1,
    }
    kept = sum(len(answer.content) + BESIDE for answer in (first, table, graph))
    assert found["runatlas_cache_bytes",] == kept
    assert found["runatlas_http_request_duration_seconds_count", "/sparql"] == 6
    assert found["runatlas_http_response_start_seconds_count", "/sparql"] == 6
    started = found["runatlas_http_response_start_seconds_sum", "/sparql"]
    assert 0 < started < found["runatlas_http_request_duration_seconds_sum", "/sparql"]
    assert found["runatlas_http_response_bytes_total", "/sparql"] > 3 * len(first.content)


def test_a_fork_server_that_ends_is_not_ready_until_it_is_replaced(file: Path) -> None:
    with serving_by_command("--dataset", str(file)) as (client, process):
        assert client.get("/readyz").json()["status"] == "ready"
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        os.kill(int(children), signal.SIGKILL)
        until(lambda: client.get("/readyz").status_code == 503)
        response = client.get("/readyz")
        if response.status_code == 503:
            assert response.headers["content-type"] == "application/problem+json"
        assert client.get("/healthz").status_code == 200
        until(lambda: client.get("/readyz").status_code == 200)
        assert _ask(client, ANY).status_code == 200
        assert _samples(client)["runatlas_workers_ended_total", "lost"] == 2


def test_metrics_outlive_a_switch(file: Path) -> None:
    with serving_by_command("--dataset", str(file)) as (client, process):
        old = client.get("/healthz").json()["snapshot"]
        assert _ask(client, ANY).status_code == 200
        found = _samples(client)
        assert found["runatlas_snapshot_info", old] == 1
        assert found["runatlas_cache_bytes",] > 0
        file.write_text(TRIPLE + '<s:2> <p:1> "two" .\n')
        process.send_signal(signal.SIGHUP)
        until(lambda: client.get("/healthz").json()["snapshot"] != old)
        new = client.get("/healthz").json()["snapshot"]
        found = _samples(client)
        assert [key for key in found if key[0] == "runatlas_snapshot_info"] == [
            ("runatlas_snapshot_info", new)
        ]
        assert found["runatlas_http_requests_total", "GET", "/healthz", "200"] >= 3
        assert found["runatlas_cache_bytes",] == 0


def test_every_metric_and_every_field_of_the_log_is_documented() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    families = [family.name for family in text_string_to_metric_families(_all_metrics())]
    assert len(families) > 15
    told = {name.removesuffix("_total") for name in re.findall(r"^\| `([a-z_]+)` \|", guide, re.M)}
    assert {name.removesuffix("_total") for name in families} <= told
    assert {name for name in told if name.startswith("runatlas_")} <= set(families)


def test_it_is_told_what_to_do_on_each_alert() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    alerts = re.findall(r"(?m)^ +- alert: (\w+)$", guide)
    assert alerts
    assert re.findall(r"(?m)^\| `(Runatlas\w+)` \|", guide) == alerts


def _all_metrics() -> str:
    return Metrics().write().decode()


def _lines(
    tmp_path: Path, file: Path, ask: Callable[[httpx2.Client], object], *options: str
) -> list[dict[str, Any]]:
    """Serve with an access log while something is asked; return its lines."""
    log = tmp_path / "log"
    arguments = ("--dataset", str(file), "--access-log", *options)
    with (
        log.open("wb") as output,
        serving_by_command(*arguments, output=output.fileno()) as (client, _),
    ):
        ask(client)
    return [json.loads(line) for line in log.read_text(encoding="ascii").splitlines()]


def test_the_access_log(tmp_path: Path, file: Path) -> None:
    hidden = "ASK { ?s ?p 'secret' }"

    def ask(client: httpx2.Client) -> None:
        for _ in range(2):
            _ask(client, hidden)
        client.get('/a%0Ab%22"}%E2%80%A8%FF')
        assert _ask(client, ENDLESS).status_code == 504

    numbers(file, 3000, "one")
    first, second, odd, ended = _lines(tmp_path, file, ask, "--timeout", "1")
    guide = GUIDE.read_text(encoding="utf-8")
    for field in first:
        assert f"| `{field}` |" in guide
    digest = hashlib.sha256(hidden.encode()).hexdigest()[:16]
    assert (first["cache"], second["cache"]) == ("miss", "hit")
    for line in (first, second):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert line["query"] == digest
        assert (line["method"], line["route"], line["status"]) == ("GET", "/sparql", 200)
        assert (line["form"], line["client"], line["cut"]) == ("boolean", "127.0.0.1", False)
        assert line["snapshot"].startswith("dataset-")
        assert line["bytes"] > 0
        assert line["milliseconds"] > 0
    assert (odd["route"], odd["status"]) == ("other", 404)
    assert odd["path"] == '/a\nb""}\u2028\ufffd'
    assert (ended["ended"], ended["status"], ended["form"]) == ("deadline", 504, None)
    assert "secret" not in (tmp_path / "log").read_text()


@pytest.mark.parametrize("option", [None, "127.0.0.1", "127.0.0.0/8", "10.1.2.3"])
def test_only_a_proxy_may_say_for_whom_it_asks(
    option: str | None, tmp_path: Path, file: Path
) -> None:
    """What a client says of itself stands before what the proxy adds, and counts for nothing."""
    headers = {"X-Forwarded-For": "192.0.2.66, 198.51.100.7"}
    options = ("--proxy", option) if option else ()
    (line,) = _lines(tmp_path, file, lambda it: it.get("/healthz", headers=headers), *options)
    is_trusted = option is not None and option.startswith("127.")
    assert line["client"] == ("198.51.100.7" if is_trusted else "127.0.0.1")


@pytest.mark.parametrize("text", ["a\nb", "a\u2028b", 'a"b', "\x1b[0m", "\ud800", "\r"])
def test_nothing_breaks_a_line(text: str) -> None:
    line = as_line({"path": text}).decode("ascii")
    assert line.splitlines() == [line[:-1]]
    assert json.loads(line) == {"path": text}


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_stream_that_takes_nothing_holds_up_nothing(is_closed: bool) -> None:
    lost = threading.Semaphore(0)
    reading, writing = os.pipe()
    log = AccessLog(writing, lost.release, most=2)
    os.close(writing)
    if is_closed:
        os.close(reading)
    for _ in range(200):
        log.add({"path": "x" * 10_000})
    assert lost.acquire(timeout=60)
    if not is_closed:
        os.close(reading)
    log.close()


def test_a_stream_that_takes_a_part_of_a_line_gets_the_rest_before_another() -> None:
    """As a full disk does, on which something is then deleted: no line is torn."""
    lost = threading.Semaphore(0)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    log = AccessLog(writing, lost.release)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        log.add({"first": "x" * (1 << 20)})
        log.add({"lost": True})
        assert lost.acquire(timeout=60)
        read = threading.Thread(target=lambda: lines.append(stream.readline()))
        lines: list[bytes] = []
        read.start()
        while read.is_alive():
            log.add({"more": True})
            read.join(0.01)
        log.close()
        lines += stream
    found = [json.loads(line) for line in lines]
    assert found[0] == {"first": "x" * (1 << 20)}
    assert len(found) > 1
    assert all(line == {"more": True} for line in found[1:])
