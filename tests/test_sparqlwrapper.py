"""SPARQLWrapper: every form of query, format, method and error that it knows."""

import urllib.error
import xml.dom.minidom
from collections import Counter
from collections.abc import Iterator
from typing import Final

import pytest
import rdflib
from pyoxigraph import QuerySolutions, QueryTriples
from SPARQLWrapper import (
    CSV,
    GET,
    JSON,
    JSONLD,
    N3,
    POST,
    POSTDIRECTLY,
    RDFXML,
    TSV,
    TURTLE,
    URLENCODED,
    XML,
    SPARQLWrapper,
)
from SPARQLWrapper.SPARQLExceptions import EndPointNotFound, QueryBadFormed

from kg.backend import StoreBackend
from kg.snapshot import Snapshot
from kg.vocab import PREFIXES, SOURCE_GRAPHS
from kg.workers.limits import DEFAULTS
from tests.http_server import serving_by_workers

PREFIX: Final = f"PREFIX ra: <{PREFIXES['ra']}>\n"
PATHS: Final = "{ ?path a ra:SupportPath ; ra:level ?level }"
SELECT: Final = f"{PREFIX}SELECT ?path ?level WHERE {PATHS}"
CONSTRUCT: Final = f"{PREFIX}CONSTRUCT {{ ?path ra:level ?level }} WHERE {PATHS}"
DESCRIBE: Final = f"{PREFIX}DESCRIBE ?path WHERE {PATHS}"
METHODS: Final = [(GET, URLENCODED), (POST, URLENCODED), (POST, POSTDIRECTLY)]
TEXT: Final = "caf\u00e9 \u6771\u4eac \U0001f600 \"<&>'"

# It makes graphs by a class that rdflib gives up.
pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")


@pytest.fixture(scope="module")
def address(backend: StoreBackend) -> Iterator[str]:
    with serving_by_workers(backend, DEFAULTS) as address:
        yield f"{address}/sparql"


@pytest.fixture(params=METHODS, ids=["get", "form", "direct"])
def client(address: str, request: pytest.FixtureRequest) -> SPARQLWrapper:
    method, how = request.param
    client = SPARQLWrapper(address)
    client.setMethod(method)
    client.setRequestMethod(how)
    return client


def _asked(client: SPARQLWrapper, query: str, format_: str) -> object:
    client.setQuery(query)
    client.setReturnFormat(format_)
    found: object = client.query().convert()
    return found


def _text(element: xml.dom.minidom.Element) -> str:
    texts = [node for node in element.childNodes if isinstance(node, xml.dom.minidom.Text)]
    return "".join(node.data for node in texts)


def _rows(snapshot: Snapshot, query: str) -> Counter[tuple[str, ...]]:
    solutions = snapshot.store.query(query)
    assert isinstance(solutions, QuerySolutions)
    return Counter(tuple(term.value for term in row) for row in solutions)


def test_select_in_json(client: SPARQLWrapper, snapshot: Snapshot) -> None:
    answer = _asked(client, SELECT, JSON)
    assert isinstance(answer, dict)
    rows = Counter(
        (row["path"]["value"], row["level"]["value"]) for row in answer["results"]["bindings"]
    )
    assert rows == _rows(snapshot, SELECT)


def test_select_in_xml(client: SPARQLWrapper, snapshot: Snapshot) -> None:
    answer = _asked(client, SELECT, XML)
    assert isinstance(answer, xml.dom.minidom.Document)
    rows = [
        tuple(_text(uri) for uri in result.getElementsByTagName("uri"))
        for result in answer.getElementsByTagName("result")
    ]
    assert Counter(rows) == _rows(snapshot, SELECT)


@pytest.mark.parametrize("format_", [CSV, TSV])
def test_select_as_text(client: SPARQLWrapper, snapshot: Snapshot, format_: str) -> None:
    answer = _asked(client, SELECT, format_)
    assert isinstance(answer, bytes)
    _, *lines = answer.decode().splitlines()
    separator = "," if format_ == CSV else "\t"
    rows = [tuple(cell.strip("<>") for cell in line.split(separator)) for line in lines]
    assert Counter(rows) == _rows(snapshot, SELECT)


@pytest.mark.parametrize(("pattern", "holds"), [(PATHS, True), ("{ ?x a ra:NoSuchClass }", False)])
def test_ask(client: SPARQLWrapper, pattern: str, holds: bool) -> None:
    in_json = _asked(client, f"{PREFIX}ASK {pattern}", JSON)
    assert isinstance(in_json, dict)
    assert in_json["boolean"] is holds
    in_xml = _asked(client, f"{PREFIX}ASK {pattern}", XML)
    assert isinstance(in_xml, xml.dom.minidom.Document)
    (boolean,) = in_xml.getElementsByTagName("boolean")
    assert _text(boolean) == str(holds).lower()


@pytest.mark.parametrize("query", [CONSTRUCT, DESCRIBE], ids=["construct", "describe"])
@pytest.mark.parametrize("format_", [XML, RDFXML, TURTLE, N3, JSONLD])
def test_graphs(client: SPARQLWrapper, snapshot: Snapshot, query: str, format_: str) -> None:
    answer = _asked(client, query, format_)
    if isinstance(answer, bytes):  # it leaves these to the caller
        answer = rdflib.Graph().parse(data=answer, format="turtle")
    assert isinstance(answer, rdflib.Graph)
    triples = snapshot.store.query(query)
    assert isinstance(triples, QueryTriples)
    expected = {(t.subject.value, t.predicate.value, t.object.value) for t in triples}
    assert {tuple(map(str, triple)) for triple in answer} == expected


def test_a_large_answer(client: SPARQLWrapper, snapshot: Snapshot) -> None:
    query = "SELECT ?s ?p ?o WHERE { ?s ?p ?o }"
    answer = _asked(client, query, JSON)
    assert isinstance(answer, dict)
    rows = Counter(tuple(row[n]["value"] for n in "spo") for row in answer["results"]["bindings"])
    assert rows == _rows(snapshot, query)
    assert rows.total() > 8_000


@pytest.mark.parametrize("format_", [JSON, XML])
def test_text(client: SPARQLWrapper, format_: str) -> None:
    answer = _asked(client, f"SELECT ({rdflib.Literal(TEXT).n3()} AS ?text) {{}}", format_)
    if isinstance(answer, dict):
        assert answer["results"]["bindings"][0]["text"]["value"] == TEXT
    else:
        assert isinstance(answer, xml.dom.minidom.Document)
        (literal,) = answer.getElementsByTagName("literal")
        assert _text(literal) == TEXT


def test_graphs_of_the_protocol(client: SPARQLWrapper, snapshot: Snapshot) -> None:
    graph = f"{SOURCE_GRAPHS}cloud-ai-100/snapshot-1"
    client.addDefaultGraph(graph)
    answer = _asked(client, "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", JSON)
    assert isinstance(answer, dict)
    asked = f"SELECT (COUNT(*) AS ?n) WHERE {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}"
    assert {(answer["results"]["bindings"][0]["n"]["value"],): 1} == _rows(snapshot, asked)


@pytest.mark.parametrize("wrong", ["SELECT * WHERE {", "SELECT (<urn:no-function>(1) AS ?x) {}"])
def test_a_query_that_is_wrong(client: SPARQLWrapper, wrong: str) -> None:
    with pytest.raises(QueryBadFormed, match="Bad Request"):
        _asked(client, wrong, JSON)


def test_a_graph_in_a_format_of_tables(client: SPARQLWrapper) -> None:
    with (
        pytest.warns(RuntimeWarning, match="unexpected returned format"),
        pytest.raises(urllib.error.HTTPError) as caught,
    ):
        _asked(client, CONSTRUCT, CSV)
    assert caught.value.code == 406
    caught.value.close()


def test_an_address_that_is_not_there(address: str) -> None:
    with pytest.raises(EndPointNotFound, match="There is nothing at /sparqll"):
        _asked(SPARQLWrapper(f"{address}l"), SELECT, JSON)


def test_an_update(address: str) -> None:
    client = SPARQLWrapper(address)
    client.setMethod(POST)
    client.setQuery("INSERT DATA { <urn:a> <urn:b> <urn:c> }")
    with pytest.raises(urllib.error.HTTPError) as caught:
        client.query()
    assert caught.value.code == 403
    caught.value.close()
