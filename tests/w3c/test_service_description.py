"""SPARQL 1.1 Service Description: the W3C's three tests, on a served dataset.

The suite names what is to hold and gives no requests; each name is one test here.
"""

from collections.abc import Callable, Iterator
from typing import Final

import httpx2
import pytest
from rdflib import Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.namespace import RDF, VOID, Namespace

from tests.http_server import serving_dataset
from tests.w3c import ABSENT, SUITES

MANIFEST: Final = SUITES / "service-description" / "manifest.ttl"
MF: Final = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
SD: Final = Namespace("http://www.w3.org/ns/sparql-service-description#")
FORMATS: Final = ("text/turtle", "application/rdf+xml", "application/n-triples")

pytestmark = pytest.mark.skipif(not MANIFEST.is_file(), reason=ABSENT)


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    written = tmp_path_factory.mktemp("w3c") / "data.nq"
    written.write_text(
        "<urn:a> <urn:p> 'default' .\n"
        "<urn:a> <urn:p> 'one' <urn:g1> .\n<urn:a> <urn:p> 'two' <urn:g1> .\n"
        "<urn:a> <urn:p> 'three' <urn:g2> .\n".replace("'", '"')
    )
    with serving_dataset([written]) as address, httpx2.Client(base_url=address) as client:
        yield client


def _described(http: httpx2.Client, accept: str = FORMATS[0]) -> Graph:
    response = http.get("/sparql", headers={"Accept": accept})
    assert response.status_code == 200
    assert response.headers["content-type"] == accept
    return Graph().parse(data=response.content, format=accept)


def _returns_rdf(http: httpx2.Client) -> None:
    graphs = [{*_described(http, accept)} for accept in FORMATS]
    assert graphs[0]
    assert graphs[0] == graphs[1] == graphs[2]


def _has_endpoint_triple(http: httpx2.Client) -> None:
    address = URIRef(f"{http.base_url}".removesuffix("/") + "/sparql")
    assert list(_described(http).objects(None, SD.endpoint)) == [address]


def _conforms_to_schema(http: httpx2.Client) -> None:
    """Check each statement against the domain and range that the vocabulary gives its property."""
    graph = _described(http)
    for name, domain, range_ in SCHEMA:
        for subject, value in graph.subject_objects(SD[name]):
            assert (subject, RDF.type, SD[domain]) in graph, name
            assert range_ is None or (value, RDF.type, SD[range_]) in graph, name
    used = {str(p).removeprefix(str(SD)) for p in graph.predicates() if str(p).startswith(str(SD))}
    assert used == {name for name, *_ in SCHEMA}
    (service,) = graph.subjects(RDF.type, SD.Service)
    assert (service, SD.supportedLanguage, SD.SPARQL11Query) in graph
    assert _sizes(graph) == {None: 1, "urn:g1": 2, "urn:g2": 1}


def _sizes(graph: Graph) -> dict[str | None, int]:
    named = {
        graph.value(n, SD.graph): str(graph.value(n, SD.name))
        for n in graph.objects(None, SD.namedGraph)
    }
    sizes = {}
    for described, triples in graph.subject_objects(VOID.triples):
        assert isinstance(triples, Literal)
        sizes[named.get(described)] = int(triples)
    return sizes


# The properties that we use: domain and range, as the vocabulary declares them.
SCHEMA: Final = (
    ("endpoint", "Service", None),
    ("supportedLanguage", "Service", None),
    ("resultFormat", "Service", None),
    ("defaultDataset", "Service", "Dataset"),
    ("defaultGraph", "Dataset", "Graph"),
    ("namedGraph", "Dataset", "NamedGraph"),
    ("name", "NamedGraph", None),
    ("graph", "NamedGraph", "Graph"),
)
TESTS: Final[dict[str, Callable[[httpx2.Client], None]]] = {
    "has-endpoint-triple": _has_endpoint_triple,
    "returns-rdf": _returns_rdf,
    "conforms-to-schema": _conforms_to_schema,
}


@pytest.mark.parametrize("name", TESTS)
def test_service_description(name: str, http: httpx2.Client) -> None:
    TESTS[name](http)


def test_every_test_is_run() -> None:
    graph = Graph().parse(MANIFEST)
    (entries,) = graph.objects(None, MF.entries)
    assert {str(test).rpartition("#")[2] for test in Collection(graph, entries)} == set(TESTS)
