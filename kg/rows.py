"""Take the rows of an answer apart."""

from collections.abc import Iterable

from pyoxigraph import NamedNode

from kg.backend import Row


def named(term: object) -> NamedNode:
    """Return a term that one of our own queries promises to be an IRI."""
    if not isinstance(term, NamedNode):
        raise TypeError(f"{term} is not an IRI")
    return term


def grouped(rows: Iterable[Row], column: str) -> dict[NamedNode, list[Row]]:
    """Return the rows by the IRI in a column, in the order of first appearance."""
    groups: dict[NamedNode, list[Row]] = {}
    for row in rows:
        groups.setdefault(named(row[column]), []).append(row)
    return groups
