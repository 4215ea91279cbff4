"""SPARQL 1.1 query evaluation over HTTP: all data in one server, chosen by protocol parameters.

Each data file is a named graph under its own IRI; a test's dataset is given by default-graph-uri
and named-graph-uri, unless its query says FROM. Answers are compared as graphs, numbers by value.
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2
import pytest
import rdflib
from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    Literal,
    NamedNode,
    Quad,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    Triple,
    parse,
    parse_query_results,
    serialize,
)
from rdflib import Graph, URIRef
from rdflib.namespace import RDF, Namespace

from kg.backend import Term
from tests.http_server import serving_dataset
from tests.w3c import ABSENT, SUITES

MF: Final = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QT: Final = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
RS: Final = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/result-set#")
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
KINDS: Final = (MF.QueryEvaluationTest, MF.CSVResultFormatTest)
# What no endpoint without entailment, or without other servers, is asked.
NOT_ASKED: Final = ("entailment", "service")
FORMATS: Final = {
    ".srj": QueryResultsFormat.JSON,
    ".srx": QueryResultsFormat.XML,
    ".csv": QueryResultsFormat.CSV,
    ".tsv": QueryResultsFormat.TSV,
}
NUMERIC: Final = {XSD + name for name in ("integer", "decimal", "double", "float", "int", "long")}

_GRAPH_UNBOUND: Final = "GRAPH ?g binds ?g by triples alone, not by the graphs that there are"
_LANGUAGE: Final = "GROUP_CONCAT of texts in one language keeps the language"
_ZERO: Final = "a path of length zero from a term that is in no graph gives no solution"
# What the engine answers otherwise, as pyoxigraph 0.5.13 does in its own process.
KNOWN: Final = {
    "aggregates/agg-empty-group-count-graph": _GRAPH_UNBOUND,
    "aggregates/agg-groupconcat-04": _LANGUAGE,
    "aggregates/agg-groupconcat-06": _LANGUAGE,
    "bindings/graph": _GRAPH_UNBOUND,
    "csv-tsv-res/tsv03": "integers of a derived datatype become xsd:integer",
    "functions/bnode01": "BNODE of one text is one node in all solutions",
    "negation/graph-minus": "GRAPH ?g with MINUS inside takes away too much",
    "property-path/zero_or_more_set_end": _ZERO,
    "property-path/zero_or_more_set_start": _ZERO,
    "property-path/zero_or_one_set_end": _ZERO,
    "property-path/zero_or_one_set_start": _ZERO,
}
GUIDE: Final = Path(__file__).parents[2] / "docs" / "conformance.md"

pytestmark = pytest.mark.skipif(not SUITES.is_dir(), reason=ABSENT)

Rows = list[dict[str, Term]]


@dataclass(frozen=True, slots=True)
class Case:
    """A query, its dataset, and the file of its answer."""

    query: Path
    default: tuple[Path, ...]
    named: tuple[Path, ...]
    result: Path


def _cases() -> dict[str, Case]:
    found = {}
    for manifest in sorted(SUITES.glob("*/manifest.ttl")):
        if manifest.parent.name in NOT_ASKED:
            continue
        graph = Graph().parse(manifest)
        for test in (t for kind in KINDS for t in graph.subjects(RDF.type, kind)):
            assert isinstance(test, URIRef)
            action = graph.value(test, MF.action)
            query = graph.value(action, QT.query)
            name = f"{manifest.parent.name}/{test.rpartition('#')[2].rpartition('/')[2]}"
            found[name] = Case(
                _path(query),
                tuple(sorted(map(_path, graph.objects(action, QT.data)))),
                tuple(sorted(map(_path, graph.objects(action, QT.graphData)))),
                _path(graph.value(test, MF.result)),
            )
    return found


def _path(iri: object) -> Path:
    return Path(str(iri).removeprefix("file://"))


CASES: Final = _cases()


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    files = {path for case in CASES.values() for path in (*case.default, *case.named)}
    files |= {path for folder in {f.parent for f in files} for path in folder.glob("*.ttl")}
    dataset = Dataset()
    for number, file in enumerate(sorted(files)):
        for quad in parse(path=file, format=_rdf_format(file), base_iri=file.as_uri()):
            nodes = [_apart(term, number) for term in (quad.subject, quad.object)]
            dataset.add(Quad(nodes[0], quad.predicate, nodes[1], NamedNode(file.as_uri())))  # type: ignore[arg-type]  # it was a subject before
    written = tmp_path_factory.mktemp("w3c") / "data.nq"
    written.write_bytes(serialize(dataset, format=RdfFormat.N_QUADS) or b"")
    with serving_dataset([written]) as address, httpx2.Client(base_url=address) as client:
        yield client


def _apart(term: Term, number: int) -> Term:
    """Keep blank nodes of different files apart."""
    return BlankNode(f"f{number}x{term.value}") if isinstance(term, BlankNode) else term


def _rdf_format(file: Path) -> RdfFormat:
    format_ = RdfFormat.from_extension(file.suffix.removeprefix("."))
    assert format_, file
    return format_


@pytest.mark.parametrize("name", CASES)
def test_evaluation(name: str, http: httpx2.Client) -> None:
    case = CASES[name]
    text = case.query.read_text(encoding="utf-8")
    parameters: list[tuple[str, str | int | float | bool | None]]
    parameters = [("query", f"BASE <{case.query.as_uri()}>\n{text}")]
    if not re.search(r"\bFROM\b", text, re.IGNORECASE):
        parameters += [("default-graph-uri", file.as_uri()) for file in case.default]
        parameters += [("named-graph-uri", file.as_uri()) for file in case.named]
    suffix = case.result.suffix
    accept = FORMATS[suffix].media_type if suffix in FORMATS else _ACCEPT
    response = http.get("/sparql", params=parameters, headers={"Accept": accept})
    assert response.status_code == 200, response.text
    media_type = response.headers["content-type"].partition(";")[0]
    assert suffix not in FORMATS or media_type == accept.partition(";")[0]
    answered = _read(response.content, media_type)
    as_expected = _canonical(answered) == _canonical(_expected(case.result))
    assert as_expected == (name not in KNOWN), "what is known to differ must differ"


_ACCEPT: Final = "application/sparql-results+xml, application/n-triples"


def _expected(file: Path) -> bool | Rows | Graph:
    if file.suffix in FORMATS:
        return _results(file.read_bytes(), FORMATS[file.suffix])
    graph = Graph().parse(file)
    if (None, RDF.type, RS.ResultSet) not in graph:
        return graph
    rows = []
    for solution in graph.objects(None, RS.solution):
        bindings = list(graph.objects(solution, RS.binding))
        values = {str(graph.value(b, RS.variable)): graph.value(b, RS.value) for b in bindings}
        rows.append({name: _term(value) for name, value in values.items()})
    return rows


def _term(value: object) -> Term:
    if isinstance(value, URIRef):
        return NamedNode(str(value))
    assert isinstance(value, rdflib.Literal)
    return Literal(str(value), datatype=NamedNode(str(value.datatype or f"{XSD}string")))


def _read(content: bytes, media_type: str) -> bool | Rows | Graph:
    format_ = QueryResultsFormat.from_media_type(media_type)
    if format_:
        return _results(content, format_)
    return Graph().parse(data=content, format=media_type)


def _results(content: bytes, format_: QueryResultsFormat) -> bool | Rows:
    if format_ == QueryResultsFormat.CSV:
        return [*_rows_of_csv(content.decode())]
    results = parse_query_results(content, format=format_)
    if isinstance(results, QueryBoolean):
        return bool(results)
    assert isinstance(results, QuerySolutions)
    names = [variable.value for variable in results.variables]
    return [{n: term for n in names if (term := row[n]) is not None} for row in results]


def _rows_of_csv(text: str) -> Iterator[dict[str, Term]]:
    """Read CSV, which tells texts, IRIs and numbers apart by nothing; a blank node has a label."""
    for row in csv.DictReader(io.StringIO(text, newline="")):
        yield {name: _cell(cell) for name, cell in row.items() if cell}


def _cell(cell: str) -> Term:
    if cell.startswith("_:"):
        return BlankNode(cell.removeprefix("_:"))
    return _by_value(Literal(cell, datatype=NamedNode(f"{XSD}decimal")))


def _canonical(answer: bool | Rows | Graph) -> object:
    """Return what equal answers have in common: blank nodes are named by what is said of them."""
    if isinstance(answer, bool):
        return answer
    dataset = Dataset()
    if isinstance(answer, Graph):
        for quad in parse(answer.serialize(format="nt"), format=RdfFormat.N_TRIPLES):
            dataset.add(Quad(quad.subject, quad.predicate, _by_value(quad.object)))
    else:
        for number, row in enumerate(answer):
            for name, term in row.items():
                node = BlankNode(f"row{number}")
                dataset.add(Quad(node, NamedNode(f"urn:{name}"), _by_value(term)))
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    rows = len(answer) if isinstance(answer, list) else 0
    return rows, sorted(map(str, _triples(dataset)))


def _triples(dataset: Iterable[Quad]) -> Iterator[Triple]:
    return (quad.triple for quad in dataset)


def _by_value(term: Term) -> Term:
    if isinstance(term, Literal) and term.datatype.value == f"{XSD}boolean":
        return Literal(term.value in {"1", "true"})
    if not isinstance(term, Literal) or term.datatype.value not in NUMERIC:
        return term
    try:
        number = float(term.value.replace("INF", "inf"))
    except ValueError:
        return term
    written = str(int(number)) if math.isfinite(number) and number == int(number) else repr(number)
    return Literal(written, datatype=NamedNode(f"{XSD}decimal"))


def test_every_test_is_run() -> None:
    assert len(CASES) == 235
    assert KNOWN.keys() <= CASES.keys()


def test_the_guide_names_what_is_known() -> None:
    rows = re.findall(r"(?m)^\| `([\w/-]+)` \| (.+) \|$", GUIDE.read_text(encoding="utf-8"))
    assert dict(rows) == KNOWN
