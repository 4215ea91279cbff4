"""Find where a result can be mended: a focus node's own places, its premises, its words' readings.

A path is stated at many places: its source, and rows of many curated tables. Those are given that
state something that the shape speaks of; and, because a row may read a word wrongly for many paths
at once, the rows that read the path's words into what the shape speaks of.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from pyoxigraph import DefaultGraph, Literal, NamedNode, QuerySolutions, Store

from kg.backend import Term
from kg.iris import keys_of, local_name
from kg.queries import query_text
from kg.rows import named
from kg.snapshot import Place
from kg.validation.results import Result
from kg.validation.shapes import SELECT, SPARQL, Shapes
from kg.vocab import DCTERMS, PREFIXES, RA, RDF, expand

# What a word of a path is read into, by the predicate that states the word: the table of the rows
# that read it, and what else the word decides.
_READ_INTO: Final[Mapping[NamedNode, tuple[str, frozenset[NamedNode]]]] = {
    RA.rawStatus: (
        "status_words",
        frozenset((RA.rawStatus, RA.level, RA.outcome, RA.maturity, RA.basis)),
    ),
    RA.stackText: (
        "stacks",
        frozenset((RA.stackText, RA.component, RA.release, RA.minRelease, RA.maxRelease)),
    ),
    RA.printedPrecision: (
        "precision_names",
        frozenset((RA.printedPrecision, RA.precision, RA.cellPrecision, RA.cellRole)),
    ),
    RA.printedMode: ("feature_names", frozenset((RA.printedMode, RA.feature))),
}
_PARTS: Final = (RA.cell, RA.deployment, RA.evidence)
_DEFAULT: Final = DefaultGraph()
_CURATED: Final = re.compile(r"(^|/)curated/")
_TERM: Final = re.compile(r"(?<![\w:?$<-])(\w+):(\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A row that reads a word: as what, and for which source if for one alone."""

    token: Term
    row: NamedNode
    read: Term | None
    source: Term | None


class Places:
    """Where the nodes of a graph are stated, and which rows read the words of its paths."""

    def __init__(self, places: Mapping[str, set[Place]], data: Store) -> None:
        """Take the places of a graph, and the store that has it with its named graphs."""
        self._places = places
        self._data = data
        self._spoken: dict[NamedNode, set[NamedNode]] = {}

    def of(self, result: Result, shapes: Shapes) -> tuple[Place, ...]:
        """Return where a result can be mended, in the order in which one looks."""
        if result.shape not in self._spoken:
            self._spoken[result.shape] = _spoken_of(result.shape, shapes)
        spoken = self._spoken[result.shape]
        for node in (result.focus, result.value):
            if isinstance(node, NamedNode) and node.value in self._places:
                own = sorted(self._own(node, spoken, result.value), key=source_first)
                premises = sorted(self._of_premises(node), key=source_first)
                read = sorted(self._of_words(node, spoken, result.value), key=source_first)
                return tuple(dict.fromkeys((*own, *premises, *read)))
        return ()

    def _own(self, node: NamedNode, spoken: set[NamedNode], value: Term | None) -> set[Place]:
        """Return a node's places without the rows that state nothing that is spoken of."""
        places = self._places[node.value]
        kept = {place for place in places if not _is_curated(place)}
        if curated := places - kept:
            tables = self._tables(node, spoken)
            kept |= {place for place in curated if place.source in tables}
        return set(self._narrowed(node, kept or places, value))

    def _tables(self, node: NamedNode, predicates: Iterable[NamedNode]) -> set[str]:
        """Return the curated tables that state something of a node by these predicates."""
        return {
            local_name(quad.graph_name)
            for predicate in (*predicates, RDF.type)
            for quad in self._data.quads_for_pattern(node, predicate, None, None)
            if isinstance(quad.graph_name, NamedNode)
        }

    def _narrowed(self, node: NamedNode, places: set[Place], value: Term | None) -> Iterator[Place]:
        """Yield places; of a table that has a row about this value, that row alone."""
        exact: dict[str, set[Place]] = {}
        if isinstance(value, NamedNode) and value != node:
            for quad in self._data.quads_for_pattern(None, RA.curates, node, None):
                row = quad.subject
                if isinstance(row, NamedNode) and local_name(value) in keys_of(row)[2:]:
                    exact.setdefault(keys_of(row)[1], set()).update(self._places.get(row.value, ()))
        for place in places:
            if place in exact.get(place.source, places):
                yield place

    def _of_premises(self, node: NamedNode) -> Iterator[Place]:
        for quad in self._data.quads_for_pattern(node, RA.premise, None, None):
            if isinstance(quad.object, NamedNode):
                yield from self._places.get(quad.object.value, ())

    def _of_words(
        self, node: NamedNode, spoken: set[NamedNode], value: Term | None
    ) -> Iterator[Place]:
        """Yield the rows that read a path's words; of this value alone, if it is such a word."""
        wanted = [printed for printed, (_, into) in _READ_INTO.items() if into & spoken]
        found = [
            reading
            for path in ((node, *self._wholes(node)) if wanted else ())
            for reading in self._of_path(path, wanted)
        ]
        exact = [reading for reading in found if value in (reading.token, reading.read)]
        for reading in exact or found:
            yield from self._places.get(reading.row.value, ())

    def _of_path(self, path: Term, wanted: Iterable[NamedNode]) -> Iterator[_Reading]:
        """Yield the rows that read a path's words; one for its source alone hides a general one."""
        releases = self._stated(path, DCTERMS.isPartOf)
        sources = {source for r in releases for source in self._stated(r, RA.ofSource)}
        for printed in wanted if sources else ():
            for token in self._stated(path, printed):
                read = self._readings.get((printed, token), ())
                own = [reading for reading in read if reading.source in sources]
                yield from own or (reading for reading in read if reading.source is None)

    def _stated(self, node: Term, predicate: NamedNode) -> Iterator[Term]:
        if isinstance(node, NamedNode):
            for quad in self._data.quads_for_pattern(node, predicate, None, _DEFAULT):
                yield quad.object

    def _wholes(self, part: NamedNode) -> Iterator[Term]:
        for predicate in _PARTS:
            for quad in self._data.quads_for_pattern(None, predicate, part, None):
                yield quad.subject

    @cached_property
    def _readings(self) -> dict[tuple[NamedNode, Term], list[_Reading]]:
        """The rows that read each word, by the predicate that states the word too."""
        stating = {table: printed for printed, (table, _) in _READ_INTO.items()}
        readings: dict[tuple[NamedNode, Term], list[_Reading]] = {}
        for reading in _read(self._data):
            if printed := stating.get(keys_of(reading.row)[1]):
                readings.setdefault((printed, reading.token), []).append(reading)
        return readings


def _read(data: Store) -> Iterator[_Reading]:
    solutions = data.query(query_text("words_read"))
    if not isinstance(solutions, QuerySolutions):
        raise TypeError("words_read is not a SELECT query")
    for row in solutions:
        yield _Reading(
            token=row["token"], row=named(row["row"]), read=row["read"], source=row["source"]
        )


def _spoken_of(shape: NamedNode, shapes: Shapes) -> set[NamedNode]:
    """Return the terms in a shape and in its queries."""
    said = shapes.said.get(shape, {})
    terms = {term for values in said.values() for term in values if isinstance(term, NamedNode)}
    for constraint in said.get(SPARQL, ()):
        for text in shapes.said.get(constraint, {}).get(SELECT, ()):
            if isinstance(text, Literal):
                names = (match for match in _TERM.finditer(text.value) if match[1] in PREFIXES)
                terms |= {expand(match[0]) for match in names}
    return terms


def _is_curated(place: Place) -> bool:
    return _is_table(place.path)


@cache
def _is_table(path: str) -> bool:
    return bool(_CURATED.search(path))


def source_first(place: Place) -> tuple[bool, str, int, str, str]:
    """Sort sources before curated rows, each by file and line."""
    return _is_curated(place), place.path, len(place.place), place.place, place.source
