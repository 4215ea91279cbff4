"""What the W3C's tests do not ask: terms as they come back, limits, and what others can read.

Each row of docs/conformance.md that says where the engine differs fails here once it does not.
"""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import httpx2
import pytest
import rdflib
from pyoxigraph import (
    Literal,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    parse,
    parse_query_results,
)
from rdflib.query import Result, ResultRow

from api.operation import QUERY
from kg.vocab import PREFIXES
from tests.http_server import serving_dataset

GUIDE: Final = Path(__file__).parent.parent / "docs" / "conformance.md"
XSD: Final = PREFIXES["xsd"]
PREFIX: Final = f"PREFIX xsd: <{XSD}>\n"
JSON, XML, CSV, TSV = (
    QueryResultsFormat.JSON.media_type,
    QueryResultsFormat.XML.media_type,
    QueryResultsFormat.CSV.media_type.partition(";")[0],
    QueryResultsFormat.TSV.media_type.partition(";")[0],
)
DATA: Final = """
<urn:a> <urn:p> <urn:b> <urn:g1> .
<urn:a> <urn:q> <urn:z> <urn:g1> .
<urn:c> <urn:p> <urn:d> <urn:g2> .
"""


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    data = tmp_path_factory.mktemp("conformance") / "data.nq"
    data.write_text(DATA)
    given = [row.partition(" ") for row in GIVEN]
    literals = data.with_name("literals.nt")
    literals.write_text(
        "".join(
            f"<urn:row:{number}> <urn:given> {Literal(text)}^^<{XSD}{datatype}> .\n"
            for number, (datatype, _, text) in enumerate(given)
        )
    )
    with serving_dataset([data, literals]) as address, httpx2.Client(base_url=address) as client:
        yield client


def _ask(http: httpx2.Client, query: str, accept: str) -> httpx2.Response:
    parameters = {"query": PREFIX + query}
    return http.get("/sparql", params=parameters, headers={"Accept": accept})


@pytest.fixture
def as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have rdflib keep the text of a literal, as it does if it is told so."""
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)


def _solutions(content: bytes, media_type: str) -> QuerySolutions:
    format_ = QueryResultsFormat.from_media_type(media_type)
    assert format_
    solutions = parse_query_results(content, format=format_)
    assert isinstance(solutions, QuerySolutions)
    return solutions


def _rows(http: httpx2.Client, query: str) -> list[str] | int:
    """Return the rows of a query, in order, as TSV; the status if it is refused."""
    response = _ask(http, query, TSV)
    return sorted(response.text.split("\n")[1:-1]) if response.is_success else response.status_code


# What SPARQL says.

RIGHT: Final[dict[str, list[str] | int]] = {
    # A term of VALUES or BIND that is in no graph has no path: the two are joined.
    "SELECT ?x { VALUES ?s { <urn:new> } ?s <urn:p>* ?x }": [],
    "SELECT ?x { BIND(<urn:new> AS ?s) ?s <urn:p>* ?x }": [],
    "SELECT ?x { GRAPH <urn:g1> { <urn:a> <urn:p>* ?x } }": ["<urn:a>", "<urn:b>"],
    "SELECT ?s { GRAPH ?g { ?s <urn:p> ?o MINUS { ?s <urn:q> ?z } } }": ["<urn:c>"],
    "SELECT ?s { GRAPH <urn:g2> { ?s <urn:p> ?o MINUS { ?a <urn:q> ?z } } }": ["<urn:c>"],
    "sElEcT ?x { bind(true as ?x) }": ["true"],
    "SELECT * { ?s A ?x }": 400,
    "SELECT (STR(-0.0) AS ?x) {}": ['"0"'],
    "SELECT (STR(-0e0) AS ?x) {}": ['"-0"'],
    "SELECT (1/0 AS ?x) {}": [""],
    "SELECT (STR(1e0/0) AS ?x) {}": ['"INF"'],
    "SELECT (STR(0e0/0) AS ?x) {}": ['"NaN"'],
    "SELECT (0.1 + 0.2 AS ?x) {}": ["0.3"],
    "SELECT (9223372036854775806 + 1 AS ?x) {}": ["9223372036854775807"],
    'SELECT (YEAR("0000-01-01T00:00:00"^^xsd:dateTime) AS ?x) {}': ["0"],
    'SELECT (YEAR("12345-01-01T00:00:00"^^xsd:dateTime) AS ?x) {}': ["12345"],
    'SELECT ("10000-01-01"^^xsd:date > "9999-12-31"^^xsd:date AS ?x) {}': ["true"],
    'SELECT ("2024-01-01T24:00:00"^^xsd:dateTime = "2024-01-02T00:00:00"^^xsd:dateTime AS ?x) {}': [
        "true"
    ],
    'SELECT (xsd:date("2023-02-29") AS ?x) {}': [""],
    'SELECT (sameTerm("a"@EN, "a"@en) AS ?x) {}': ["true"],
    'SELECT (langMatches("en-GB", "EN") AS ?x) {}': ["true"],
    'SELECT ("\\uD800" AS ?x) {}': 400,
    'SELECT ("\\U00110000" AS ?x) {}': 400,
    'SELECT (STRLEN("\\U0001F600") AS ?x) {}': ["1"],
    "SELECT (<http://example.org/\u00e9> AS ?x) {}": ["<http://example.org/\u00e9>"],
    "SELECT (<http://example.org/%7e> AS ?x) {}": ["<http://example.org/%7e>"],
    "SELECT (<http://example.org/a b> AS ?x) {}": 400,
    "SELECT (<http://example.org/%zz> AS ?x) {}": 400,
    'SELECT (IRI("a b") AS ?x) {}': [""],
}


@pytest.mark.parametrize("query", RIGHT)
def test_what_sparql_says(http: httpx2.Client, query: str) -> None:
    assert _rows(http, query) == RIGHT[query]


@dataclass(frozen=True, slots=True)
class Difference:
    """What a query ought to answer, what it does, and the same as the guide says it."""

    right: list[str]
    answered: list[str] | int
    said: str


_NOT_REPORTED: Final = "not reported upstream as far as we know"
DIFFERENCES: Final = {
    "SELECT ?x { <urn:new> <urn:p>* ?x }": Difference(
        ["<urn:new>"], [], "no row, where `<urn:new>` is in no graph; oxigraph pull request 1815"
    ),
    "SELECT ?g { GRAPH ?g { ?s <urn:p> ?o MINUS { ?a <urn:q> ?z } } }": Difference(
        ["<urn:g1>", "<urn:g2>"],
        ["<urn:g2>"],
        f"`?g` counts as shared with MINUS; {_NOT_REPORTED}",
    ),
    "SELECT (TRUE AS ?x) {}": Difference(
        ["true"], 400, "a syntax error: write `true`; oxigraph issue 1720"
    ),
    "SELECT (9223372036854775807 + 1 AS ?x) {}": Difference(
        ["9223372036854775808"],
        [""],
        f"unbound: numbers of xsd:integer are 64 bits wide; {_NOT_REPORTED}",
    ),
    "SELECT (99999999999999999999 > 1 AS ?x) {}": Difference(
        ["true"], [""], f"unbound, as the number is too wide to compare; {_NOT_REPORTED}"
    ),
    "SELECT (123456789012345678901234567890.5 + 1 AS ?x) {}": Difference(
        ["123456789012345678901234567891.5"],
        [""],
        f"unbound: xsd:decimal has 18 digits after the point, 128 bits in all; {_NOT_REPORTED}",
    ),
    'SELECT (DATATYPE("1"^^xsd:byte) AS ?x) {}': Difference(
        [f"<{XSD}byte>"], [f"<{XSD}integer>"], f"`xsd:integer`; {_NOT_REPORTED}"
    ),
    'SELECT (STR("01"^^xsd:integer) AS ?x) {}': Difference(
        ['"01"'], ['"1"'], f"the canonical form, see below; {_NOT_REPORTED}"
    ),
}


@pytest.mark.parametrize("query", DIFFERENCES)
def test_where_the_engine_differs(http: httpx2.Client, query: str) -> None:
    difference = DIFFERENCES[query]
    assert difference.right != difference.answered
    assert _rows(http, query) == difference.answered


def test_the_guide_says_where_the_engine_differs() -> None:
    rows = re.findall(r"(?m)^\| `(SELECT [^`]+)` \| (.+) \|$", GUIDE.read_text(encoding="utf-8"))
    assert dict(rows) == {query: difference.said for query, difference in DIFFERENCES.items()}


# Literals as they come back: of every datatype of XML Schema, datatype and text.

SAME: Final = ""
GIVEN: Final = {
    "integer +01": "integer 1",
    "integer abc": SAME,
    "integer 099999999999999999999": SAME,
    "decimal +01.50": "decimal 1.5",
    "decimal 1.0": "decimal 1",
    "decimal -0.0": "decimal 0",
    "decimal 123456789012345678901234567890.50": SAME,
    "float 1.50": "float 1.5",
    "float 16777217": "float 16777216",
    "double 1.0e0": "double 1",
    "double 1E21": "double 1000000000000000000000",
    "double 1e400": "double INF",
    "double 1e-400": "double 0",
    "double -0.0": "double -0",
    "double +INF": "double INF",
    "double NaN": SAME,
    "boolean 1": "boolean true",
    "boolean 0": "boolean false",
    "boolean TRUE": SAME,
    "date 2024-01-01+00:00": "date 2024-01-01Z",
    "date 0000-01-01": SAME,
    "date -0001-01-01": SAME,
    "date 10000-01-01": SAME,
    "date 2023-02-29": SAME,
    "dateTime 2024-12-31T24:00:00": "dateTime 2025-01-01T00:00:00",
    "dateTime 2024-01-01T00:00:00.500": "dateTime 2024-01-01T00:00:00.5",
    "dateTime 2016-12-31T23:59:60Z": SAME,
    "dateTimeStamp 2024-01-01T00:00:00.0Z": "dateTime 2024-01-01T00:00:00Z",
    "time 24:00:00": "time 00:00:00",
    "gYear 2024+00:00": "gYear 2024Z",
    "gYearMonth 2024-01+00:00": "gYearMonth 2024-01Z",
    "gMonth --01+00:00": "gMonth --01Z",
    "gMonthDay --01-01+00:00": "gMonthDay --01-01Z",
    "gDay ---01+00:00": "gDay ---01Z",
    "duration P1Y13M": "duration P2Y1M",
    "duration P0D": "duration PT0S",
    "dayTimeDuration PT36H": "dayTimeDuration P1DT12H",
    "yearMonthDuration P13M": "yearMonthDuration P1Y1M",
    **{
        f"{name} 01": "integer 1"
        for name in (
            *("byte", "short", "int", "long", "nonNegativeInteger", "positiveInteger"),
            *("unsignedByte", "unsignedShort", "unsignedInt", "unsignedLong"),
        )
    },
    "byte 300": "integer 300",
    "long 9223372036854775808": SAME,
    "nonPositiveInteger -01": "integer -1",
    "negativeInteger -01": "integer -1",
    **dict.fromkeys(
        (
            *("string  a ", "normalizedString a  b", "token a  b", "language EN", "Name a"),
            *("NCName a", "NMTOKEN a", "QName a:b", "NOTATION a", "ID a", "IDREF a", "ENTITY a"),
            *("anyURI HTTP://EX", "hexBinary 0a", "base64Binary AA =="),
        ),
        SAME,
    ),
}


def test_literals_come_back(http: httpx2.Client) -> None:
    found = {}
    rows = list(GIVEN)
    query = "SELECT ?row ?given { ?row <urn:given> ?given }"
    for solution in _solutions(_ask(http, query, JSON).content, JSON):
        given = solution["given"]
        assert isinstance(given, Literal)
        row = rows[int(str(solution["row"]).rstrip(">").rpartition(":")[2])]
        back = f"{given.datatype.value.removeprefix(XSD)} {given.value}"
        found[row] = SAME if back == row else back
    assert found == GIVEN


def test_a_query_means_the_same_literals(http: httpx2.Client) -> None:
    for row, back in GIVEN.items():
        datatype, _, text = row.partition(" ")
        into, _, becomes = (back or row).partition(" ")
        literal = f"{Literal(text)}^^xsd:{datatype}"
        query = f"SELECT (STR({literal}) AS ?text) (DATATYPE({literal}) AS ?datatype) {{}}"
        assert _rows(http, query) == [f"{Literal(becomes)}\t<{XSD}{into}>"], row


def test_the_guide_shows_each_literal_that_changes() -> None:
    rows = re.findall(r"(?m)^\| `(\w+ [^`|]+)` \| `([^`]+)` \|$", GUIDE.read_text(encoding="utf-8"))
    assert dict(rows) == {row: back for row, back in GIVEN.items() if back}


@pytest.mark.parametrize("tag", ["EN", "en-GB", "zh-Hant-TW"])
def test_a_language_tag_comes_in_lower_case(http: httpx2.Client, tag: str) -> None:
    assert _rows(http, f'SELECT ("a"@{tag} AS ?x) {{}}') == [f'"a"@{tag.lower()}']


# What others can read: terms in each format, by two readers.

OBJECTS: Final = (
    *('"NaN"^^xsd:double', '"INF"^^xsd:float', '"-INF"^^xsd:double', "-0e0", "1e21", "1e-7", "1.5"),
    *("99999999999999999999", "true", '"maybe"^^xsd:boolean', '"x"@zh-Hant-TW', '""', '" a "'),
    *('"5."^^xsd:decimal', '"0000-01-01"^^xsd:date', '"x"^^<http://example.org/d>', '"=1+1"'),
    *(
        '"a\\r\\nb"',
        '"a\\rb"',
        '"\\t\\"\\\\"',
        '"\\u007F\\u0085\\u2028"',
        '"\U0001f600"',
        '"\ufeff"',
    ),
    *("<http://example.org/\u00e9>", "<http://example.org/%20>", "<urn:a:b.>", "<urn:a'b>"),
)
NO_XML: Final = ('"a\\u0001b"', '"\\u0000"', '"\\uFFFE"', '"\\uFFFF"')
GRAPHS: Final = ("turtle", "ntriples", "jsonld", "rdfxml", "nquads", "trig")


def _one_triple(http: httpx2.Client, triple: str, format_: str) -> httpx2.Response:
    query = f"{PREFIX}CONSTRUCT {{ {triple} }} WHERE {{}}"
    return http.get("/sparql", params={"query": query, "format": format_})


@pytest.mark.parametrize("format_", GRAPHS)
@pytest.mark.usefixtures("as_written")
def test_graphs_can_be_read(http: httpx2.Client, format_: str) -> None:
    for term in (*OBJECTS, *(() if format_ == "rdfxml" else NO_XML)):
        triple = f"<urn:s> <http://example.org/p> {term}"
        (line,) = parse(_one_triple(http, triple, "ntriples").content, format=RdfFormat.N_TRIPLES)
        response = _one_triple(http, triple, format_)
        media_type = response.headers["content-type"]
        (read,) = parse(response.content, format=RdfFormat.from_media_type(media_type))
        assert read.triple == line.triple, term
        quads = rdflib.Dataset(default_union=True).parse(data=response.content, format=media_type)
        ((_, _, value),) = quads.triples((None, None, None))
        assert str(value) == line.object.value, term
        if isinstance(value, rdflib.Literal) and isinstance(line.object, Literal):
            assert (value.language or None) == line.object.language
            assert str(value.datatype or f"{XSD}string") in {
                line.object.datatype.value,
                f"{XSD}string",
            }


@pytest.mark.parametrize("name", ["li", "Description", "about", "ID"])
def test_predicates_that_rdf_xml_keeps_for_itself(http: httpx2.Client, name: str) -> None:
    triple = f"<urn:s> <{PREFIXES['rdf']}{name}> 1"
    response = _one_triple(http, triple, "rdfxml")
    assert response.status_code == 406
    assert "RDF/XML cannot express this graph" in response.json()["detail"]
    assert _one_triple(http, triple, "turtle").is_success


def _text(http: httpx2.Client, term: str) -> str:
    answer = _ask(http, f"SELECT (STR({term}) AS ?x) {{}}", JSON).json()
    text: str = answer["results"]["bindings"][0]["x"]["value"]
    return text


@pytest.mark.parametrize("term", OBJECTS)
@pytest.mark.usefixtures("as_written")
def test_tables_can_be_read(http: httpx2.Client, term: str) -> None:
    query = f'SELECT ({term} AS ?x) ("z" AS ?last) {{}}'
    text = _text(http, term)
    for media_type in (JSON, XML, TSV):
        content = _ask(http, query, media_type).content
        (solution,) = _solutions(content, media_type)
        assert solution["x"].value == text
    for media_type in (JSON, XML):
        (row,) = Result.parse(
            io.BytesIO(_ask(http, query, media_type).content), content_type=media_type
        )
        assert isinstance(row, ResultRow)
        assert str(row[0]) == text
    cells = [*csv.reader(io.StringIO(_ask(http, query, CSV).text, newline=""))]
    assert cells == [["x", "last"], [text, "z"]]


@pytest.mark.parametrize("term", NO_XML)
def test_what_xml_cannot_express_is_refused(http: httpx2.Client, term: str) -> None:
    query = f"SELECT ({term} AS ?x) {{}}"
    response = _ask(http, query, XML)
    assert response.status_code == 406
    assert response.headers["content-type"] == "application/problem+json"
    assert "XML cannot express this answer" in response.json()["detail"]
    assert _ask(http, query, f"{XML}, {JSON};q=0.5").status_code == 406
    assert _ask(http, query, JSON).is_success


def test_an_answer_that_xml_cannot_express_to_its_end_breaks_off(http: httpx2.Client) -> None:
    """The status is sent by then; what came must not look whole."""
    many = " ".join(f'"{number:09}"' for number in range(9000))
    query = f'SELECT ?x {{ VALUES ?x {{ {many} "\\u0001" }} }}'
    with pytest.raises(httpx2.RemoteProtocolError):
        http.post("/sparql", content=query.encode(), headers={"Content-Type": QUERY, "Accept": XML})


def test_text_survives_xml_across_parts(http: httpx2.Client) -> None:
    values = " ".join(f'"{number:05}\\r\u20ac"' for number in range(9000))
    query = f"SELECT ?x {{ VALUES ?x {{ {values} }} }}"
    content = http.post(
        "/sparql", content=query.encode(), headers={"Content-Type": QUERY, "Accept": XML}
    ).content
    read = [element.text for element in ElementTree.fromstring(content).iter() if element.text]  # noqa: S314  # our own
    assert read == [f"{number:05}\r\u20ac" for number in range(9000)]


# Cells as W3C's CSV and TSV want them: a formula stays what it is, and nobody reads it as one here.

CELLS: Final = {
    '"a,b"': ('"a,b"', '"a,b"'),
    '"q\\"q"': ('"q""q"', '"q\\"q"'),
    '"=1+1"': ("=1+1", '"=1+1"'),
    '"+1"': ("+1", '"+1"'),
    '"-1"': ("-1", '"-1"'),
    '"@x"': ("@x", '"@x"'),
    '"a\\nb"': ('"a\nb"', '"a\\nb"'),
    '"a\\rb"': ('"a\rb"', '"a\\rb"'),
    '"a\\tb\\\\"': ("a\tb\\", '"a\\tb\\\\"'),
    "?unbound": ("", ""),
    '""': ("", '""'),
    "<urn:x>": ("urn:x", "<urn:x>"),
    '"x"@en': ("x", '"x"@en'),
}


@pytest.mark.parametrize("term", CELLS)
def test_cells(http: httpx2.Client, term: str) -> None:
    in_csv, in_tsv = CELLS[term]
    query = f'SELECT ?x ("z" AS ?last) {{ BIND({term} AS ?x) }}'
    assert _ask(http, query, CSV).content.decode() == f"x,last\r\n{in_csv},z\r\n"
    assert _ask(http, query, TSV).content.decode() == f'?x\t?last\n{in_tsv}\t"z"\n'


# The text of a query.


@pytest.mark.parametrize("marks", [0, 1, 2])
def test_one_byte_order_mark_is_no_part_of_a_query(http: httpx2.Client, marks: int) -> None:
    query = "\ufeff" * marks + 'ASK { FILTER("\ufeff" = "\\uFEFF") }'
    status = 400 if marks == 2 else 200
    headers = {"Content-Type": QUERY}
    assert http.post("/sparql", content=query.encode(), headers=headers).status_code == status
    assert http.get("/sparql", params={"query": query}).status_code == status
    assert http.post("/sparql", data={"query": query}).status_code == status


def test_a_surrogate_is_not_utf8(http: httpx2.Client) -> None:
    headers = {"Content-Type": QUERY}
    content = b'ASK { FILTER("\xed\xa0\x80" = "") }'
    assert http.post("/sparql", content=content, headers=headers).status_code == 400
