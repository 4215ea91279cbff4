"""The comparison with other servers: what it asks is known, and no wrong answer passes."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, RdfFormat, Store

from bench.answers import difference, rows
from bench.client import HOST, Load, SlowError, fetch, load, request
from bench.measurements import Cell, as_json, as_text, ratio
from bench.synthetic import GROUP, MAKERS, Question, questions, triples
from tests.http_server import serving_dataset

ITEMS: Final = 2 * GROUP
ONE: Final = {"type": "literal", "value": "1"}
TYPED: Final = {**ONE, "datatype": "http://www.w3.org/2001/XMLSchema#integer"}
TABLE: Final = [{"a": ONE, "b": TYPED}, {"a": ONE, "b": TYPED}, {"a": ONE}]
OTHERS: Final = {
    "a row less": TABLE[1:],
    "a row more": [*TABLE, {"a": ONE}],
    "a row as often as another": [TABLE[0], TABLE[2], TABLE[2]],
    "another value": [*TABLE[:2], {"a": {**ONE, "value": "2"}}],
    "another column": [*TABLE[:2], {"b": ONE}],
    "another datatype": [*TABLE[:2], {"a": TYPED}],
    "a language": [*TABLE[:2], {"a": {**ONE, "xml:lang": "en"}}],
    "an IRI": [*TABLE[:2], {"a": {**ONE, "type": "uri"}}],
    "nothing": [],
}


def _table(bindings: list[dict[str, dict[str, str]]]) -> bytes:
    return json.dumps({"head": {"vars": ["a", "b"]}, "results": {"bindings": bindings}}).encode()


@pytest.mark.parametrize("name", OTHERS)
def test_another_answer_is_noticed(name: str) -> None:
    assert difference(rows(_table(TABLE)), rows(_table(OTHERS[name])))


def test_another_truth_is_noticed() -> None:
    true, false = (f'{{"head": {{}}, "boolean": {value}}}'.encode() for value in ("true", "false"))
    assert difference(rows(true), rows(false))
    assert difference(rows(true), rows(true)) is None


def test_the_order_and_the_spelling_of_a_datatype_make_no_difference() -> None:
    text = {**ONE, "datatype": "http://www.w3.org/2001/XMLSchema#string"}
    old = [{"a": ONE}, *({"a": text, "b": {**TYPED, "type": "typed-literal"}} for _ in range(2))]
    assert difference(rows(_table(TABLE)), rows(_table(old))) is None


def test_the_whole_graph_has_320_200_triples() -> None:
    assert sum(1 for _ in triples()) == 320_200


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bench") / "graph.nt"
    file.write_text("".join(triples(ITEMS)))
    return file


def test_no_triple_comes_twice(graph: Path) -> None:
    store = Store()
    store.load(path=graph, format=RdfFormat.N_TRIPLES)
    assert len(store) == 8 * ITEMS + MAKERS


@pytest.mark.parametrize("question", questions(ITEMS), ids=lambda question: question.name)
def test_each_question_has_the_answer_that_it_is_asked_for(question: Question, graph: Path) -> None:
    expected: dict[str, Any] = {
        "one-hop lookup": {1},
        "three joins, 400 rows": {GROUP},
        "GROUP BY over 80,000 rows": {20},
        "transitive path": {1},
        "result of 5 MB": {ITEMS},
    }
    store = Store()
    store.load(path=graph, format=RdfFormat.N_TRIPLES)
    found = [store.query(query) for query in question.queries]
    if question.name == "ASK":
        truths = [bool(answer) for answer in found if isinstance(answer, QueryBoolean)]
        assert truths == [number % 2 == 0 for number in range(len(question.queries))]
    else:
        sizes = {len([*table]) for table in found if isinstance(table, QuerySolutions)}
        assert sizes == expected[question.name]
    assert len(set(question.queries)) == len(question.queries)


def test_the_client_reads_what_the_server_answers(graph: Path) -> None:
    """Small ones whole, large ones in parts, those that are known without a body."""
    store = Store()
    store.load(path=graph, format=RdfFormat.N_TRIPLES)
    with serving_dataset([graph]) as address:
        port = int(address.rpartition(":")[2])
        for question in questions(ITEMS):
            query = question.queries[0]
            answer = fetch(port, "/sparql", query, limit=30)
            expected = store.query(query)
            assert isinstance(expected, QueryBoolean | QuerySolutions)
            whole = expected.serialize(format=QueryResultsFormat.JSON) or b""
            assert rows(answer.body) == rows(whole)
            for tag, status in ((None, 200), (answer.tag, 304)):
                asked = [request("/sparql", query, tag)]
                done = load(port, asked, 3, 0, limit=30, status=status)
                assert done.answers == 3
        with pytest.raises(ConnectionError, match="Not"):
            load(port, [request("/sparql", "SELEC")], 1, 0, limit=30)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1234", ConnectionError),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n", ConnectionError),
        (b"HTTP/1.1 200 OK\r\nContent-Len", ConnectionError),
        (b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", ConnectionError),
        (b"", SlowError),
    ],
)
def test_what_is_no_whole_answer_does_not_count(answer: bytes, error: type[Exception]) -> None:
    with _saying(answer) as port, pytest.raises(error):
        load(port, [b"GET / HTTP/1.1\r\n\r\n"], 1, 0, limit=0.5)


@contextmanager
def _saying(answer: bytes) -> Iterator[int]:
    """Listen; say something to the first who asks, and then close; nothing is silence."""
    with socket.create_server((HOST, 0)) as listening:
        over = threading.Event()

        def say() -> None:
            with listening.accept()[0] as connection:
                connection.recv(1000)
                connection.sendall(answer)
                if not answer:
                    over.wait()

        speaking = threading.Thread(target=say)
        speaking.start()
        try:
            yield listening.getsockname()[1]
        finally:
            over.set()
            speaking.join()


def test_the_ratio_is_the_median_of_rounds_that_saw_the_same_machine() -> None:
    question = questions(ITEMS)[0]
    ours, theirs, slow = (Cell(question, 1, name, [], is_slow=False) for name in "abc")
    slow.is_slow = True
    for mine, other in ((10, 20), (100, 50), (30, 60)):
        ours.add(Load(mine, 1.0, 0.1), 0.1)
        theirs.add(Load(other, 1.0, 0.1), 0.1)
    assert ratio(ours, theirs, 20) == (0.5, False)
    assert ratio(ours, slow, 20) == (600, True)


def test_the_report_says_who_was_too_slow_and_who_was_not_there() -> None:
    question = questions(ITEMS)[0]
    ours = Cell(question, 1, "runatlas", [], is_slow=False)
    ours.add(Load(10, 1.0, 0.1), 0.1)
    slow = Cell(question, 1, "snail", [], is_slow=True)
    text = as_text([ours, slow], ["virtuoso"], 20)
    assert [line.split()[:4] for line in text.splitlines()[-2:]] == [
        ["snail", ">=", "20", "s"],
        ["virtuoso", "not", "installed"],
    ]
    assert max(map(len, text.splitlines())) <= 100
    assert [cell["is_slow"] for cell in as_json([ours, slow], [])["measurements"]] == [False, True]
