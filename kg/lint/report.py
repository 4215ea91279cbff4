"""Read a validation report as a build wrote it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode, RdfFormat, parse

from kg.backend import Term
from kg.iris import local_name
from kg.lint.findings import Finding
from kg.rows import named
from kg.terms import shorten
from kg.vocab import DCTERMS, RDF, expand

_RESULT: Final = expand("sh:ValidationResult")


@dataclass(frozen=True, slots=True)
class Reported:
    """One result: which shape of which rule, how severe, its message, and what it found."""

    shape: str
    rule: str
    severity: str
    message: str
    finding: Finding


def read_report(content: bytes) -> tuple[Reported, ...]:
    """Return the results of a report, in no order.

    Raises:
        SyntaxError: it is not Turtle.
        TypeError: a result lacks what the report of a build says.
    """
    said: dict[Term, dict[NamedNode, list[Term]]] = {}
    for quad in parse(content, format=RdfFormat.TURTLE):
        said.setdefault(quad.subject, {}).setdefault(quad.predicate, []).append(quad.object)
    return tuple(_read(node) for node in said.values() if node.get(RDF.type) == [_RESULT])


def _read(node: dict[NamedNode, list[Term]]) -> Reported:
    focus = named(_term(node, "sh:focusNode"))
    value = shorten(_term(node, "sh:value"))
    places = (shorten(place) for place in node.get(DCTERMS.source, ()))
    own = value == shorten(focus)  # a shape without a path gives the node itself
    return Reported(
        shape=local_name(named(_term(node, "sh:sourceShape"))),
        rule=shorten(_term(node, "ra:rule")),
        severity=local_name(named(_term(node, "sh:resultSeverity"))),
        message=shorten(_term(node, "sh:resultMessage")),
        finding=Finding(focus, "" if own else value, in_order(places)),
    )


def _term(node: dict[NamedNode, list[Term]], name: str) -> Term | None:
    return next(iter(node.get(expand(name), ())), None)


def in_order(places: Iterable[str]) -> tuple[str, ...]:
    """Return places with sources before curated rows, and lines as numbers."""
    return tuple(sorted(set(places), key=_order))


def _order(place: str) -> tuple[bool, str, tuple[tuple[int, str], ...]]:
    file, mark = parted(place)
    numbers = tuple(_as_number(part) for part in mark.split("/"))
    return "curated/" in f"/{file}", file, numbers


def parted(place: str) -> tuple[str, str]:
    """Return the file of a place, and its line or JSON pointer (which begins with a slash)."""
    file, hash_, pointer = place.partition("#/")
    if hash_:
        return file, f"/{pointer}"
    file, _, line = place.rpartition(":")
    return file, line


def _as_number(part: str) -> tuple[int, str]:
    return (int(part), "") if part.isdecimal() else (0, part)


def compact(places: Iterable[str]) -> Iterator[str]:
    """Yield places with the lines of one file together: ``file:3,12-39``."""
    lines: dict[str, list[int]] = {}
    for place in places:
        file, mark = parted(place)
        if mark.isdecimal():
            lines.setdefault(file, []).append(int(mark))
        else:
            yield place
    for file, numbers in lines.items():
        yield f"{file}:{','.join(_runs(numbers))}"


def _runs(numbers: list[int]) -> Iterator[str]:
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield _run(first, last)
            first = number
        last = number
    yield _run(first, last)


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
