"""Federation and deep nesting are refused before the engine sees the query."""

import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import QueryResultsFormat

from kg.backend import StoreBackend
from kg.errors import QueryFailedError, QueryRefusedError, RunatlasError
from kg.query_guard import MAX_CHARACTERS, MAX_NESTING, refuse_unsafe

ELSEWHERE = "SERVICE <http://127.0.0.1:{port}/> { ?s ?p ?o }"
FEDERATED = [
    "SELECT * { %s }",
    "SELECT * { service <http://127.0.0.1:{port}/> {?s ?p ?o} }",
    "SELECT * { SERVICE SILENT <http://127.0.0.1:{port}/> {?s ?p ?o} }",
    "SELECT * { ?a ?b 1%s }",
    "SELECT * { \\u0053ERVICE <http://127.0.0.1:{port}/> {?s ?p ?o} }",
    "SELECT * { S\\u0045RVICE <http://127.0.0.1:{port}/> {?s ?p ?o} }",
    "PREFIX ex: <a:>\nSELECT * { OPTIONAL {?x ex:a\\# ?y} %s\n}",
    "PREFIX ex: <a:>\nSELECT * { OPTIONAL {?x ex:a\\'b ?y} %s #'\n}",
    'PREFIX ex: <a:>\nSELECT * { OPTIONAL {?x ex:a\\"b ?y} %s #"\n}',
    "SELECT * { ?x ?y '\"' . %s #\"\n}",
    "SELECT * { ?x ?y \"'\" . %s #'\n}",
    "SELECT * { ?x ?y '''a'' ' ''' . %s }",
    "SELECT * { FILTER(1<2) %s FILTER(3>2) }",
    "SELECT * { FILTER(?a<?b) # <\n %s }",
    "SELECT * { ?x ?y <a#'> . %s #'\n}",
    "SELECT * { { SELECT * { %s } } }",
    "SELECT * { BIND(<http://127.0.0.1:{port}/> AS ?u) SERVICE ?u {?s ?p ?o} }",
    "ASK { %s }",
    "DESCRIBE ?s { %s }",
    "SELECT * {FILTER(1<'>')%s}",
    "SELECT * {FILTER(1<2#>'''\n) %s}",
    "SELECT * {FILTER('a'<'b'#>'''\n) %s}",
    "SELECT (1<2#>'''\n AS ?z) { %s }",
    "SELECT * {FILTER(1<'>')FILTER(''='') %s}",
    "SELECT * {BIND(1<2#>'''\n AS ?z) %s}",
]


def _query(form: str, port: int) -> str:
    return form.replace("%s", ELSEWHERE).replace("{port}", str(port))


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[int, list[str]]]:
    """A listener on loopback, and what has connected to it."""
    connected: list[str] = []
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.2)
    stop = threading.Event()

    def accept() -> None:
        while not stop.is_set():
            try:
                connection, address = server.accept()
            except TimeoutError:
                continue
            connected.append(str(address))
            connection.close()

    thread = threading.Thread(target=accept)
    thread.start()
    yield server.getsockname()[1], connected
    stop.set()
    thread.join()
    server.close()


@pytest.mark.parametrize("form", FEDERATED)
def test_no_query_leaves_the_machine(
    form: str, backend: StoreBackend, listener: tuple[int, list[str]]
) -> None:
    port, connected = listener
    with pytest.raises(QueryRefusedError, match="no query leaves"):
        backend.answer(
            _query(form, port), results_format=QueryResultsFormat.JSON, graph_format=None
        )
    assert connected == []


@pytest.mark.parametrize(
    "query",
    [
        'SELECT * { ?x ?y "the packaged service" }',
        "SELECT * { ?x ?y <https://w3id.org/runatlas/id/feature/packaged-service> }",
        "SELECT ?service { ?service ?y ?z }",
    ],
)
def test_the_word_is_refused_even_as_data(query: str) -> None:
    """No reading of the text beside the engine's parser is safe; see the module."""
    with pytest.raises(QueryRefusedError, match="may be harmless"):
        refuse_unsafe(query)


@pytest.mark.parametrize("brackets", ["()", "{}", "[]"])
def test_deep_nesting_is_refused(brackets: str) -> None:
    left, right = brackets[0], brackets[1]
    deep = MAX_NESTING + 1
    with pytest.raises(QueryFailedError, match="nests"):
        refuse_unsafe(f"ASK {{ FILTER{left * deep}1{right * deep} }}")
    refuse_unsafe(f"ASK {left * 50}{right * 50}")


def test_the_longest_chain_does_not_end_the_process(backend: StoreBackend) -> None:
    query = f"ASK {{ FILTER({'!' * (MAX_CHARACTERS - 30)}1) }}"
    answer = backend.answer(query, results_format=QueryResultsFormat.CSV, graph_format=None)
    assert answer.body in {b"true", b"false"}


@given(st.text(max_size=200))
def test_any_text_is_passed_or_refused(text: str) -> None:
    try:
        refuse_unsafe(text)
    except RunatlasError as error:
        assert isinstance(error, QueryRefusedError | QueryFailedError)
