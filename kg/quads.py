"""Write what is said of one subject as quads."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode, Quad

from kg.vocab import XSD

Value: TypeAlias = NamedNode | Literal | str | int | date


def describe(
    graph: NamedNode,
    subject: NamedNode,
    *statements: tuple[NamedNode, Value | Iterable[Value] | None],
) -> Iterator[Quad]:
    """Yield a quad for each value of each predicate; None is no statement.

    Text becomes a plain string, a number an xsd:integer, a date an xsd:date.
    """
    for predicate, values in statements:
        for value in _each(values):
            yield Quad(subject, predicate, _term(value), graph)


def _each(values: Value | Iterable[Value] | None) -> Iterable[Value]:
    if values is None:
        return ()
    if isinstance(values, NamedNode | Literal | str | int | date):
        return (values,)
    return values


def _term(value: Value) -> NamedNode | Literal:
    if isinstance(value, NamedNode | Literal):
        return value
    if isinstance(value, date):
        return Literal(value.isoformat(), datatype=XSD.date)
    return Literal(str(value), datatype=XSD.integer) if isinstance(value, int) else Literal(value)
