"""Accept headers, by RFC 9110, section 12.5.1."""

import pytest
from pyoxigraph import QueryResultsFormat, RdfFormat

from api.negotiation import GRAPHS, RESULTS, negotiate

JSON = "application/sparql-results+json"
XML = "application/sparql-results+xml"
TURTLE = "text/turtle"


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("*/*;q=0.1", JSON),
        ("application/*", JSON),
        ("text/*", "text/csv"),
        ("application/json", "application/json"),
        ("APPLICATION/Sparql-Results+XML", XML),
        ("text/csv", "text/csv"),
        ("text/csv, */*", "text/csv"),
        ("text/csv;q=0.5, text/tab-separated-values;q=0.6", "text/tab-separated-values"),
        ("text/csv; q=0.5 , application/sparql-results+xml ; q=0.51", XML),
        (f"*/*, {JSON};q=0, application/json;q=0", XML),
        (f"text/*;q=0.9, text/csv;q=0, {XML};q=0.1", "text/tab-separated-values"),
        ("text/csv;q=0, text/*;q=0, application/*;q=0", None),
        ("*/*;q=0", None),
        ("*/*;q=0.000", None),
        ("text/html", None),
        ("text/html, image/gif, *; q=.2, */*; q=.2", JSON),
        ("text/csv;charset=utf-8", "text/csv"),
        ('text/csv;charset="UTF-8";q=1', "text/csv"),
        ("text/csv;charset=latin-1", None),
        ("text/csv;charset=utf-8;q=0, text/csv", None),
        ('text/html;a="b,text/csv"', None),
        ("text/csv;q=abc", None),
        ("text/csv;q=2", None),
        ("text/csv;q=-1", None),
        ("text/csv;q=nan, text/csv", "text/csv"),
        ("nonsense", None),
        (",, ,text/csv,", "text/csv"),
    ],
)
def test_results(accept: str | None, expected: str | None) -> None:
    offer = negotiate(accept, RESULTS)
    assert (offer and offer.media_type) == expected


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, TURTLE),
        ("*/*", TURTLE),
        ("text/*", TURTLE),
        ("application/*", "application/n-triples"),
        ("application/ld+json", "application/ld+json"),
        ("application/ld+json;q=0.5, text/turtle;q=0.4", "application/ld+json"),
        ("application/rdf+xml", "application/rdf+xml"),
        ("application/sparql-results+xml, application/rdf+xml", "application/rdf+xml"),
        ("application/rdf+xml;q=0.9, text/turtle", TURTLE),
        ("application/json", None),
        ("text/csv", None),
    ],
)
def test_graphs(accept: str | None, expected: str | None) -> None:
    offer = negotiate(accept, GRAPHS)
    assert (offer and offer.media_type) == expected


def test_only_json_has_an_alias() -> None:
    assert [offer.media_type for offer in (*RESULTS, *GRAPHS) if offer.is_alias] == [
        "application/json"
    ]
    assert {offer.format for offer in RESULTS} >= {QueryResultsFormat.JSON, QueryResultsFormat.TSV}
    assert {offer.format for offer in GRAPHS} >= {RdfFormat.TURTLE, RdfFormat.JSON_LD}
