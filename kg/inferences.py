"""What is derived for a class: read from the derived graphs, never from what is asserted."""

from dataclasses import dataclass
from datetime import date

from pyoxigraph import NamedNode

from kg.backend import Backend, Row
from kg.queries import query_text
from kg.rows import grouped, named
from kg.snapshot import Place
from kg.terms import shorten


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """What is derived for a class on one platform: no level, no evidence.

    ``made`` is the day on which the licensing document was registered, where it is known.
    """

    iri: NamedNode
    platform: NamedNode
    components: frozenset[NamedNode]
    compile_mode: str | None
    premises: tuple[NamedNode, ...]
    licence: NamedNode
    grant: str
    licence_places: tuple[Place, ...]
    rule: NamedNode
    made: date | None


def read_inferences(backend: Backend, architecture: NamedNode) -> tuple[Inference, ...]:
    """Read what is derived for a class, in order of IRI."""
    rows = backend.select(query_text("inferences_of_class"), {"architecture": architecture})
    found = grouped(rows, "inference")
    return tuple(_inference(backend, iri, said) for iri, said in found.items())


def _inference(backend: Backend, iri: NamedNode, rows: list[Row]) -> Inference:
    first = rows[0]
    licence = named(first["licence"])
    registered = shorten(first.get("registered"))
    return Inference(
        iri=iri,
        platform=named(first["platform"]),
        components=frozenset(named(row["component"]) for row in rows),
        compile_mode=shorten(first.get("mode")) or None,
        premises=tuple(dict.fromkeys(named(row["premise"]) for row in rows)),
        licence=licence,
        grant=shorten(first["grant"]),
        licence_places=backend.places(licence),
        rule=named(first["rule"]),
        made=date.fromisoformat(registered[:10]) if registered else None,
    )
