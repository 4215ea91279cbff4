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
    triples = [
        Triple(_REPORT, RDF.type, NamedNode(SH.ValidationReport)),
        Triple(_REPORT, NamedNode(SH.conforms), conforms),
        *(Triple(_REPORT, NamedNode(SH.result), result.iri) for result in results),
    ]
    for result in results:
        triples += _describe(result)
    prefixes = {name: PREFIXES[name] for name in ("dcterms", "ra", "rash", "sh", "xsd")}
    return serialize(triples, format=RdfFormat.TURTLE, prefixes=prefixes) or b""


def _describe(result: Result) -> Iterator[Triple]:
    statements: tuple[tuple[NamedNode, Term | None], ...] = (
        (RDF.type, NamedNode(SH.ValidationResult)),
        (NamedNode(SH.resultSeverity), result.severity),
        (RA.rule, Literal(result.rule)),
        (NamedNode(SH.focusNode), result.focus),
        (NamedNode(SH.resultPath), result.path),
        (NamedNode(SH.value), result.value),
        (NamedNode(SH.sourceConstraintComponent), result.component),
        (NamedNode(SH.sourceShape), result.shape),
        (NamedNode(SH.resultMessage), Literal(result.message)),
        *((DCTERMS.source, Literal(str(place))) for place in result.places),
    )
    iri = result.iri
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
