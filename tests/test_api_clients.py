"""Clients that people have, by their own defaults, against a real server."""

import re
from collections.abc import Iterator

import httpx2
import pytest
from pyoxigraph import RdfFormat, parse
from rdflib import Graph, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from rdflib.term import Literal

from kg.backend import StoreBackend
from kg.vocab import PREFIXES, SOURCE_GRAPHS
from kg.workers.limits import DEFAULTS
from tests.http_server import serving_by_workers

PREFIX = f"PREFIX ra: <{PREFIXES['ra']}>"
PATHS = "{ ?path a ra:SupportPath ; ra:level ?level }"
WITHOUT_PREFIX = re.sub(r"ra:(\w+)", rf"<{PREFIXES['ra']}\1>", PATHS)
RDF_XML = RdfFormat.RDF_XML.media_type


@pytest.fixture(scope="module")
def address(backend: StoreBackend) -> Iterator[str]:
    with serving_by_workers(backend, DEFAULTS) as address:
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


def test_rdflib_describe(remote: Graph, backend: StoreBackend) -> None:
    found = remote.query(f"{PREFIX} DESCRIBE ?path WHERE {PATHS}").graph
    (row,) = backend.select(
        f"{PREFIX} SELECT (COUNT(*) AS ?n) {{ ?path a ra:SupportPath ; ra:level [] ; ?p ?o }}",
        {},
    )
    assert found is not None
    assert len(found) == int(row["n"].value)  # type: ignore[union-attr]  # no triples


@pytest.mark.parametrize("format_", ["json", "xml", "csv", "tsv"])
def test_rdflib_in_each_format(address: str, backend: StoreBackend, format_: str) -> None:
    remote = Graph(SPARQLStore(address, returnFormat=format_))
    query = f"{PREFIX} SELECT ?path ?level WHERE {PATHS}"
    expected = {(row["path"].value, row["level"].value) for row in backend.select(query, {})}  # type: ignore[union-attr]  # no triples
    assert {tuple(map(str, row)) for row in remote.query(query)} == expected  # type: ignore[arg-type]  # rows


def test_rdflib_binds_variables(remote: Graph, backend: StoreBackend) -> None:
    level = URIRef(f"{PREFIXES['ra']}VendorReported")
    query = f"{PREFIX} SELECT ?path ?level WHERE {PATHS}"
    rows = {tuple(map(str, row)) for row in remote.query(query, initBindings={"level": level})}  # type: ignore[arg-type]  # rows
    expected = {(row["path"].value, row["level"].value) for row in backend.select(query, {})}  # type: ignore[union-attr]  # no triples
    assert rows == {row for row in expected if row[1] == str(level)}
    assert rows


def test_rdflib_walks_triples_by_pattern(remote: Graph) -> None:
    type_, path = URIRef(f"{PREFIXES['rdf']}type"), URIRef(f"{PREFIXES['ra']}SupportPath")
    subjects = {*remote.subjects(type_, path)}
    assert len(subjects) == 86
    assert all((subject, type_, path) in remote for subject in [*subjects][:3])
    assert (URIRef("urn:nothing"), type_, path) not in remote


def test_rdflib_reads_one_named_graph(address: str, backend: StoreBackend) -> None:
    name = f"{SOURCE_GRAPHS}cloud-ai-100/snapshot-1"
    store = SPARQLStore(address, context_aware=True)
    query = f"SELECT (COUNT(*) AS ?n) WHERE {{ GRAPH <{name}> {{ ?s ?p ?o }} }}"
    (row,) = backend.select(query, {})
    assert len(Graph(store, identifier=URIRef(name))) == int(row["n"].value)  # type: ignore[union-attr]  # no triples
    names = {str(graph) for graph in store.contexts()}
    listed = backend.select("SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } }", {})
    assert names == {row["g"].value for row in listed}  # type: ignore[union-attr]  # no triples


@pytest.mark.parametrize("pattern", [PATHS, f"SELECT ?path ?level WHERE {WITHOUT_PREFIX}"])
def test_rdflib_s_own_engine_asks_it_by_service(
    address: str, backend: StoreBackend, pattern: str
) -> None:
    """What is here is joined there with a graph of the asker's own."""
    query = f"{PREFIX} SELECT ?path ?level WHERE {PATHS}"
    expected = {(row["path"].value, row["level"].value) for row in backend.select(query, {})}  # type: ignore[union-attr]  # no triples
    kept = sorted(expected)[:3]
    own = Graph()
    own.bind("ra", PREFIXES["ra"])
    for path, _ in kept:
        own.add((URIRef(path), URIRef("urn:mine"), Literal(1)))
    # its engine sends the text within the brackets, and the graph's prefixes where it adds SELECT
    asked = f"""{PREFIX}
        SELECT ?path ?level WHERE {{
          ?path <urn:mine> 1 .
          SERVICE <{address}> {{ {pattern} }}
        }}"""
    assert {tuple(map(str, row)) for row in own.query(asked)} == {*kept}  # type: ignore[arg-type]  # rows


def test_rdflib_tells_of_an_error(address: str) -> None:
    with pytest.raises(ValueError, match="your SPARQL query"):
        Graph(SPARQLStore(address)).query("SELECT * WHERE {")
    for method in ("POST", "POST_FORM"):
        store = SPARQLStore(address, method=method)
        assert "HTTP Error 400: Bad Request" in [*map(str, store.query("SELECT * WHERE {"))]


def test_rdflib_reads_text(remote: Graph) -> None:
    text = 'caf\u00e9 \u6771\u4eac \U0001f600 \r\n\t"\\<&>'
    query = f"SELECT ?text WHERE {{ BIND({Literal(text, lang='fr').n3()} AS ?text) }}"
    ((found,),) = remote.query(query)  # type: ignore[misc]  # rows
    assert found == Literal(text, lang="fr")


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
