"""/sparql in a browser: who gets a page, what it shows, and that nothing on it can do harm."""

import csv
import io
import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

import httpx2
import pytest
from pyoxigraph import (
    Dataset,
    Literal,
    NamedNode,
    Quad,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    parse,
)
from starlette.testclient import TestClient

from api.guide import STORED, guide_to_any, stored_examples
from api.operation import QUERY, UPDATE
from api.pages import read_page, write_page
from api.query_page import MAX_ROWS, QueryPage
from api.results_markup import write_iri
from kg.ask import ask
from kg.backend import StoreBackend
from kg.dataset import open_dataset
from kg.errors import OverloadedError
from kg.queries import questions
from kg.vocab import BASE, DERIVED_GRAPHS, GRAPH, ID, PREFIXES
from kg.workers.limits import DEFAULTS
from tests.api_examples import TODAY, client
from tests.http_server import serving_dataset
from tests.test_api_docs_page import FETCHING, Page

BROWSER: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/sparql-results+json"
RA: Final = PREFIXES["ra"]
CONSTRUCT: Final = f"CONSTRUCT {{ ?s <{RA}level> ?o }} WHERE {{ ?s <{RA}level> ?o }}"
EVERYTHING: Final = "SELECT * { ?s ?p ?o }"
ACCEPTED: Final = {
    BROWSER: HTML,
    "text/html": HTML,
    "text/html,*/*;q=0.9": HTML,
    "text/html;q=0.2, */*;q=0.1": HTML,
    "text/html, */*": HTML,
    f"text/html, {JSON};q=0.9, text/turtle;q=0.9": HTML,
    # programs, whose answers are what they were before there was a page
    "": JSON,
    "*/*": JSON,
    "text/html;q=0, */*": JSON,
    f"text/html;q=0.1, {JSON}, text/turtle": JSON,
    f"text/html, {JSON}, text/turtle": JSON,
    "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2": JSON,  # Java, if it is told nothing
    "application/rdf+xml, text/rdf+n3;q=0.9, application/xhtml+xml;q=0.5, */*;q=0.1": JSON,
    "text/*, text/turtle": "text/csv; charset=utf-8",
}


@pytest.fixture(scope="module")
def http(backend: StoreBackend) -> Iterator[TestClient]:
    with client(backend) as http:
        http.headers["Accept"] = BROWSER
        yield http


def _page(response: httpx2.Response, status: int = 200) -> Page:
    assert response.status_code == status, response.text
    assert response.headers["Content-Type"] == HTML
    page = Page(response.text)
    _is_harmless(page)
    return page


def _is_harmless(page: Page) -> None:
    """It runs nothing, fetches nothing, and leads to the web or to the endpoint alone."""
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"base", "embed", "iframe", "img", "math", "object", "script", "svg"}
    for tag, attributes in page.tags:
        assert not FETCHING & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on") or name == "style"], tag
    for link in page.links():
        assert re.match(r"\?|/$|/sparql$|https?://", link, re.IGNORECASE), link
    assert [tag for tag, _ in page.tags].count("form") == 1


def _ask(http: TestClient, query: str, **more: str) -> Page:
    return _page(http.get("/sparql", params={"query": query, **more}))


def _cells(page: Page) -> list[str]:
    return page.texts.get("td", [])


def _typed(page: Page) -> str:
    """Return what a browser has in the textarea: it leaves out one newline at the beginning."""
    (text,) = page.texts["textarea"]
    assert text.startswith("\n")
    return text[1:]


# Who gets a page


@pytest.mark.parametrize(("accept", "media_type"), ACCEPTED.items(), ids=range(len(ACCEPTED)))
def test_a_browser_gets_a_page_and_a_program_what_it_got(
    http: TestClient, accept: str, media_type: str
) -> None:
    for response in (
        http.get("/sparql", params={"query": "SELECT * {}"}, headers={"Accept": accept}),
        http.post("/sparql", data={"query": "SELECT * {}"}, headers={"Accept": accept}),
        http.post("/sparql", content="SELECT * {}", headers={"Accept": accept, **_type(QUERY)}),
    ):
        assert response.headers["Content-Type"] == media_type
        assert response.headers["Vary"] == "Accept, Accept-Encoding"


def _type(media_type: str) -> dict[str, str]:
    return {"Content-Type": media_type}


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        *((accept, HTML if found == HTML else "text/turtle") for accept, found in ACCEPTED.items()),
        ("application/n-triples, text/html;q=0.9", "application/n-triples"),
        ("text/html, application/n-triples;q=0.9", HTML),
    ],
)
def test_without_a_query(http: TestClient, accept: str, media_type: str) -> None:
    response = http.get("/sparql", headers={"Accept": accept})
    if accept.startswith("application/rdf+xml"):
        media_type = "application/rdf+xml"
    assert response.headers["Content-Type"] == media_type
    assert response.headers["Vary"] == "Accept, Accept-Encoding"


@pytest.mark.parametrize("parameter", ["format", "output"])
def test_a_format_decides(http: TestClient, parameter: str) -> None:
    asked = {"query": "ASK {}", parameter: "html"}
    page = http.get("/sparql", params=asked, headers={"Accept": "*/*"})
    assert page.headers["Content-Type"] == HTML
    named = http.get("/sparql", params={**asked, parameter: "json"})
    assert named.headers["Content-Type"] == JSON


def test_only_the_endpoint_has_a_page(http: TestClient) -> None:
    assert http.get("/graph-store?default").headers["Content-Type"] == "text/turtle"
    assert http.get("/graph-store?default&format=html").status_code == 400


# The page itself


def test_the_policy_permits_the_form_here_alone(http: TestClient) -> None:
    for response, allowed in (
        (http.get("/sparql"), "'self'"),
        (http.get("/sparql?query=ASK{}"), "'self'"),
        (http.get("/sparql?query=ASK"), "'self'"),
        (http.get("/docs"), "'none'"),
    ):
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert f"form-action {allowed};" in policy


def test_every_control_has_a_label_and_there_is_one_title(http: TestClient) -> None:
    for page in (_page(http.get("/sparql")), _ask(http, EVERYTHING)):
        controls = [
            said
            for tag, said in page.tags
            if tag in ("select", "textarea", "input") and said.get("type") != "hidden"
        ]
        assert [said["name"] for said in controls] == ["query", "format", "timeout"]
        labels = {said["for"] for tag, said in page.tags if tag == "label"}
        assert labels == {said["id"] for said in controls}
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(below <= above + 1 for above, below in pairwise(levels))


def test_a_control_s_value_is_one_that_the_endpoint_takes(http: TestClient) -> None:
    page = _page(http.get("/sparql"))
    offered = [said["value"] for tag, said in page.tags if tag == "option"]
    assert len(offered) == 11
    (timeout,) = [said["value"] for _, said in page.tags if said.get("name") == "timeout"]
    assert float(timeout) == DEFAULTS.timeout
    for name in offered:
        sent = {"query": _typed(page), "format": name, "timeout": timeout}
        assert http.get("/sparql", params=sent).status_code in (200, 406), name


def test_it_says_where_what_is_derived_stands(http: TestClient, backend: StoreBackend) -> None:
    graphs = {graph.value for graph in backend._snapshot.store.named_graphs()}
    for page in (_page(http.get("/sparql")), _ask(http, "ASK {}")):
        told = " ".join(page.texts["p"])
        assert "asserted" in told
        assert "no evidence" in told
        (derived,) = [text for text in page.texts["code"] if text == DERIVED_GRAPHS]
        assert any(graph.startswith(derived) for graph in graphs)
    listed = _cells(_page(http.get("/sparql")))[::2]
    assert listed[0] == "default graph"
    assert {f"<{BASE}{text[1:]}" for text in listed[1:]} == {f"<{graph}>" for graph in graphs}


def test_colours_can_be_told_apart() -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1 between a text and what is behind it, in light and in dark."""
    style = write_page("", "")
    schemes = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    assert len(schemes) == 2
    for scheme in schemes:
        colours = dict(re.findall(r"--(\w+): (#\w+);", scheme))
        pairs = [(f, b) for f in ("text", "soft", "link", "warn") for b in ("back", "panel")]
        for front, back in [*pairs, ("back", "link")]:
            lighter, darker = sorted((_luminance(colours[c]) for c in (front, back)), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (front, back)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


# Answers


def test_a_table_has_the_rows_of_the_answer(http: TestClient, backend: StoreBackend) -> None:
    query = f"""PREFIX ra: <{RA}> SELECT ?path ?claim ?nothing {{
      ?path ra:evidence/ra:claim ?claim }} ORDER BY ?path ?claim"""
    rows = backend._snapshot.store.query(query)
    assert isinstance(rows, QuerySolutions)
    expected = [
        cell
        for row in rows
        for cell in (f"<{row['path'].value.removeprefix(BASE)}>", row["claim"].value, "")
    ]
    page = _ask(http, query)
    assert page.texts["th"][:3] == ["?path", "?claim", "?nothing"]
    assert len(expected) > 30
    assert _cells(page) == expected
    assert f"{len(expected) // 3} rows" in page.texts["h2"]


TERMS: Final = {
    "'text'": "text",
    "''": '""',
    "'a\\nb\\tc'": "a\nb\tc",
    "'chat'@fr": "chat@fr",
    "'a'@ar--rtl": "a@ar--rtl",
    "42": "42^^xsd:integer",
    "true": "true^^xsd:boolean",
    "'x'^^<urn:d>": "x^^<urn:d>",
    "'x'^^<id/d>": "x^^id:d",
    "<urn:x>": "<urn:x>",
    f"<{RA}level>": "ra:level",
    f"<{RA}>": f"<{RA}>",
    f"<{RA}a/b>": "<def#a/b>",
    f"<{ID}checkpoint/a/b>": "<id/checkpoint/a/b>",
    f"<{BASE}>": f"<{BASE}>",
    "<http://example.org/é>": "<http://example.org/é>",
    "<<( <urn:a> <urn:b> 'c'@en )>>": "<<( <urn:a> <urn:b> c@en )>>",
    "'<b>&amp;</b>'": "<b>&amp;</b>",
    "'\\u202Eevil\\u0000'": "\\u202eevil\\x00",
}


@pytest.mark.parametrize(("term", "shown"), TERMS.items())
def test_a_term_is_shown_as_what_it_is(http: TestClient, term: str, shown: str) -> None:
    page = _ask(http, f"SELECT ({term} AS ?x) {{}}")
    assert _cells(page) == [shown]


def test_a_blank_node_is_shown(http: TestClient) -> None:
    (cell,) = _cells(_ask(http, "SELECT (BNODE() AS ?x) {}"))
    assert cell.startswith("_:")


def test_a_shown_iri_is_the_iri_where_it_is_typed(backend: StoreBackend) -> None:
    """By the prefixes that the page lists, and relative to our base."""
    store = backend._snapshot.store
    iris = {t.value for quad in store for t in quad if isinstance(t, NamedNode)}
    iris |= {
        f"{BASE}{end}" for end in ("/x", "//x/y", "a:b", "a/../b", "./a", "?a", "#a", "id/a:b")
    }
    iris |= {f"{RA}{end}" for end in ("a.", "-a", "a.b", "1", "_", "a%20", "é", "ª", "a:b", "a--b")}
    shown = {write_iri(iri, PREFIXES): iri for iri in iris}
    assert len(shown) == len(iris) > 1000
    prefixes = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in PREFIXES.items())
    values = "\n".join(shown)
    solutions = store.query(f"{prefixes} SELECT ?x {{ VALUES ?x {{ {values} }} }}", base_iri=BASE)
    assert isinstance(solutions, QuerySolutions)
    assert [row["x"].value for row in solutions] == list(shown.values())
    assert any(text.startswith("ra:") for text in shown)
    assert any(text.startswith("<id/") for text in shown)


@pytest.mark.parametrize(
    ("query", "said"), [("ASK {}", "true"), ("ASK { <urn:a> ?p ?o }", "false")]
)
def test_a_boolean(http: TestClient, query: str, said: str) -> None:
    page = _ask(http, query)
    assert page.texts["strong"] == [said]
    assert "table" not in page.texts


@pytest.mark.parametrize(
    ("query", "said"),
    [("SELECT * { <urn:a> ?p ?o }", "0 rows"), ("SELECT * {}", "1 row")],
)
def test_few_rows(http: TestClient, query: str, said: str) -> None:
    page = _ask(http, query)
    assert said in page.texts["h2"]
    assert any("Nothing matches" in text for text in page.texts["p"]) == (said == "0 rows")


def test_a_graph_is_shown_in_turtle(http: TestClient, backend: StoreBackend) -> None:
    triples = backend._snapshot.store.query(CONSTRUCT)
    assert isinstance(triples, QueryTriples)
    page = _ask(http, CONSTRUCT)
    shown = Dataset(parse(page.texts["pre"][0], format=RdfFormat.TURTLE))
    assert shown == Dataset(Quad(t.subject, t.predicate, t.object) for t in triples)
    assert len(shown) > 70


def test_the_answer_leads_to_itself_in_other_formats(http: TestClient) -> None:
    graph = f"{GRAPH}ontology"
    asked = {"query": "SELECT * { ?s ?p ?o } LIMIT 3", "timeout": "5", "default-graph-uri": graph}
    for query, count in ((asked["query"], 4), (CONSTRUCT, 6), ("ASK {}", 2)):
        page = _page(http.get("/sparql", params={**asked, "query": query}))
        links = [
            link for link in page.links() if link.startswith("?") and "format=html" not in link
        ]
        assert len(links) == count
        for link in links:
            assert dict(parse_qsl(link[1:])).items() >= {**asked, "query": query}.items()
            assert http.get(f"/sparql{link}").status_code == 200


def test_a_query_that_is_too_long_for_a_link(http: TestClient) -> None:
    page = _ask(http, f"ASK {{}} # {'x' * 8000}")
    assert any("choose it above" in text for text in page.texts["p"])
    assert all(len(link) < 8000 for link in page.links())


def test_the_dataset_is_shown_and_kept(http: TestClient) -> None:
    asked = {"default-graph-uri": f"{GRAPH}ontology", "named-graph-uri": f"{GRAPH}catalog"}
    for query in ("ASK {}", "ASK"):
        page = Page(http.get("/sparql", params={"query": query, **asked}).text)
        kept = {s["name"]: s["value"] for _, s in page.tags if s.get("type") == "hidden"}
        assert kept == asked
        assert {*asked.values()} <= {*page.texts["code"]}


@pytest.mark.parametrize(
    "query",
    ["\nASK {}", "\n\n  ASK {}\n", "ASK {} # </textarea>&lt;", "ASK", "é\t\\", "ASK {}\r\n"],
)
def test_the_query_stays(http: TestClient, query: str) -> None:
    page = Page(http.get("/sparql", params={"query": query}).text)
    assert _typed(page) == query


# What is too long for a page


@pytest.mark.parametrize(("rows", "is_whole"), [(MAX_ROWS, True), (MAX_ROWS + 1, False)])
def test_a_page_that_lacks_rows_says_so(http: TestClient, rows: int, is_whole: bool) -> None:
    page = _ask(http, f"SELECT ?p {{ ?s ?p ?o }} LIMIT {rows}")
    assert len(_cells(page)) == MAX_ROWS
    assert (f"{MAX_ROWS:,} rows" in page.texts["h2"]) == is_whole
    assert (f"The first {MAX_ROWS:,} rows" in page.texts["h2"]) != is_whole
    assert ("This is not the whole answer: there are more rows." in page.texts["p"]) != is_whole
    (whole,) = [link for link in page.links() if link.endswith("format=csv")]
    assert len(http.get(f"/sparql{whole}").text.splitlines()) == rows + 1


@pytest.mark.parametrize(("times", "shown"), [(1, 3), (4, 0)])
def test_a_page_that_lacks_bytes_says_so(http: TestClient, times: int, shown: int) -> None:
    """Rows of 300 thousand or 1.2 million characters."""
    text = f"BIND ('{'x' * 50_000}' AS ?t)"
    texts = ", ".join(["?t"] * 6 * times)
    query = f"SELECT (CONCAT({texts}, STR(?n)) AS ?x) {{ VALUES ?n {{ 1 2 3 4 5 }} {text} }}"
    page = _ask(http, query)
    assert len(_cells(page)) == shown
    assert all(len(cell) == 300_001 for cell in _cells(page))
    assert "This is not the whole answer: there are more rows." in page.texts["p"]


def test_a_page_that_lacks_triples_says_so(http: TestClient) -> None:
    query = "CONSTRUCT { ?s ?p ?o ; <urn:p> ?o } WHERE { ?s ?p ?o }"
    page = _ask(http, query)
    assert "This is not the whole graph: there are more triples." in page.texts["p"]
    whole = http.get("/sparql", params={"query": query, "format": "turtle"}).text
    text = page.texts["pre"][0].removeprefix("\n")
    assert text.endswith("\n")
    assert {*text.splitlines()} < {*whole.splitlines()}


def test_every_whole_answer_can_be_had(http: TestClient) -> None:
    page = _ask(http, EVERYTHING)
    (link,) = [link for link in page.links() if link.endswith("format=csv")]
    rows = list(csv.reader(io.StringIO(http.get(f"/sparql{link}").text, newline="")))
    assert len(rows) > MAX_ROWS + 1


# Harm

EVIL: Final = "</textarea></pre></style><script>alert(1)</script><img src=x onerror=alert(1)>\"'&"
HOSTILE: Final = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "urn:x",
)


@pytest.mark.parametrize("iri", HOSTILE)
def test_an_iri_of_no_web_page_is_no_link(http: TestClient, iri: str) -> None:
    page = _ask(http, f"SELECT (<{iri}> AS ?x) {{}}")
    assert _cells(page) == [f"<{iri}>"]
    assert iri not in page.links()


@pytest.mark.parametrize("iri", ["http://example.org/?a=1&b='2'", "HTTPS://example.org/x"])
def test_an_iri_of_a_web_page_is_a_link(http: TestClient, iri: str) -> None:
    assert iri in _ask(http, f"SELECT (<{iri}> AS ?x) {{}}").links()


def test_texts_are_texts(http: TestClient) -> None:
    evil = str(Literal(EVIL))
    page = _ask(http, f"SELECT ({evil} AS ?x) (STRDT({evil}, <urn:{chr(39)}>) AS ?y) {{}}")
    assert _cells(page)[0] == EVIL
    assert _typed(page).count(evil) == 2
    page = _ask(http, f"CONSTRUCT {{ <urn:a> <urn:b> {evil} }} WHERE {{}}")
    assert evil in page.texts["pre"][0]


@pytest.mark.parametrize(
    "parameters",
    [
        {"query": EVIL},
        {"query": "ASK {}", "timeout": EVIL},
        {"query": "ASK {}", "default-graph-uri": EVIL},
        {"query": "ASK {}", "named-graph-uri": f"urn:{EVIL}"},
        {"query": f"SELECT (<urn:'>('{EVIL[:9]}') AS ?x) {{}}"},
    ],
)
def test_an_error_repeats_nothing_as_markup(http: TestClient, parameters: dict[str, str]) -> None:
    _page(http.get("/sparql", params=parameters), 400)


# Errors


@pytest.mark.parametrize(
    ("parameters", "status", "said"),
    [
        ({"query": "SELEC"}, 400, "error at 1:"),
        ({"query": ""}, 400, "error at"),
        ({"query": "ASK {}", "timeout": "soon"}, 400, "soon"),
        ({"timeout": "3"}, 400, "Exactly one query"),
        ({"query": "SELECT (<urn:f>(1) AS ?x) {}"}, 400, "urn:f"),
        ({"query": f"ASK {'{' * 300}{'}' * 300}"}, 400, "200 deep"),
        ({"query": "SELECT * { SERVICE <urn:x> { ?s ?p ?o } }"}, 403, "SERVICE"),
    ],
)
def test_an_error_is_shown_with_the_query(
    http: TestClient, parameters: dict[str, str], status: int, said: str
) -> None:
    response = http.get("/sparql", params=parameters)
    page = _page(response, status)
    assert any(said in text for text in page.texts["pre"])
    assert [said for _, said in page.tags if said.get("role") == "alert"]
    assert _typed(page) == parameters.get("query", "")
    assert "ETag" not in response.headers
    assert response.headers["Vary"] == "Accept, Accept-Encoding"
    (timeout,) = [said["value"] for _, said in page.tags if said.get("name") == "timeout"]
    assert timeout == parameters.get("timeout", "30")


def test_errors_of_other_operations_are_shown(http: TestClient) -> None:
    for response, status in (
        (http.put("/sparql"), 405),
        (http.post("/sparql", content="ASK {}", headers=_type("text/plain")), 415),
        (http.post("/sparql", content=" " * 2_000_000, headers=_type(QUERY)), 413),
        (http.post("/sparql", content="LOAD <urn:a>", headers=_type(UPDATE)), 403),
        (http.get("/sparql?update=x"), 400),
        (http.get("/sparql?query=%FF"), 400),
    ):
        _page(response, status)
    assert http.put("/sparql").headers["Allow"] == "GET, HEAD, OPTIONS, POST"


def test_who_asks_for_another_format_gets_the_error_as_before(http: TestClient) -> None:
    for parameters in ({"query": "SELEC", "format": "csv"}, {"query": "SELEC", "output": "xml"}):
        response = http.get("/sparql", params=parameters)
        assert response.headers["Content-Type"] == "application/problem+json"
    two = http.get("/sparql", params={"query": "ASK {}", "format": "html", "output": "csv"})
    assert (two.status_code, two.headers["Content-Type"]) == (400, "application/problem+json")


def test_who_has_to_wait_is_told_for_how_long(backend: StoreBackend) -> None:
    page = QueryPage(backend, DEFAULTS, guide_to_any())
    response = page.fail(OverloadedError("Too many wait."), [("query", "ASK {}")])
    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")


# Tags


def test_a_page_has_a_tag_of_its_own(http: TestClient) -> None:
    query = {"query": f"{EVERYTHING} LIMIT 7"}
    page, again = http.get("/sparql", params=query), http.get("/sparql", params=query)
    tag = page.headers["ETag"]
    assert (again.content, again.headers["ETag"]) == (page.content, tag)
    for name in ("Content-Type", "Content-Security-Policy", "Vary"):
        assert again.headers[name] == page.headers[name]
    unchanged = http.get("/sparql", params=query, headers={"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.headers["ETag"]) == (304, tag)
    others = [
        http.get("/sparql", params=query, headers={"Accept": "*/*"}),
        http.get("/sparql", params={**query, "timeout": "7"}),
        http.get("/sparql", params={**query, "default-graph-uri": f"{GRAPH}catalog"}),
    ]
    assert len({tag, *(other.headers["ETag"] for other in others)}) == 4
    changing = http.get("/sparql", params={"query": "SELECT (NOW() AS ?x) {}"})
    assert "ETag" not in changing.headers


def test_head_is_get_without_body(http: TestClient) -> None:
    for address in ("/sparql", "/sparql?query=ASK{}", "/sparql?query=ASK"):
        get, head = http.get(address), http.head(address)
        assert head.content == b""
        assert head.headers == get.headers


# Examples


def _examples(page: Page) -> list[str]:
    return [link for link in page.links() if link.startswith("?") and "format=html" in link]


def test_examples_are_stored_questions(http: TestClient, backend: StoreBackend) -> None:
    """Each gives the rows that the question gives with its default values."""
    given = {example.title: example for example in stored_examples(backend, TODAY)}
    page = _page(http.get("/sparql"))
    assert len(given) == len(STORED) == len(_examples(page))
    for name, link in zip(STORED, _examples(page), strict=True):
        question = questions()[name]
        query = dict(parse_qsl(link[1:]))["query"]
        assert query == given[question.title].query
        expected = ask(backend, name, {}, today=TODAY).rows
        found = backend.select(query, {})
        assert [{**row} for row in found] == [{**row} for row in expected], name
        assert found, name
        _page(http.get(f"/sparql{link}"))


def test_an_example_of_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("<urn:s> <urn:p> 1 .")
    empty = StoreBackend(open_dataset([tmp_path / "a.ttl"]))
    titles = [example.title for example in stored_examples(empty, date(2026, 1, 1))]
    without = [name for name in STORED if not questions()[name].parameters]
    assert titles == [questions()[name].title for name in without]
    assert titles


def test_any_rdf_has_a_page_with_examples_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.trig").write_text("<urn:s> a <urn:C> . <urn:g> { <urn:t> <urn:p> 'x' }")
    with (
        serving_dataset([tmp_path / "a.trig"]) as address,
        httpx2.Client(base_url=address, headers={"Accept": BROWSER}, timeout=30) as http,
    ):
        page = _page(http.get("/sparql"))
        addresses = [link for link in page.links() if link.startswith("/")]
        assert {http.get(address).status_code for address in addresses} == {200}
        assert not any("asserted" in text for text in page.texts["p"])
        assert not any(PREFIXES["ra"] in text for text in page.texts["pre"])
        links = _examples(page)
        cells = [_cells(_page(http.get(f"/sparql{link}"))) for link in links]
        assert cells == [
            ["<urn:s>", "rdf:type", "<urn:C>"],
            ["<urn:C>", "1^^xsd:integer"],
            ["rdf:type", "1^^xsd:integer"],
            ["<urn:g>", "1^^xsd:integer"],
        ]


def test_the_page_is_reached_from_the_first_one() -> None:
    assert '<a href="/sparql">' in read_page("index")
