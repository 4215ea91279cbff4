"""SPARQL 1.1 Protocol: the W3C's requests, as its manifest writes them.

The endpoint is read-only, so a well-formed update is to be refused as such (403), and a malformed
request for its own reason, before that.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx2
import pytest
from pyoxigraph import Dataset, NamedNode, Quad, RdfFormat, parse, serialize
from rdflib import Graph, URIRef
from rdflib.collection import Collection
from rdflib.namespace import RDF, RDFS, Namespace
from rdflib.term import Node

from tests.http_server import serving_dataset
from tests.w3c import ABSENT, SUITES

MANIFEST: Final = SUITES / "protocol" / "manifest.ttl"
MF: Final = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
HT: Final = Namespace("http://www.w3.org/2011/http#")
CNT: Final = Namespace("http://www.w3.org/2011/content#")
UT: Final = Namespace("http://www.w3.org/2009/sparql/tests/test-update#")
TABULAR: Final = "application/sparql-results+json"
# The media types that a format of the manifest may come in, where the client asks for none.
FORMATS: Final = {
    "boolean": {TABULAR, "application/sparql-results+xml"},
    "tabular": {TABULAR, "application/sparql-results+xml"},
    "RDF": {"text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json"},
}

pytestmark = pytest.mark.skipif(not MANIFEST.is_file(), reason=ABSENT)


def _manifest() -> Graph:
    graph = Graph()
    if MANIFEST.is_file():
        graph.parse(MANIFEST)
    return graph


GRAPH: Final = _manifest()
TESTS: Final = [
    test
    for entries in GRAPH.objects(None, MF.entries)
    for test in Collection(GRAPH, entries)
    if isinstance(test, URIRef)
]


def _name(test: Node) -> str:
    return str(test).rpartition("#")[2]


def _of(kind: str) -> list[URIRef]:
    return [test for test in TESTS if _name(test).startswith(kind)]


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A server of the suite's data, each file in the graph that its label names."""
    dataset = Dataset()
    for described in set(GRAPH.objects(None, UT.graphData)):
        name, file = GRAPH.value(described, RDFS.label), GRAPH.value(described, UT.graph)
        path = Path(str(file).removeprefix("file://"))
        for quad in parse(path=path, format=RdfFormat.N_TRIPLES):
            dataset.add(Quad(quad.subject, quad.predicate, quad.object, NamedNode(str(name))))
    written = tmp_path_factory.mktemp("w3c") / "data.nq"
    written.write_bytes(serialize(dataset, format=RdfFormat.N_QUADS) or b"")
    with serving_dataset([written]) as address, httpx2.Client(base_url=address) as client:
        yield client


def _requests(test: URIRef) -> list[Node]:
    action = GRAPH.value(test, MF.action)
    requests = GRAPH.value(action, HT.requests)
    assert requests is not None
    return [*Collection(GRAPH, requests)]


def _send(http: httpx2.Client, request: Node) -> httpx2.Response:
    body = GRAPH.value(request, HT.body)
    encoding = str(GRAPH.value(body, CNT.characterEncoding)) if body else ""
    listed = GRAPH.value(request, HT.headers)
    headers = {
        str(GRAPH.value(header, HT.fieldName)): str(GRAPH.value(header, HT.fieldValue))
        for header in (Collection(GRAPH, listed) if listed else ())
    }
    return http.request(
        str(GRAPH.value(request, HT.methodName)),
        str(GRAPH.value(request, HT.absolutePath)).replace("/sparql/", "/sparql", 1),
        content=str(GRAPH.value(body, CNT.chars)).encode(encoding) if body else None,
        headers=headers,
    )


@pytest.mark.parametrize("test", _of("query_"), ids=_name)
def test_query(test: URIRef, http: httpx2.Client) -> None:
    for request in _requests(test):
        response = _send(http, request)
        assert response.is_success, response.text
        expected = GRAPH.value(request, HT.resp)
        if (format_ := GRAPH.value(expected, MF.expectedFormat)) is not None:
            assert response.headers["content-type"].partition(";")[0] in FORMATS[str(format_)]
        if (boolean := GRAPH.value(expected, MF.expectedBoolean)) is not None:
            assert response.json()["boolean"] is boolean.toPython()  # type: ignore[attr-defined]  # a literal


@pytest.mark.parametrize("test", _of("update_"), ids=_name)
def test_a_well_formed_update_is_refused(test: URIRef, http: httpx2.Client) -> None:
    response = _send(http, _requests(test)[0])
    assert response.status_code == 403
    assert "read-only" in response.json()["detail"]


REASONS: Final = {
    "bad_query_method": 405,
    "bad_multiple_queries": 400,
    "bad_query_wrong_media_type": 415,
    "bad_query_missing_form_type": 415,
    "bad_query_missing_direct_type": 415,
    "bad_query_non_utf8": 415,
    "bad_query_syntax": 400,
    "bad_update_get": 400,
    "bad_multiple_updates": 400,
    "bad_update_wrong_media_type": 415,
    "bad_update_missing_form_type": 415,
    "bad_update_non_utf8": 415,
    "bad_update_syntax": 400,
    "bad_update_dataset_conflict": 400,
}


@pytest.mark.parametrize("test", _of("bad_"), ids=_name)
def test_a_malformed_request_fails_for_its_own_reason(test: URIRef, http: httpx2.Client) -> None:
    for request in _requests(test):
        assert _send(http, request).status_code == REASONS[_name(test)]


def test_every_test_is_run() -> None:
    run = [*_of("query_"), *_of("update_"), *_of("bad_")]
    assert sorted(run) == sorted(TESTS)
    assert len(run) == len(set(GRAPH.subjects(RDF.type, MF.ProtocolTest))) == 34
    assert {_name(test) for test in _of("bad_")} == set(REASONS)
