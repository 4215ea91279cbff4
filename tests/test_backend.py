"""The backend: formats by form, and results that die where they were made."""

import gc
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyoxigraph import QueryResultsFormat, RdfFormat

from kg.backend import StoreBackend
from kg.errors import NotAcceptableError, QuerySyntaxError, RunatlasError

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
        future = pool.submit(backend.answer, query, results_format=results, graph_format=graph)
        with pytest.raises(error):
            future.result()
        del future
    gc.collect()


def test_an_empty_answer_is_no_error(backend: StoreBackend) -> None:
    answer = backend.answer(
        "CONSTRUCT { ?s ?p ?o } WHERE { ?s <urn:none> ?o . ?s ?p ?o }",
        results_format=None,
        graph_format=RdfFormat.N_TRIPLES,
    )
    assert answer.body == b""


def test_graphs_replace_the_dataset(backend: StoreBackend) -> None:
    derived = "https://w3id.org/runatlas/graph/derived/same-architecture"
    ask = "ASK { ?i a <https://w3id.org/runatlas/def#CompatibilityInference> }"
    formats = {"results_format": QueryResultsFormat.CSV, "graph_format": None}
    assert backend.answer(ask, **formats).body == b"false"  # type: ignore[arg-type]
    in_graph = backend.answer(ask, **formats, default_graphs=[derived])  # type: ignore[arg-type]
    assert in_graph.body == b"true"
