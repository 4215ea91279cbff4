"""Read a validation report as a build wrote it."""

from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode, RdfFormat, parse

from kg.backend import Term
from kg.iris import local_name
from kg.lint.findings import Finding
from kg.place_text import in_order
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
