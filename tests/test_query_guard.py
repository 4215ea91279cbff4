"""Federation and deep nesting are refused before the engine sees the query."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import QueryResultsFormat

from kg.backend import StoreBackend
from kg.errors import QueryFailedError, QueryRefusedError, RunatlasError
from kg.evaluation import Request
from kg.query_guard import MAX_CHARACTERS, MAX_NESTING, refuse_unsafe
from tests.federation import FEDERATED, federated, listening


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[int, list[str]]]:
    with listening() as heard:
        yield heard


@pytest.mark.parametrize("form", FEDERATED)
def test_no_query_leaves_the_machine(
    form: str, backend: StoreBackend, listener: tuple[int, list[str]]
) -> None:
    port, connected = listener
    with pytest.raises(QueryRefusedError, match="no query leaves"):
        backend.answer(
            Request(query=federated(form, port), results=QueryResultsFormat.JSON, graph=None)
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
    answer = backend.answer(Request(query=query, results=QueryResultsFormat.CSV, graph=None))
    assert answer.body in {b"true", b"false"}


@given(st.text(max_size=200))
def test_any_text_is_passed_or_refused(text: str) -> None:
    try:
        refuse_unsafe(text)
    except RunatlasError as error:
        assert isinstance(error, QueryRefusedError | QueryFailedError)
