"""Ask a stored question: turn the values that people type into terms, and run it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import get_close_matches
from typing import Final

from pyoxigraph import Literal, NamedNode

from kg.backend import Backend, Row
from kg.errors import UnknownNameError, UsageError
from kg.iris import mint_checkpoint, mint_iri
from kg.names import HARDWARE, Names, read_names
from kg.places import places_of_row
from kg.queries import Parameter, Question, query_text, questions
from kg.snapshot import Place
from kg.terms import shorten
from kg.vocab import RA, XSD

_DAY: Final = re.compile(r"(today|\d{4}-\d{2}-\d{2})(?:-(\d{1,5})d)?")
_REGISTERED: Final = {
    "component": (RA.Component,),
    "feature": (RA.Feature,),
    "generation": (RA.Generation,),
    "hardware": HARDWARE,
    "platform": (RA.Platform,),
    "precision": (RA.Precision,),
    "product": (RA.Product,),
}
_FEW: Final = 10  # so many values are all named where none comes near
_STATED: Final = {
    "architecture": RA.Architecture,
    "checkpoint": RA.Checkpoint,
    "family": RA.Family,
    "level": RA.EvidenceLevel,
    "modality": RA.Modality,
    "source": RA.Source,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's rows; ``columns`` are those that it returns, without what was asked.

    ``places`` says of each row where it is stated.
    """

    question: Question
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    places: tuple[tuple[Place, ...], ...]


def find_question(name: str) -> Question:
    """Return a stored question.

    Raises:
        UnknownNameError: there is none of that name; with near misses.
    """
    known = questions()
    if name not in known:
        raise UnknownNameError("question", name, get_close_matches(name, known))
    return known[name]


def ask(backend: Backend, name: str, values: Mapping[str, str], *, today: date) -> Asked:
    """Ask a stored question with the values of its parameters; ``today`` resolves that word.

    Raises:
        UnknownNameError: no such question, or a value that names nothing in the registry.
        UsageError: a parameter that the question does not take, or lacks, or a malformed value.
    """
    question = find_question(name)
    bindings = bind(backend, question, values, today=today)
    rows = backend.select(question.text, bindings)
    columns = tuple(column for column, _ in question.columns)
    places = tuple(places_of_row(backend, row, {*bindings}) for row in rows)
    return Asked(question, columns, tuple(rows), places)


def bind(
    backend: Backend, question: Question, values: Mapping[str, str], *, today: date
) -> dict[str, NamedNode | Literal]:
    """Return the terms that a question is asked with; a value that is left out is its default.

    Raises:
        UnknownNameError: a value names nothing in the registry.
        UsageError: a parameter that the question does not take, or lacks, or a malformed value.
    """
    taken = {parameter.name for parameter in question.parameters}
    for given in values:
        if given not in taken:
            said = ", ".join(sorted(taken)) or "nothing"
            raise UsageError(f"{question.name} takes {said}, not {given!r}.")
    names = read_names(backend)
    return {
        parameter.name: _term(backend, parameter, _value(question, parameter, values), names, today)
        for parameter in question.parameters
    }


def _value(question: Question, parameter: Parameter, values: Mapping[str, str]) -> str:
    value = values.get(parameter.name, parameter.default)
    if value is None:
        raise UsageError(f"{question.name} needs {parameter.name}=…: {parameter.meaning}.")
    return value


def _term(
    backend: Backend, parameter: Parameter, value: str, names: Names, today: date
) -> NamedNode | Literal:
    if parameter.kind in _REGISTERED:
        return names.resolve(parameter.kind, value, _REGISTERED[parameter.kind]).iri
    if parameter.kind in _STATED:
        _refuse_unknown(backend, parameter.kind, value)
    return _TERMS[parameter.kind](parameter.name, value, today)


def _refuse_unknown(backend: Backend, kind: str, value: str) -> None:
    rows = backend.select(query_text("known_keys"), {})
    known = [shorten(row["key"]) for row in rows if row["type"] == _STATED[kind]]
    if value not in known:
        folded = {key.casefold(): key for key in known}
        near = [folded[match] for match in get_close_matches(value.casefold(), folded)]
        near = near or (known if len(known) <= _FEW else [])
        raise UnknownNameError(kind, value, near)


def _day(name: str, value: str, today: date) -> Literal:
    match = _DAY.fullmatch(value)
    try:
        day = (
            today
            if match and match[1] == "today"
            else date.fromisoformat(match[1] if match else "")
        )
        moved = day - timedelta(days=int(match[2] or 0) if match else 0)
    except (ValueError, OverflowError) as error:
        message = f"{name} {value!r} is not a date such as 2026-11-30, today or today-90d."
        raise UsageError(message) from error
    return Literal(moved.isoformat(), datatype=XSD.date)


def _count(name: str, value: str, _today: date) -> Literal:
    if not re.fullmatch(r"[0-9]{1,9}", value):
        raise UsageError(f"{name} {value!r} is not a whole number.")
    return Literal(value, datatype=XSD.integer)


_TERMS: Final[Mapping[str, Callable[[str, str, date], NamedNode | Literal]]] = {
    "architecture": lambda _name, value, _today: mint_iri("architecture", value),
    "checkpoint": lambda _name, value, _today: mint_checkpoint(value),
    "count": _count,
    "date": _day,
    "family": lambda _name, value, _today: mint_iri("family", *value.split("/", 1)),
    "level": lambda _name, value, _today: Literal(value),
    "modality": lambda _name, value, _today: Literal(value),
    "source": lambda _name, value, _today: mint_iri("source", value),
    "text": lambda _name, value, _today: Literal(value),
}
