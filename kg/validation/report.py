"""Write a validation report: each result with the places where it can be mended."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, takewhile
from textwrap import wrap
from typing import Final

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize
from rdflib.namespace import SH

from kg.backend import Term
from kg.iris import local_name
from kg.place_text import compact
from kg.snapshot import Place
from kg.terms import shorten
from kg.validation.places import source_first
from kg.validation.results import SEVERITIES, Result, iri_or_text
from kg.vocab import DCTERMS, ID, PREFIXES, RA, RDF, XSD

TOGETHER: Final = 4  # so many results of a shape that differ in the focus node alone
WIDTH: Final = 100

_REPORT: Final = NamedNode(f"{ID}validation-report")
_VIOLATION: Final = NamedNode(SH.Violation)

_COMPONENT: Final = NamedNode(SH.sourceConstraintComponent)
_CONFORMS: Final = NamedNode(SH.conforms)
_FOCUS: Final = NamedNode(SH.focusNode)
_MESSAGE: Final = NamedNode(SH.resultMessage)
_PATH: Final = NamedNode(SH.resultPath)
_RESULT: Final = NamedNode(SH.result)
_SEVERITY: Final = NamedNode(SH.resultSeverity)
_SHAPE: Final = NamedNode(SH.sourceShape)
_VALIDATION_REPORT: Final = NamedNode(SH.ValidationReport)
_VALIDATION_RESULT: Final = NamedNode(SH.ValidationResult)
_VALUE: Final = NamedNode(SH.value)


@dataclass(frozen=True, slots=True)
class Report:
    """A validation report; it conforms if no result is a violation."""

    conforms: bool
    turtle: bytes
    text: str
    results: tuple[Result, ...]


def write_report(found: Iterable[Result], checked: str) -> Report:
    """Write results in order; ``checked`` says what was checked."""
    results = tuple(sorted(found, key=lambda result: result.order))
    return Report(
        conforms=all(result.severity != _VIOLATION for result in results),
        turtle=_write_turtle(results),
        text=_write_text(results, checked),
        results=results,
    )


def _write_turtle(results: tuple[Result, ...]) -> bytes:
    conforms = Literal(str(not results).lower(), datatype=XSD.boolean)
    triples = [Triple(_REPORT, RDF.type, _VALIDATION_REPORT), Triple(_REPORT, _CONFORMS, conforms)]
    for result in results:
        iri = result.iri
        triples.append(Triple(_REPORT, _RESULT, iri))
        triples += _describe(iri, result)
    prefixes = {name: PREFIXES[name] for name in ("dcterms", "ra", "rash", "sh", "xsd")}
    triples.sort(key=lambda triple: triple.subject != _REPORT)
    return serialize(triples, format=RdfFormat.TURTLE, prefixes=prefixes) or b""


def _describe(iri: NamedNode, result: Result) -> Iterator[Triple]:
    statements: tuple[tuple[NamedNode, Term | None], ...] = (
        (RDF.type, _VALIDATION_RESULT),
        (_SEVERITY, result.severity),
        (RA.rule, Literal(result.rule)),
        (_FOCUS, result.focus),
        (_PATH, result.path),
        (_VALUE, result.value),
        (_COMPONENT, result.component),
        (_SHAPE, result.shape),
        (_MESSAGE, Literal(result.message)),
        *((DCTERMS.source, Literal(str(place))) for place in result.places),
    )
    for predicate, term in statements:
        if term is not None:
            yield Triple(iri, predicate, term)


def _write_text(results: tuple[Result, ...], checked: str) -> str:
    lines = []
    for (severity, rule, message), group in groupby(results, key=lambda r: r.order[:3]):
        name = SEVERITIES[int(severity)]
        lines += [f"{name} of {rule}: {message}", *_lines(group), ""]
    severities = Counter(local_name(result.severity) for result in results)
    outcome = "Does not conform" if severities["Violation"] else "Conforms"
    counts = f"violations: {severities['Violation']}, warnings: {severities['Warning']}, "
    counts += f"notes: {severities['Info']}, {checked}"
    return "\n".join([*lines, f"{outcome} ({counts}).", ""])


def _lines(results: Iterable[Result]) -> Iterator[str]:
    """Yield a line for each result; many that differ in the focus node alone stand together."""
    alike: dict[tuple[Term | None, ...], list[Result]] = {}
    for result in results:
        value = None if result.value == result.focus else result.value
        alike.setdefault((result.shape, result.path, value), []).append(result)
    for (_, path, value), found in alike.items():
        if len(found) < TOGETHER:
            yield from map(_line, found)
        else:
            yield from _together(found, path, value)


def _line(result: Result) -> str:
    said = (shorten(term) for term in (result.path, result.value) if term is not None)
    return f"  {_where(result.places)}: {' '.join([_name(result.focus), *said])}"


def _together(results: list[Result], path: Term | None, value: Term | None) -> Iterator[str]:
    places = sorted(
        dict.fromkeys(place for result in results for place in result.places), key=source_first
    )
    said = (shorten(term) for term in (path, value) if term is not None)
    yield f"  {_where(places)}: {' '.join([f'{len(results)} nodes', *said])}"
    names = [_name(result.focus) for result in results]
    common = _common(names)
    begin = f"{common}: " if common else ""
    yield from wrap(
        begin + ", ".join(name.removeprefix(common) for name in names),
        WIDTH,
        initial_indent="    ",
        subsequent_indent="      ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def _common(names: list[str]) -> str:
    """Return the keys with which all names begin, up to a slash."""
    keys = zip(*(name.split("/")[:-1] for name in names), strict=False)
    return "".join(f"{first}/" for first, *_ in takewhile(lambda each: len(set(each)) == 1, keys))


def _where(places: Iterable[Place]) -> str:
    return ", ".join(compact(map(str, places))) or "no place"


def _name(focus: Term) -> str:
    return iri_or_text(focus).removeprefix(ID)
