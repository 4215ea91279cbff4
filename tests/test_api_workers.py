"""The endpoint as it is served: queries run in workers, and none takes the server with it."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final

import httpx2
import pytest

from kg.backend import StoreBackend
from kg.workers.limits import MIB, Limits
from tests.http_server import serving_by_workers
from tests.test_workers import ANY, ENDLESS, ENDLESS_ROWS, HOSTILE, ORDERED, TRUE

LIMITS: Final = Limits(workers=2, timeout=2, progress=2, memory=192 * MIB, waiting=2)
PATIENT: Final = Limits(workers=1, timeout=3600, progress=3600, waiting=0)
STATUS: Final = {
    ANY: 200,
    "SELEC": 400,
    f"ASK {{ FILTER({'(' * 300}1{')' * 300}) }}": 400,
    "SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }": 403,
    'SELECT * { ?s ?p "the packaged service" }': 200,
    ENDLESS: 504,
    ORDERED: 507,
}


@pytest.fixture(scope="module")
def http(backend: StoreBackend) -> Iterator[httpx2.Client]:
    with (
        serving_by_workers(backend, LIMITS) as address,
        httpx2.Client(base_url=address, timeout=60) as client,
    ):
        yield client


@pytest.fixture
def patient(backend: StoreBackend) -> Iterator[httpx2.Client]:
    """A server with one worker, whose queries end only if something ends them."""
    with (
        serving_by_workers(backend, PATIENT) as address,
        httpx2.Client(base_url=address, timeout=60) as client,
    ):
        yield client


@pytest.mark.parametrize(("query", "status"), STATUS.items(), ids=range(len(STATUS)))
def test_status(http: httpx2.Client, query: str, status: int) -> None:
    response = http.post("/sparql", data={"query": query})
    assert response.status_code == status, response.text
    if status >= 400:
        assert response.headers["content-type"] == "application/problem+json"
    assert int(response.headers["content-length"]) == len(response.content)


@pytest.mark.parametrize("most", [1, 150, 1000])
def test_nesting_is_a_setting(backend: StoreBackend, most: int) -> None:
    limits = replace(LIMITS, nesting=most)
    with (
        serving_by_workers(backend, limits) as address,
        httpx2.Client(base_url=address, timeout=60) as client,
    ):
        for deep, status in ((most, 200), (most + 1, 400)):
            query = f"ASK {'{' * deep}{'}' * deep}"
            for answer in (
                client.post("/sparql", data={"query": query}),
                client.get("/sparql", params={"query": query}),
            ):
                assert answer.status_code == status
                assert status == 200 or f"more than {most:,} deep" in answer.json()["detail"]


@pytest.mark.parametrize("most", [512, 2 * MIB])
def test_the_length_of_a_query_is_a_setting(backend: StoreBackend, most: int) -> None:
    limits = replace(LIMITS, query=most)
    headers = {"Content-Type": "application/sparql-query"}
    with (
        serving_by_workers(backend, limits) as address,
        httpx2.Client(base_url=address, timeout=60) as client,
    ):
        for length, status in ((most, 200), (most + 1, 413)):
            answer = client.post("/sparql", content=ANY.ljust(length), headers=headers)
            assert answer.status_code == status
        if most < 1 << 15:  # servers take no longer addresses, whatever the setting
            for length, status in ((most, 200), (most + 1, 414)):
                address = "/sparql?" + "query=ASK{}".ljust(length, "+")
                assert client.get(address).status_code == status


@pytest.mark.parametrize("seconds", ["0", "0.0", "0.0009", "-1", "1e3", "soon", "", "\u0663"])
def test_a_time_that_nobody_can_give(http: httpx2.Client, seconds: str) -> None:
    response = http.get("/sparql", params={"query": ANY, "timeout": seconds})
    assert response.status_code == 400
    assert "timeout" in response.json()["detail"]


def test_a_large_answer_comes_whole_in_parts(http: httpx2.Client, backend: StoreBackend) -> None:
    query = "SELECT * { ?s ?p ?o }"
    (count,) = backend.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", {})
    response = http.get("/sparql", params={"query": query})
    assert "content-length" not in response.headers
    assert len(response.json()["results"]["bindings"]) == int(str(count["n"].value))  # type: ignore[union-attr]  # a literal


def test_an_answer_that_is_cut_cannot_be_taken_for_whole(http: httpx2.Client) -> None:
    """Rows without end, of which nothing comes to an end but the transfer."""
    with (
        pytest.raises(httpx2.RemoteProtocolError),
        http.stream("POST", "/sparql", data={"query": _rows_then_silence(9000)}) as response,
    ):
        assert response.status_code == 200
        for _ in response.iter_bytes():
            pass


def test_an_answer_that_is_cut_before_it_is_sent_is_an_error(http: httpx2.Client) -> None:
    """One part has come, and is held back until it is known whether it is the only one."""
    response = http.post("/sparql", data={"query": _rows_then_silence(400)})
    assert response.status_code == 504
    assert "cut short" in response.json()["detail"]


def _rows_then_silence(rows: int) -> str:
    """Ask for rows that come at once, then for a row that is looked for without end."""
    return (
        f"SELECT * {{ {{ SELECT * {{ ?a ?b ?c }} LIMIT {rows} }} UNION {{ ?a ?b ?c . ?d ?e ?f . "
        "?g ?h ?i FILTER(CONCAT(STR(?a), STR(?d), STR(?g)) = 'none') } }"
    )


def test_a_client_that_leaves_frees_the_worker(patient: httpx2.Client) -> None:
    for query in (ENDLESS, ENDLESS_ROWS):
        with socket.create_connection((patient.base_url.host, patient.base_url.port)) as leaving:
            leaving.sendall(_raw(query))
            time.sleep(0.3)
    assert _ask_until_admitted(patient) == TRUE


def test_a_client_that_takes_nothing_frees_the_worker(backend: StoreBackend) -> None:
    """Its answer has no end, and would wait for it without end."""
    limits = replace(PATIENT, progress=0.5)
    with (
        serving_by_workers(backend, limits) as address,
        httpx2.Client(base_url=address, timeout=60) as client,
        socket.create_connection((client.base_url.host, client.base_url.port)) as deaf,
    ):
        deaf.sendall(_raw(ENDLESS_ROWS))
        assert deaf.recv(1)
        assert _ask_until_admitted(client) == TRUE


def test_too_many_queries_are_told_to_come_again(patient: httpx2.Client) -> None:
    with socket.create_connection((patient.base_url.host, patient.base_url.port)) as busy:
        busy.sendall(_raw(ENDLESS))
        while True:
            refused = patient.post("/sparql", data={"query": ANY})
            if refused.status_code != 200:  # until then, the other query was still on its way
                break
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "1"
        assert patient.get("/healthz").status_code == 200


def test_others_are_answered_while_queries_break_their_workers(http: httpx2.Client) -> None:
    """Another client asks throughout: it may be told to come again, and nothing else."""
    over = threading.Event()
    seen: list[tuple[int, bytes]] = []

    def ask() -> None:
        with httpx2.Client(base_url=http.base_url, timeout=60) as other:
            while not over.is_set():
                assert other.get("/healthz").status_code == 200
                answer = other.post("/sparql", data={"query": ANY})
                seen.append((answer.status_code, answer.content if answer.is_success else b""))

    def attack(query: str) -> int:
        return http.post("/sparql", data={"query": query}).status_code

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        with ThreadPoolExecutor(2) as attackers:
            statuses = set(attackers.map(attack, (query for query, _ in HOSTILE.values())))
    finally:
        over.set()
        asking.join()
    assert statuses <= {200, 400, 413, 503, 504, 507}
    assert {answer for answer in seen if answer[0] != 503} == {(200, TRUE)}


def _ask_until_admitted(client: httpx2.Client) -> bytes:
    while True:
        answer = client.post("/sparql", data={"query": ANY})
        if answer.status_code != 503:
            return answer.content


def _raw(query: str) -> bytes:
    body = query.encode()
    head = (
        "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
