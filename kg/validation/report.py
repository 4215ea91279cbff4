"""Write a validation report: each result with the places that state its focus node."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from pyoxigraph import Literal, NamedNode, RdfFormat, Store, Triple, serialize
from rdflib.namespace import SH

from kg.backend import Term
from kg.iris import local_name
from kg.snapshot import Place
from kg.terms import shorten
from kg.validation.results import SEVERITIES, Result, iri_or_text
from kg.vocab import DCTERMS, ID, PREFIXES, RA, RDF, XSD

PLACES_SHOWN: Final = 3

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


def placed(result: Result, places: Mapping[str, set[Place]], data: Store) -> Result:
    """Add where the focus node is stated: its own places, then those of its premises."""
    for term in (result.focus, result.value):
        if isinstance(term, NamedNode) and term.value in places:
            premises = [
                quad.object.value
                for quad in data.quads_for_pattern(term, RA.premise, None)
                if isinstance(quad.object, NamedNode)
            ]
            own = sorted(places[term.value], key=_source_first)
            others = {place for name in premises for place in places.get(name, ())}
            others -= places[term.value]
            return replace(result, places=(*own, *sorted(others, key=_source_first)))
    return result


def _source_first(place: Place) -> tuple[bool, str, int, str, str]:
    curated = place.path.startswith("curated/")
    return curated, place.path, len(place.place), place.place, place.source


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
        lines += [f"{name} of {rule}: {message}", *map(_line, group), ""]
    severities = Counter(local_name(result.severity) for result in results)
    outcome = "Does not conform" if severities["Violation"] else "Conforms"
    counts = f"violations: {severities['Violation']}, warnings: {severities['Warning']}, "
    counts += f"notes: {severities['Info']}, {checked}"
    return "\n".join([*lines, f"{outcome} ({counts}).", ""])


def _line(result: Result) -> str:
    shown = [str(place) for place in result.places[:PLACES_SHOWN]]
    more = [f"{len(result.places) - len(shown)} more"] if len(result.places) > len(shown) else []
    said = (shorten(term) for term in (result.path, result.value) if term is not None)
    focus = iri_or_text(result.focus).removeprefix(ID)
    return f"  {', '.join([*shown, *more]) or 'no place'}: {' '.join([focus, *said])}"
