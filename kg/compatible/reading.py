"""Read what leads are made of: members of classes and families, lineage, paths, derivations."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode

from kg.backend import Backend, Row
from kg.compatible.leads import Listed, Witness
from kg.iris import mint_iri
from kg.queries import query_text
from kg.rows import grouped, named
from kg.terms import shorten
from kg.vocab import RA

_VARIANTS: Final = frozenset({RA.quantizedFrom, RA.adapterOf})


@dataclass(frozen=True, slots=True)
class Member:
    """A checkpoint under a class, with what its rows say beside the statements."""

    witness: Witness
    families: tuple[NamedNode, ...]
    modalities: frozenset[NamedNode]


@dataclass(frozen=True, slots=True)
class Families:
    """The labels of families, and the curated rows that put them below a publisher's line."""

    labels: Mapping[NamedNode, str]
    broader: Mapping[NamedNode, tuple[NamedNode, ...]]
    lines: frozenset[NamedNode]

    def narrower(self, family: NamedNode) -> Iterator[NamedNode]:
        """Yield the families that stand below one."""
        return (below for below, above in self.broader.items() if family in above)

    def up(self, route: tuple[NamedNode, ...]) -> Iterator[tuple[NamedNode, ...]]:
        """Yield the routes from a route's end to a publisher's line, and no further."""
        if route[-1] in self.lines:
            yield route
            return
        for above in self.broader.get(route[-1], ()):
            if above not in route:
                yield from self.up((*route, above))

    def lines_of(self, family: NamedNode) -> tuple[NamedNode, ...]:
        """Return the publisher's lines that a family belongs to."""
        return tuple(dict.fromkeys(route[-1] for route in self.up((family,))))

    def down(self, route: tuple[NamedNode, ...]) -> Iterator[tuple[NamedNode, ...]]:
        """Yield the routes on from a route's end to each family below it."""
        for below in self.narrower(route[-1]):
            if below not in route:
                yield (*route, below)
                yield from self.down((*route, below))

    def routes(self, family: NamedNode) -> Iterator[tuple[NamedNode, ...]]:
        """Yield the family alone, then the routes over its lines to the families beside it."""
        yield (family,)
        for up in self.up((family,)):
            yield from self.down(up)


def read_members(backend: Backend, architecture: NamedNode) -> list[Member]:
    """Read the checkpoints that sources print under a class."""
    rows = backend.select(query_text("members_of_architecture"), {"architecture": architecture})
    return [
        Member(
            _witness(checkpoint, said),
            tuple(dict.fromkeys(named(row["family"]) for row in said if "family" in row)),
            frozenset(named(row["modality"]) for row in said if "modality" in row),
        )
        for checkpoint, said in grouped(rows, "checkpoint").items()
    ]


def read_classes_of_family(
    backend: Backend, family: NamedNode, modality: NamedNode
) -> dict[NamedNode, list[Witness]]:
    """Read the classes of a family's checkpoints of one modality."""
    rows = backend.select(query_text("members_of_family"), {"family": family})
    same = [row for row in rows if row["modality"] == modality]
    return {
        architecture: [
            _witness(checkpoint, said) for checkpoint, said in grouped(of, "checkpoint").items()
        ]
        for architecture, of in grouped(same, "architecture").items()
    }


def read_classes_of_checkpoint(backend: Backend, checkpoint: NamedNode) -> dict[NamedNode, Witness]:
    """Read the classes that sources print for a checkpoint."""
    statements: dict[str, list[NamedNode]] = {}
    for row in backend.select(query_text("classes_of_checkpoint"), {"checkpoint": checkpoint}):
        statements.setdefault(shorten(row["class"]), []).append(named(row["statement"]))
    return {
        mint_iri("architecture", name): Witness(
            checkpoint, tuple(said), tuple(sorted({*statements} - {name}))
        )
        for name, said in statements.items()
    }


def _witness(checkpoint: NamedNode, rows: list[Row]) -> Witness:
    return Witness(
        checkpoint,
        tuple(dict.fromkeys(named(row["statement"]) for row in rows)),
        tuple(sorted({shorten(row["also"]) for row in rows if "also" in row})),
    )


def read_families(backend: Backend) -> Families:
    """Read every family, and the curated hierarchy above it."""
    rows = backend.select(query_text("family_hierarchy"), {})
    broader: dict[NamedNode, list[NamedNode]] = {}
    for row in rows:
        if "broader" in row:
            broader.setdefault(named(row["family"]), []).append(named(row["broader"]))
    return Families(
        {named(row["family"]): shorten(row["label"]) for row in rows},
        {family: tuple(dict.fromkeys(above)) for family, above in broader.items()},
        frozenset(named(row["family"]) for row in rows if "publisher" in row),
    )


def read_lineage(backend: Backend) -> Iterator[tuple[NamedNode, NamedNode, NamedNode]]:
    """Read every stated lineage: the checkpoint, the predicate, and what it comes from."""
    for row in backend.select(query_text("lineage"), {}):
        yield named(row["child"]), named(row["predicate"]), named(row["parent"])


def read_variants(backend: Backend) -> frozenset[NamedNode]:
    """Read which checkpoints are stated to be quantised from another, or an adapter of one."""
    return frozenset(
        child for child, predicate, _ in read_lineage(backend) if predicate in _VARIANTS
    )


def read_listed(backend: Backend, platform: NamedNode) -> list[Listed]:
    """Read every asserted path of a checkpoint on a platform."""
    rows = backend.select(query_text("paths_on_platform"), {"platform": platform})
    return [
        Listed(
            path=path,
            checkpoint=named(said[0]["checkpoint"]),
            source=named(said[0]["source"]),
            outcome=named(said[0]["outcome"]),
            level=named(said[0]["level"]) if "level" in said[0] else None,
            stack=shorten(said[0]["stack"]),
            tested_variants=tuple(shorten(row["tested"]) for row in said if "tested" in row),
            places=tuple(
                place
                for place in backend.places(path)
                if place.source == shorten(said[0]["source"])
            ),
        )
        for path, said in grouped(rows, "path").items()
    ]
