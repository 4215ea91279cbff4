"""Write the terms of an answer as HTML: what they are, escaped, and links to the web alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias
from urllib.parse import urljoin

from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    Triple,
    parse_query_results,
)

from api.markup import Content, code, element, link
from kg.backend import Term
from kg.printable import printable
from kg.vocab import BASE, XSD

_WEB: Final = frozenset(("http", "https"))
_LOCAL_NAME: Final = re.compile(r"\w([\w.-]*[\w-])?", re.ASCII)

Rows: TypeAlias = Sequence[Sequence[Term | None]]


def read_results(body: bytes, most: int, *, is_whole: bool) -> tuple[list[str], Rows, bool] | bool:
    """Read results in JSON, of which only the beginning may be there.

    Returns:
        The truth value; or the variables, the first rows, at most so many, and whether these are
        all.
    """
    results = parse_query_results(body, format=QueryResultsFormat.JSON)
    if isinstance(results, QueryBoolean):
        return bool(results)
    return ([variable.value for variable in results.variables], *_read(results, most, is_whole))


def _read(solutions: QuerySolutions, most: int, is_whole: bool) -> tuple[Rows, bool]:
    rows: list[Sequence[Term | None]] = []
    try:
        for solution in solutions:
            if len(rows) == most:
                return rows, False
            rows.append(tuple(solution))
    except SyntaxError:
        if is_whole:
            raise
        return rows, False
    return rows, is_whole


def write_term(term: Term | None, prefixes: Mapping[str, str]) -> Iterator[Content]:
    """Write a term as it may stand in a query; a literal as its text, with what it is."""
    if isinstance(term, NamedNode):
        text = code(printable(write_iri(term.value, prefixes)))
        is_web = term.value.partition(":")[0].lower() in _WEB
        yield link(term.value, text) if is_web else text
    elif isinstance(term, Literal):
        yield element("bdi", printable(term.value, keep="\n\t")) if term.value else code('""')
        yield from _kind(term, prefixes)
    elif isinstance(term, BlankNode):
        yield code(str(term))
    elif isinstance(term, Triple):
        yield "<<( "
        for part in (term.subject, term.predicate, term.object):
            yield from write_term(part, prefixes)
            yield " "
        yield ")>>"


def _kind(literal: Literal, prefixes: Mapping[str, str]) -> Iterator[Content]:
    if literal.language:
        direction = f"--{literal.direction.value}" if literal.direction else ""
        yield element("span", f"@{literal.language}{direction}", class_="soft")
    elif literal.datatype != XSD.string:
        name = printable(write_iri(literal.datatype.value, prefixes))
        yield element("span", f"^^{name}", class_="soft")


def write_iri(iri: str, prefixes: Mapping[str, str]) -> str:
    """Write an IRI as it may stand in a query here: by a prefix, by our base, or in full."""
    for prefix, start in prefixes.items():
        name = iri.removeprefix(start)
        if name != iri and _LOCAL_NAME.fullmatch(name):
            return f"{prefix}:{name}"
    relative = iri.removeprefix(BASE)
    return f"<{relative}>" if relative and urljoin(BASE, relative) == iri else f"<{iri}>"
