"""Say where a row of an answer comes from, so that a wrong one can be mended there."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from pyoxigraph import Literal, NamedNode

from kg.backend import Backend, Row
from kg.iris import keys_of
from kg.snapshot import Place
from kg.vocab import ID, XSD

# What one place states as a whole: in a source, in a curated table, or, derived, in a rule's file.
_STATEMENTS: Final = frozenset(
    (
        *("deployment", "evidence", "exclusion", "inference", "mapping", "path", "requirement"),
        "statement",
    )
)
_REGISTERED: Final = frozenset(
    (
        *("component", "feature", "generation", "integration", "organisation", "platform"),
        *("precision", "product"),
    )
)


def own_places(backend: Backend, statement: NamedNode) -> tuple[Place, ...]:
    """Return a statement's own rows; curated rows about it have places of their own."""
    places = backend.places(statement)
    own = tuple(place for place in places if place.source == _source(statement))
    return own or places


def places_of_row(backend: Backend, row: Row, asked: Collection[str]) -> tuple[Place, ...]:
    """Return where a row of an answer is stated, sources first; ``asked`` are its parameters.

    That is where the statements that it rests on are; if it has none, where everything that it
    speaks of, also what was asked for, is stated together; or else the rows of the registry that
    it lists. A row that counts over many statements has no such place.
    """
    things = list(_things(row.values()))
    listed = list(_things(term for name, term in row.items() if name not in asked))
    statements = [thing for thing in things if keys_of(thing)[0] in _STATEMENTS]
    if statements:
        found = {place for thing in statements for place in own_places(backend, thing)}
    else:
        found = _shared(backend, things)
    if not found and not _counts(row) and {keys_of(t)[0] for t in listed} <= _REGISTERED:
        found = {place for thing in listed for place in backend.places(thing)}
    return tuple(sorted(found, key=lambda p: (p.path.startswith("curated/"), str(p))))


def _shared(backend: Backend, things: Iterable[NamedNode]) -> set[Place]:
    stated = [set(places) for thing in things if (places := backend.places(thing))]
    return set.intersection(*stated) if len(stated) > 1 else set()


def _source(statement: NamedNode) -> str | None:
    keys = keys_of(statement)
    return keys[1] if len(keys) > 1 else None


def _things(terms: Iterable[object]) -> Iterator[NamedNode]:
    for term in terms:
        if isinstance(term, NamedNode) and term.value.startswith(ID):
            yield term


def _counts(row: Row) -> bool:
    return any(isinstance(t, Literal) and t.datatype == XSD.integer for t in row.values())
