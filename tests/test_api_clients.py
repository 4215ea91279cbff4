"""Clients that people have, by their own defaults, against a real server."""

from collections.abc import Iterator

import httpx2
import pytest
from pyoxigraph import RdfFormat, parse
from rdflib import Graph
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from rdflib.term import Literal

from kg.backend import StoreBackend
from kg.vocab import PREFIXES
from tests.http_server import serving

PREFIX = f"PREFIX ra: <{PREFIXES['ra']}>"
PATHS = "{ ?path a ra:SupportPath ; ra:level ?level }"
RDF_XML = RdfFormat.RDF_XML.media_type


@pytest.fixture(scope="module")
def address(backend: StoreBackend) -> Iterator[str]:
    with serving(backend) as address:
        yield f"{address}/sparql"


@pytest.fixture(params=["GET", "POST", "POST_FORM"])
def remote(address: str, request: pytest.FixtureRequest) -> Graph:
    return Graph(SPARQLStore(address, method=request.param))


def _construct(address: str, triple: str, accept: str = RDF_XML) -> httpx2.Response:
    query = f"CONSTRUCT {{ {triple} }} WHERE {{}}"
    return httpx2.get(address, params={"query": query}, headers={"Accept": accept})


def test_rdflib_select(remote: Graph, backend: StoreBackend) -> None:
    query = f"{PREFIX} SELECT ?path ?level WHERE {PATHS}"
    rows = {tuple(map(str, row)) for row in remote.query(query)}  # type: ignore[arg-type]  # rows
    expected = {
        (row["path"].value, row["level"].value)  # type: ignore[union-attr]  # no triples
        for row in backend.select(query, {})
    }
    assert len(rows) == 86
    assert rows == expected


@pytest.mark.parametrize("pattern", [PATHS, "{ ?path a ra:NoSuchClass }"])
def test_rdflib_ask(remote: Graph, pattern: str) -> None:
    assert remote.query(f"{PREFIX} ASK {pattern}").askAnswer is (pattern == PATHS)


def test_rdflib_construct(remote: Graph) -> None:
    found = remote.query(f"{PREFIX} CONSTRUCT {{ ?path ra:level ?level }} WHERE {PATHS}").graph
    assert found is not None
    assert len(found) == 86


def test_rdflib_reads_the_whole_graph_as_rdf_xml(address: str, backend: StoreBackend) -> None:
    remote = Graph(SPARQLStore(address))
    found = remote.query("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }").graph
    (row,) = backend.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", {})
    assert found is not None
    assert len(found) == int(row["n"].value)  # type: ignore[union-attr]  # no triples


def test_sparqlwrapper_s_header_for_graphs(address: str) -> None:
    """SPARQLWrapper sends one media type where its return format is XML, as by default."""
    response = _construct(address, "<urn:a> <urn:b> <urn:c>")
    assert response.headers["Content-Type"] == RDF_XML
    (quad,) = parse(response.content, format=RdfFormat.RDF_XML)
    assert quad.object.value == "urn:c"


@pytest.mark.parametrize("text", ["a\r\nb", "a\rb", "<&>", "]]>", "\U0001f600", " a\t"])
def test_text_survives_rdf_xml(address: str, text: str) -> None:
    response = _construct(address, f"<urn:a> <urn:b> {Literal(text).n3()}")
    (quad,) = parse(response.content, format=RdfFormat.RDF_XML)
    assert quad.object.value == text
    (value,) = Graph().parse(data=response.content, format="xml").objects()
    assert str(value) == text


@pytest.mark.parametrize(
    "triple",
    [
        "<urn:a> <http://example.org/1> 1",
        "<urn:a> <http://example.org/p/> 1",
        "<urn:a> <urn:x:p%20> 1",
        "<urn:a> <urn:b> 'a\\u0001b'",
        "<urn:a> <urn:b> 'a\\uFFFEb'",
    ],
)
def test_what_rdf_xml_cannot_express_is_refused(address: str, triple: str) -> None:
    response = _construct(address, triple)
    assert response.status_code == 406
    assert response.headers["Content-Type"] == "application/problem+json"
    assert "text/turtle" in response.json()["detail"]
    assert _construct(address, triple, "text/turtle").status_code == 200
