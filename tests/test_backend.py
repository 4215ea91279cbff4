"""The backend: formats by form, and results that die where they were made."""

import gc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from pyoxigraph import QueryResultsFormat, RdfFormat

from kg.backend import StoreBackend
from kg.errors import NotAcceptableError, QuerySyntaxError, RunatlasError
from kg.evaluation import Request

TABLE = "SELECT * { ?s ?p ?o } LIMIT 3"
GRAPH = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 3"


@pytest.mark.parametrize(
    ("query", "results", "graph", "error"),
    [
        (TABLE, None, RdfFormat.TURTLE, NotAcceptableError),
        (GRAPH, QueryResultsFormat.JSON, None, NotAcceptableError),
        ("SELEC", QueryResultsFormat.JSON, RdfFormat.TURTLE, QuerySyntaxError),
    ],
)
def test_an_error_carries_no_results_to_another_thread(
    query: str,
    results: QueryResultsFormat | None,
    graph: RdfFormat | None,
    error: type[RunatlasError],
    backend: StoreBackend,
) -> None:
    """A result dropped on the wrong thread is an unraisable error, and warnings are errors here."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(backend.answer, Request(query=query, results=results, graph=graph))
        with pytest.raises(error):
            future.result()
        del future
    gc.collect()


def test_an_empty_answer_is_no_error(backend: StoreBackend) -> None:
    query = "CONSTRUCT { ?s ?p ?o } WHERE { ?s <urn:none> ?o . ?s ?p ?o }"
    answer = backend.answer(Request(query=query, results=None, graph=RdfFormat.N_TRIPLES))
    assert answer.body == b""


def test_graphs_replace_the_dataset(backend: StoreBackend) -> None:
    derived = "https://w3id.org/runatlas/graph/derived/same-architecture"
    ask = "ASK { ?i a <https://w3id.org/runatlas/def#CompatibilityInference> }"
    request = Request(query=ask, results=QueryResultsFormat.CSV, graph=None)
    assert backend.answer(request).body == b"false"
    assert backend.answer(replace(request, default_graphs=(derived,))).body == b"true"
