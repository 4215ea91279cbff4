"""SPARQL 1.1 Protocol, over real HTTP: operations, datasets, formats, refusals."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from pyoxigraph import (
    Dataset,
    DefaultGraph,
    Quad,
    QueryResultsFormat,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    parse,
    parse_query_results,
)

from api.operation import FORM, QUERY, UPDATE
from kg.backend import StoreBackend
from kg.query_guard import MAX_CHARACTERS
from kg.snapshot import Snapshot
from kg.vocab import ID, PREFIXES, SOURCE_GRAPHS
from kg.workers.limits import DEFAULTS
from tests.http_server import serving

PREFIX = f"PREFIX ra: <{PREFIXES['ra']}>"
SELECT = f"""{PREFIX}
SELECT ?path ?checkpoint ?claim WHERE {{
  ?path ra:checkpoint ?checkpoint ; ra:level ra:DocumentedRecipe ; ra:evidence/ra:claim ?claim .
}} ORDER BY ?path ?claim"""
CONSTRUCT = f"{PREFIX} CONSTRUCT {{ ?s ra:level ?o }} WHERE {{ ?s ra:level ?o }}"
ASK = f"{PREFIX} ASK {{ ?path ra:level ra:IndependentlyTested }}"
COUNT = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"
PAGE = f"{SOURCE_GRAPHS}cloud-ai-100/snapshot-1"
DATABASE = f"{SOURCE_GRAPHS}model-support/2026.11.09-2"
PROBLEM = "application/problem+json"
CODINGS = ("gzip", "x-gzip", "deflate", "br", "gzip, identity")
LONG = 10_000_000


@pytest.fixture(scope="module")
def http(backend: StoreBackend) -> Iterator[httpx2.Client]:
    plain = {"Accept-Encoding": "identity"}
    with (
        serving(backend) as address,
        httpx2.Client(base_url=address, headers=plain, timeout=30) as client,
    ):
        yield client


def _direct(snapshot: Snapshot, query: str) -> list[tuple[str, ...]]:
    solutions = snapshot.store.query(query)
    assert isinstance(solutions, QuerySolutions)
    return [tuple(str(term) for term in solution) for solution in solutions]


def _rows(content: bytes, format: QueryResultsFormat) -> list[tuple[str, ...]]:
    solutions = parse_query_results(content, format=format)
    assert isinstance(solutions, QuerySolutions)
    return [tuple(str(term) for term in solution) for solution in solutions]


def _problem(response: httpx2.Response, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["Content-Type"] == PROBLEM
    problem: dict[str, Any] = response.json()
    assert problem["status"] == status
    assert problem["detail"]
    assert "Traceback" not in response.text
    return problem


@pytest.mark.parametrize(
    "format", [QueryResultsFormat.JSON, QueryResultsFormat.XML, QueryResultsFormat.TSV]
)
def test_select_equals_direct_evaluation(
    http: httpx2.Client, snapshot: Snapshot, format: QueryResultsFormat
) -> None:
    headers = {"Accept": format.media_type}
    response = http.get("/sparql", params={"query": SELECT}, headers=headers)
    assert response.headers["Content-Type"] == format.media_type
    rows = _rows(response.content, format)
    assert len(rows) >= 6
    assert rows == _direct(snapshot, SELECT)


def test_select_as_csv(http: httpx2.Client, snapshot: Snapshot) -> None:
    response = http.get("/sparql", params={"query": COUNT}, headers={"Accept": "text/csv"})
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    ((count,),) = _direct(snapshot, COUNT)
    assert response.text.split() == ["n", count.split('"')[1]]


@pytest.mark.parametrize(
    "format", [RdfFormat.TURTLE, RdfFormat.N_TRIPLES, RdfFormat.JSON_LD, RdfFormat.RDF_XML]
)
def test_construct_equals_direct_evaluation(
    http: httpx2.Client, snapshot: Snapshot, format: RdfFormat
) -> None:
    headers = {"Accept": format.media_type}
    response = http.post("/sparql", data={"query": CONSTRUCT}, headers=headers)
    assert response.headers["Content-Type"] == format.media_type
    triples = snapshot.store.query(CONSTRUCT)
    assert isinstance(triples, QueryTriples)
    expected = Dataset(Quad(triple.subject, triple.predicate, triple.object) for triple in triples)
    assert len(expected) > 70
    assert Dataset(parse(response.content, format=format)) == expected


@pytest.mark.parametrize(
    ("query", "media_type"),
    [
        (SELECT, "application/sparql-results+json"),
        (ASK, "application/sparql-results+json"),
        (CONSTRUCT, "text/turtle"),
        (f"DESCRIBE <{ID}platform/amd-gpu>", "text/turtle"),
    ],
)
def test_default_format(http: httpx2.Client, query: str, media_type: str) -> None:
    response = http.get("/sparql", params={"query": query})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == media_type
    assert response.headers["Vary"] == "Accept, Accept-Encoding"


def test_json_by_its_short_name(http: httpx2.Client) -> None:
    headers = {"Accept": "application/json"}
    response = http.get("/sparql", params={"query": ASK}, headers=headers)
    assert response.headers["Content-Type"] == "application/json"
    assert response.json()["boolean"] is False


def test_several_accept_headers_are_one(http: httpx2.Client) -> None:
    headers = [("Accept", "application/pdf"), ("Accept", "text/csv;q=0.3")]
    response = http.get("/sparql", params={"query": COUNT}, headers=headers)
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"


def test_every_form_of_the_operation_gives_the_same(http: httpx2.Client) -> None:
    by_get = http.get("/sparql", params={"query": SELECT})
    by_form = http.post("/sparql", data={"query": SELECT})
    directly = http.post("/sparql", content=SELECT, headers={"Content-Type": QUERY})
    with_charset = http.post(
        "/sparql", content=SELECT, headers={"Content-Type": f'{QUERY} ; charset="UTF-8"'}
    )
    assert by_get.status_code == 200
    assert by_get.content
    for other in (by_form, directly, with_charset):
        assert (other.status_code, other.content) == (200, by_get.content)


def test_head_is_get_without_body(http: httpx2.Client, backend: StoreBackend) -> None:
    get = http.get("/sparql", params={"query": SELECT})
    head = http.head("/sparql", params={"query": SELECT})
    assert head.content == b""
    for name in ("Content-Length", "Content-Type", "Vary", "Runatlas-Snapshot"):
        assert head.headers[name] == get.headers[name]
    assert get.headers["Runatlas-Snapshot"] == backend.snapshot
    assert int(get.headers["Content-Length"]) == len(get.content)


def test_parameters_are_decoded_once(http: httpx2.Client) -> None:
    query = 'SELECT ("%41+é%2B" AS ?x) {}'
    for response in (
        http.get(f"/sparql?{urlencode({'query': query})}"),
        http.post("/sparql", data={"query": query}),
        http.post("/sparql", content=query.encode(), headers={"Content-Type": QUERY}),
    ):
        assert response.json()["results"]["bindings"][0]["x"]["value"] == "%41+é%2B"


@pytest.mark.parametrize("how", ["get", "form", "direct"])
def test_the_dataset_can_be_replaced(http: httpx2.Client, snapshot: Snapshot, how: str) -> None:
    query = (
        "SELECT ?g (COUNT(*) AS ?n) { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } } GROUP BY ?g"
    )
    dataset = [("default-graph-uri", PAGE), ("default-graph-uri", DATABASE)]
    dataset += [("named-graph-uri", DATABASE)]
    form = {"Content-Type": FORM}
    if how == "get":
        response = http.get(f"/sparql?{urlencode([('query', query), *dataset])}")
    elif how == "form":
        content = urlencode([("query", query), *dataset])
        response = http.post("/sparql", content=content, headers=form)
    else:
        headers = {"Content-Type": QUERY}
        address = f"/sparql?{urlencode(dataset)}"
        response = http.post(address, content=query, headers=headers)
    counted = {
        row.get("g", {}).get("value"): int(row["n"]["value"])
        for row in response.json()["results"]["bindings"]
    }
    sizes = {
        graph: int(
            _direct(snapshot, f"SELECT (COUNT(*) AS ?n) {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}")[0][
                0
            ].split('"')[1]
        )
        for graph in (PAGE, DATABASE)
    }
    assert counted[DATABASE] == sizes[DATABASE]
    assert max(sizes.values()) < counted[None] <= sum(sizes.values())
    assert set(counted) == {None, DATABASE}


def test_derived_statements_are_not_in_the_default_graph(http: httpx2.Client) -> None:
    inferences = f"{PREFIX} SELECT ?i {{ ?i a ra:CompatibilityInference }}"
    assert http.get("/sparql", params={"query": inferences}).json()["results"]["bindings"] == []


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        *((method, [("query", ASK), ("query", ASK)]) for method in ("GET", "POST")),
        *((method, [("q", ASK)]) for method in ("GET", "POST")),
        ("POST", []),  # by GET, that asks for the service's description
    ],
)
def test_exactly_one_query(
    http: httpx2.Client, method: str, parameters: list[tuple[str, str]]
) -> None:
    content = urlencode(parameters)
    if method == "GET":
        response = http.get(f"/sparql?{content}")
    else:
        response = http.post("/sparql", content=content, headers={"Content-Type": FORM})
    assert "Exactly one query" in _problem(response, 400)["detail"]


def test_a_query_in_address_and_body_is_one_too_many(http: httpx2.Client) -> None:
    headers = {"Content-Type": QUERY}
    _problem(http.post("/sparql", params={"query": ASK}, content=ASK, headers=headers), 400)
    _problem(http.post("/sparql", params={"query": ASK}, data={"query": ASK}), 400)


@pytest.mark.parametrize(
    "query", ["", "SELECT", "INSERT DATA { <urn:a> <urn:b> 1 }", "LOAD <urn:a>"]
)
def test_what_does_not_parse(http: httpx2.Client, query: str) -> None:
    assert "error at" in _problem(http.get("/sparql", params={"query": query}), 400)["detail"]


def test_what_parses_but_cannot_be_answered(http: httpx2.Client) -> None:
    query = "SELECT (<urn:f>(1) AS ?x) {}"
    assert "urn:f" in _problem(http.get("/sparql", params={"query": query}), 400)["detail"]


@pytest.mark.parametrize("name", ["default-graph-uri", "named-graph-uri"])
def test_a_graph_that_is_no_iri(http: httpx2.Client, name: str) -> None:
    response = http.get("/sparql", params={"query": ASK, name: "no iri"})
    assert name in _problem(response, 400)["detail"]


@pytest.mark.parametrize("accept", ["*/*;q=0", "application/pdf, image/*"])
def test_not_acceptable(http: httpx2.Client, accept: str) -> None:
    response = http.get("/sparql", params={"query": ASK}, headers={"Accept": accept})
    assert "text/turtle" in _problem(response, 406)["detail"]


@pytest.mark.parametrize(("query", "accept"), [(CONSTRUCT, "text/csv"), (ASK, "text/turtle")])
def test_the_format_is_one_for_the_form(http: httpx2.Client, query: str, accept: str) -> None:
    for _ in range(3):
        response = http.get("/sparql", params={"query": query}, headers={"Accept": accept})
        _problem(response, 406)


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/json"},
        {"Content-Type": f"{QUERY}; charset=latin-1"},
        *({"Content-Type": t, "Content-Encoding": c} for t in (QUERY, FORM) for c in CODINGS),
        {},
    ],
)
def test_media_types_that_are_not_taken(http: httpx2.Client, headers: dict[str, str]) -> None:
    _problem(http.post("/sparql", content=ASK.encode(), headers=headers), 415)


def test_updates_are_refused(http: httpx2.Client) -> None:
    update = "INSERT DATA { <urn:a> <urn:b> 1 }"
    for response in (
        http.post("/sparql", content=update, headers={"Content-Type": UPDATE}),
        http.post("/sparql", data={"update": update}),
    ):
        assert "read-only" in _problem(response, 403)["detail"]
    by_get = http.get("/sparql", params={"update": update})
    assert "POST" in _problem(by_get, 400)["detail"]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_other_methods(http: httpx2.Client, method: str) -> None:
    response = http.request(method, "/sparql", params={"query": ASK})
    _problem(response, 405)
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS, POST"


def test_a_script_of_another_site_may_ask(http: httpx2.Client) -> None:
    headers = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    asked = http.options("/sparql", headers=headers)
    assert asked.status_code == 204
    assert asked.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    for response in (asked, http.get("/sparql", params={"query": ASK}), http.get("/sparql?query=")):
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert "POST" in response.headers["Access-Control-Allow-Methods"]
        assert "Content-Type" in response.headers["Access-Control-Allow-Headers"]
        assert "ETag" in response.headers["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    ("name", "query", "media_type"),
    [
        ("json", SELECT, "application/sparql-results+json"),
        ("json", CONSTRUCT, "application/ld+json"),
        ("xml", SELECT, "application/sparql-results+xml"),
        ("xml", CONSTRUCT, "application/rdf+xml"),
        ("csv", SELECT, "text/csv; charset=utf-8"),
        ("tsv", SELECT, "text/tab-separated-values; charset=utf-8"),
        ("turtle", CONSTRUCT, "text/turtle"),
        ("ntriples", CONSTRUCT, "application/n-triples"),
        ("nquads", CONSTRUCT, "application/n-quads"),
        ("trig", CONSTRUCT, "application/trig"),
        ("jsonld", CONSTRUCT, "application/ld+json"),
        ("rdfxml", CONSTRUCT, "application/rdf+xml"),
    ],
)
@pytest.mark.parametrize("parameter", ["format", "output"])
def test_a_parameter_names_the_format(
    http: httpx2.Client, parameter: str, name: str, query: str, media_type: str
) -> None:
    response = http.get(
        "/sparql", params={"query": query, parameter: name}, headers={"Accept": "text/html"}
    )
    assert response.headers["content-type"] == media_type
    assert response.content


@pytest.mark.parametrize(
    ("given", "media_type"),
    [
        ("format=tsv&format=text%2Ftab-separated-values&output=tsv", "text/tab-separated-values"),
        ("format=json&output=json&results=json", "application/sparql-results+json"),
        ("format=sparql-results&output=xml", PROBLEM),
        ("format=json&output=xml", PROBLEM),
        ("format=json&format=csv", PROBLEM),
        ("format=text%2Fcsv", PROBLEM),
        ("format=json5&output=yaml", PROBLEM),
    ],
)
def test_names_of_one_format(http: httpx2.Client, given: str, media_type: str) -> None:
    response = http.get(f"/sparql?{urlencode({'query': SELECT})}&{given}")
    assert response.headers["content-type"].partition(";")[0] == media_type
    assert response.status_code == (400 if media_type == PROBLEM else 200)


@pytest.mark.parametrize(
    ("name", "query", "status"),
    [("csv", CONSTRUCT, 406), ("turtle", SELECT, 406), ("yaml", SELECT, 400), ("", SELECT, 400)],
)
def test_a_format_that_does_not_fit(
    http: httpx2.Client, name: str, query: str, status: int
) -> None:
    _problem(http.get("/sparql", params={"query": query, "format": name}), status)


# Tags


def test_the_same_answer_need_not_be_sent_again(http: httpx2.Client) -> None:
    asked = {"query": f"{SELECT} # the same"}
    first = http.get("/sparql", params=asked)
    tag = first.headers["ETag"]
    assert tag[0] == tag[-1] == '"'
    again = http.get("/sparql", params=asked)
    assert (again.content, again.headers["ETag"]) == (first.content, tag)
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        unchanged = http.get("/sparql", params=asked, headers={"If-None-Match": known})
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert unchanged.headers["ETag"] == tag
        assert unchanged.headers["Vary"] == "Accept, Accept-Encoding"
    for unknown in ('"other"', "*", ""):
        answer = http.get("/sparql", params=asked, headers={"If-None-Match": unknown})
        assert answer.content == first.content
    posted = http.post("/sparql", data=asked, headers={"If-None-Match": tag})
    assert posted.content == first.content


def test_nothing_is_known_of_a_query_that_fails(http: httpx2.Client) -> None:
    for query, status in (("SELEC", 400), ("SELECT * { SERVICE ?s { ?s ?p ?o } }", 403)):
        response = http.get("/sparql", params={"query": query}, headers={"If-None-Match": "*"})
        assert response.status_code == status


def test_another_question_has_another_tag(http: httpx2.Client) -> None:
    asked: list[tuple[dict[str, str], dict[str, str]]] = [
        ({"query": ASK}, {}),
        ({"query": f"{ASK} "}, {}),
        ({"query": ASK, "default-graph-uri": PAGE}, {}),
        ({"query": ASK, "named-graph-uri": PAGE}, {}),
        ({"query": ASK}, {"Accept": "application/sparql-results+xml"}),
    ]
    tags = [http.get("/sparql", params=p, headers=h).headers["ETag"] for p, h in asked]
    assert len(set(tags)) == len(asked)


@pytest.mark.parametrize("call", ["NOW()", "rand()", "UUID()", "STRUUID()"])
def test_what_may_change_has_no_tag(http: httpx2.Client, call: str) -> None:
    response = http.get("/sparql", params={"query": f"SELECT ({call} AS ?x) {{}}"})
    assert response.status_code == 200
    assert "ETag" not in response.headers


@pytest.mark.parametrize("query", ["SELEC", "SELECT * { SERVICE ?s { ?s ?p ?o } }"])
def test_an_error_has_no_tag(http: httpx2.Client, query: str) -> None:
    assert "ETag" not in http.get("/sparql", params={"query": query}).headers


# The description of the service (SPARQL 1.1 Service Description; the W3C's three tests of it)


def test_a_get_without_a_query_describes_the_service(
    http: httpx2.Client, snapshot: Snapshot
) -> None:
    response = http.get("/sparql")
    assert response.headers["content-type"] == "text/turtle"
    described = {
        (str(quad.subject), quad.predicate.value.rpartition("#")[2], quad.object)
        for quad in parse(response.content, format=RdfFormat.TURTLE)
    }
    address = f"{http.base_url}/sparql".replace("//sparql", "/sparql")
    (service,) = {s for s, p, o in described if p == "type" and str(o).endswith("#Service>")}
    assert {o.value for s, p, o in described if (s, p) == (service, "endpoint")} == {address}
    counted = {
        o.value: len(list(snapshot.store.quads_for_pattern(None, None, None, o)))
        for _, p, o in described
        if p == "name"
    }
    assert set(counted) == {graph.value for graph in snapshot.store.named_graphs()}
    sizes = sorted(int(o.value) for _, p, o in described if p.endswith("triples"))
    default = len(list(snapshot.store.quads_for_pattern(None, None, None, DefaultGraph())))
    assert sizes == sorted([default, *counted.values()])


@pytest.mark.parametrize("accept", ["application/n-triples", "application/rdf+xml"])
def test_the_description_comes_in_any_format_of_graphs(http: httpx2.Client, accept: str) -> None:
    assert http.get("/sparql", headers={"Accept": accept}).headers["content-type"] == accept


def test_the_description_is_a_graph(http: httpx2.Client) -> None:
    _problem(http.get("/sparql", headers={"Accept": "text/csv"}), 406)


def test_what_is_not_utf8(http: httpx2.Client) -> None:
    _problem(http.get("/sparql?query=ASK%20%7B%7D%FF"), 400)
    _problem(http.post("/sparql", content=b"query=%FF", headers={"Content-Type": FORM}), 400)
    _problem(http.post("/sparql", content=b"query=\xff", headers={"Content-Type": FORM}), 400)
    _problem(http.post("/sparql", content=b"ASK {} #\xff", headers={"Content-Type": QUERY}), 400)


def _sent(http: httpx2.Client, how: str, query: str) -> httpx2.Response:
    """Send a query by one of the three operations of the protocol."""
    if how == "address":
        return http.get("/sparql", params={"query": query})
    if how == "form":
        return http.post("/sparql", data={"query": query})
    return http.post("/sparql", content=query.encode(), headers={"Content-Type": QUERY})


OPERATIONS = ["address", "form", "direct"]


@pytest.mark.parametrize("how", OPERATIONS)
def test_a_nul_stands_where_any_character_may(http: httpx2.Client, how: str) -> None:
    within = _sent(http, how, "SELECT ('a\0b' AS ?x) {} #\0")
    assert within.json()["results"]["bindings"][0]["x"]["value"] == "a\0b"
    for outside in ("ASK {}\0", "\0ASK {}", "SELECT ?x\0 {}", "ASK { ?s <urn:\0> ?o }"):
        assert "error at" in _problem(_sent(http, how, outside), 400)["detail"]


@pytest.mark.parametrize("how", ["form", "direct"])
def test_ten_megabytes_are_too_long(http: httpx2.Client, how: str) -> None:
    response = _sent(http, how, "ASK {}".ljust(LONG, "\t"))
    assert f"{DEFAULTS.query:,} bytes" in _problem(response, 413)["detail"]
    assert _sent(http, how, ASK).status_code == 200


@pytest.mark.parametrize("length", [100_000, LONG])
def test_the_server_takes_no_such_addresses(http: httpx2.Client, length: int) -> None:
    """It refuses them below the application; the client of the other tests sends none."""
    connection = HTTPConnection(http.base_url.host, http.base_url.port)
    connection.request("GET", "/sparql?" + "query=ASK{}".ljust(length, "+"))
    with connection.getresponse() as response:
        assert response.status in (414, 431)
    connection.close()
    assert _sent(http, "address", ASK).status_code == 200


def test_too_many_parameters(http: httpx2.Client) -> None:
    _problem(http.get("/sparql?" + "&a=1" * 1001), 400)


def test_long_bodies(http: httpx2.Client) -> None:
    headers = {"Content-Type": QUERY}
    longest = "ASK {}".ljust(MAX_CHARACTERS)
    assert http.post("/sparql", content=longest, headers=headers).status_code == 200
    _problem(http.post("/sparql", content=f"{longest} ", headers=headers), 400)
    _problem(http.post("/sparql", content="ASK {}".ljust(DEFAULTS.query + 1), headers=headers), 413)
    chunks = (b" " * 100_000 for _ in range(12))
    _problem(http.post("/sparql", content=chunks, headers=headers), 413)


def test_a_body_in_many_small_parts_is_one(http: httpx2.Client) -> None:
    query = f"SELECT ('{'é' * 10_000}' AS ?x) {{}}".encode()
    parts = (query[at : at + 1] for at in range(len(query)))
    response = http.post("/sparql", content=parts, headers={"Content-Type": QUERY})
    assert response.json()["results"]["bindings"][0]["x"]["value"] == "é" * 10_000


def test_a_client_that_leaves_in_the_middle_of_its_body(http: httpx2.Client) -> None:
    address = (http.base_url.host, http.base_url.port or 0)
    with socket.create_connection(address) as connection:
        connection.sendall(
            b"POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-query\r\n"
            b"Content-Length: 100\r\n\r\nASK"
        )
    assert http.get("/sparql", params={"query": ASK}).status_code == 200


def test_fifty_requests_at_once(http: httpx2.Client) -> None:
    queries = [f"SELECT ({n} AS ?n) (COUNT(*) AS ?all) WHERE {{ ?s ?p ?o }}" for n in range(50)]
    with ThreadPoolExecutor(50) as pool:
        responses = list(
            pool.map(lambda query: http.get("/sparql", params={"query": query}), queries)
        )
    rows = [response.json()["results"]["bindings"][0] for response in responses]
    assert [int(row["n"]["value"]) for row in rows] == list(range(50))
    assert len({row["all"]["value"] for row in rows}) == 1


REFUSED = [
    "SELECT * { SERVICE <urn:x> { ?s ?p ?o } }",
    "select * { service silent <urn:x> { ?s ?p ?o } }",
    "SELECT * { ?s ?p 1SERVICE <urn:x> {} }",
    "SELECT * { ?s ?p trueSERVICE <urn:x> {} }",
    "PREFIX : <urn:> SELECT * { BIND(1 AS ?x)SERVICE:x {} }",
    "PREFIX : <urn:> SELECT * { ?s ?p 1SERVICE:x {} }",
    "SELECT * { ?s ?p ?o .SERVICE<urn:x>{} }",
    "SELECT * { FILTER(?a <?b) SERVICE <urn:x> {} }",
    'SELECT * { ?s ?p "#" SERVICE <urn:x> {} }',
    "SELECT * { ?s ?p '''a'b''c''' SERVICE <urn:x> {} }",
    'SELECT * { ?s ?p "a\\"b" SERVICE <urn:x> {} }',
    "SELECT * { # comment\nSERVICE <urn:x> {} }",
    "SELECT * { # comment\rSERVICE <urn:x> {} }",
    "SELECT * { <urn:a#b> ?p ?o SERVICE <urn:x> {} }",
    "SELECT * { \\u0053ERVICE <urn:x> {} }",
    "SELECT * { SERVIC\\U00000045 <urn:x> {} }",
    "PREFIX service: <urn:> SELECT * { ?s service:x ?o }",
]


@pytest.mark.parametrize("query", REFUSED)
def test_service_is_refused(http: httpx2.Client, query: str) -> None:
    problem = _problem(http.get("/sparql", params={"query": query}), 403)
    assert "SERVICE" in problem["detail"]
