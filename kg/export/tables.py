"""What a table is: which things give its rows, and how each column is read from the facts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from pyoxigraph import NamedNode

from kg.export.facts import Facts, overlay_alone
from kg.iris import keys_of
from kg.vocab import DCTERMS, RA

Cell: TypeAlias = str | int | tuple[str, ...] | None


class Kind(Enum):
    """What the cells of a column hold."""

    TEXT = "text"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    DATE = "date"
    LIST = "list of text"


@dataclass(frozen=True, slots=True)
class Row:
    """The things that a row is about, and the overlay that alone states it."""

    things: tuple[NamedNode, ...]
    overlay: str | None


Read: TypeAlias = Callable[[Facts, Row], Cell]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its meaning, how it is read, and the table whose key it holds (if any)."""

    name: str
    meaning: str
    read: Read
    kind: Kind = Kind.TEXT
    required: bool = False
    refers_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table: a row for each instance of a class, or for each of its parts, or of theirs.

    ``parts`` holds, for each step, the predicates that lead on. ``key`` names the columns that tell
    rows apart; a column that refers to a table holds that table's one key column.
    """

    name: str
    meaning: str
    asserted: bool
    of: NamedNode
    parts: tuple[tuple[NamedNode, ...], ...] = ()
    key: tuple[str, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """A table and its rows, in order of their keys."""

    table: Table
    rows: tuple[tuple[Cell, ...], ...]


def fill(table: Table, facts: Facts) -> Filled:
    """Fill a table from the facts of its layer."""
    rows = [
        tuple(column.read(facts, row) for column in table.columns) for row in _rows(table, facts)
    ]
    names = [column.name for column in table.columns]
    places = [names.index(name) for name in table.key]
    return Filled(table, tuple(sorted(rows, key=lambda row: [str(row[place]) for place in places])))


def _rows(table: Table, facts: Facts) -> Iterator[Row]:
    rows = [Row((thing,), overlay_alone(graphs)) for thing, graphs in facts.instances(table.of)]
    for predicates in table.parts:
        rows = [
            Row((*row.things, part), row.overlay or overlay_alone(graphs))
            for row in rows
            for part, graphs in facts.parts(row.things[-1], predicates)
        ]
    yield from rows


def iri(of: int = 0) -> Read:
    """Read the IRI of a row's thing."""
    return lambda _facts, row: row.things[of].value


def written(of: int = 0) -> Read:
    """Read a row's thing written out: its id, or a model's label."""
    return lambda facts, row: facts.name(row.things[of])


def kind_of(*chain: NamedNode, of: int = 0) -> Read:
    """Read the kind of thing that a chain of predicates leads to: ``product``, ``generation``."""

    def read(facts: Facts, row: Row) -> Cell:
        found = facts.values(row.things[of], *chain)
        return next((keys_of(term)[0] for term in found if isinstance(term, NamedNode)), None)

    return read


def text(*chain: NamedNode, of: int = 0) -> Read:
    """Read the one value that a chain of predicates leads to, written out."""
    return lambda facts, row: next(iter(facts.names(row.things[of], *chain)), None)


def each(*chain: NamedNode, of: int = 0) -> Read:
    """Read every value that a chain of predicates leads to, written out and in order."""
    return lambda facts, row: facts.names(row.things[of], *chain)


def reference(*chain: NamedNode, of: int = 0) -> Read:
    """Read the IRI of the one resource that a chain of predicates leads to."""

    def read(facts: Facts, row: Row) -> Cell:
        found = facts.values(row.things[of], *chain)
        return next((term.value for term in found if isinstance(term, NamedNode)), None)

    return read


def number(*chain: NamedNode, of: int = 0) -> Read:
    """Read the one whole number that a chain of predicates leads to."""

    def read(facts: Facts, row: Row) -> Cell:
        found = facts.names(row.things[of], *chain)
        return int(found[0]) if found else None

    return read


def count(*chain: NamedNode, of: int = 0) -> Read:
    """Count the values that a chain of predicates leads to."""
    return lambda facts, row: len(facts.values(row.things[of], *chain))


def texts(*predicates: NamedNode, of: int = 0) -> Read:
    """Read every value of one predicate, or of several together, written out and in order."""

    def read(facts: Facts, row: Row) -> Cell:
        values = {value for p in predicates for value in facts.values(row.things[of], p)}
        return tuple(sorted(facts.name(value) for value in values))

    return read


_BOUNDS: Final = {"==": RA.release, ">=": RA.minRelease, "<=": RA.maxRelease}


def bounds(facts: Facts, row: Row) -> Cell:
    """Read the releases that a path states, as ``vllm==0.9``, ``vllm>=0.9`` or ``vllm<=0.9``."""
    return tuple(
        sorted(
            f"{component}{sign}{version}"
            for sign, predicate in _BOUNDS.items()
            for release, _ in facts.parts(row.things[0], [predicate])
            for component in facts.names(release, RA.ofComponent)
            for version in facts.names(release, RA.version)
        )
    )


def places(facts: Facts, row: Row) -> Cell:
    """Read where a path's own source states it, not the curated rows about it."""
    sources = facts.names(row.things[0], DCTERMS.isPartOf, RA.ofSource)
    found = facts.places.get(row.things[0].value, ())
    return tuple(sorted(str(place) for place in found if place.source in sources))


def overlay(_facts: Facts, row: Row) -> Cell:
    """Read which overlay alone states the row."""
    return row.overlay


def needs_overlay(_facts: Facts, row: Row) -> Cell:
    """Tell whether a derived row follows only with a user's own statements."""
    return row.overlay is not None
