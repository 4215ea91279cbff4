"""What is asserted in a snapshot: subject by subject, predicate by predicate."""

from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from pyoxigraph import NamedNode

from kg.backend import Backend, Term
from kg.diff.records import Value
from kg.queries import query_text
from kg.rows import named
from kg.snapshot import Place
from kg.terms import shorten
from kg.vocab import OVERLAY_GRAPHS, RA, RDFS


class Facts:
    """What is said of every subject of the classes that are compared."""

    def __init__(self, backend: Backend) -> None:
        """Read them; the store does not keep the order of its rows, so values are sorted."""
        self._backend = backend
        self._said: dict[NamedNode, dict[NamedNode, set[Term]]] = {}
        self._types: dict[NamedNode, set[NamedNode]] = {}
        for row in backend.select(query_text("facts_to_compare"), {}):
            subject, predicate = named(row["subject"]), named(row["predicate"])
            self._types.setdefault(named(row["type"]), set()).add(subject)
            self._said.setdefault(subject, {}).setdefault(predicate, set()).add(row["value"])
        self._texts: dict[Term, str] = {}
        self._overlays: dict[NamedNode, str] = {}
        for row in backend.select(query_text("stated_in_overlays"), {}):
            self._overlays.setdefault(named(row["subject"]), overlay_of(named(row["graph"])))
        self.hashes: Mapping[NamedNode, str] = {
            named(row["release"]): shorten(row["sha256"])
            for row in backend.select(query_text("document_hashes"), {})
        }

    def of_type(self, *types: NamedNode) -> Iterator[NamedNode]:
        """Yield the subjects of classes, in order of IRI."""
        found = {subject for type_ in types for subject in self._types.get(type_, ())}
        yield from sorted(found, key=lambda subject: subject.value)

    def terms(self, subject: NamedNode, *predicates: NamedNode) -> list[Term]:
        """Return what stands under predicates, in order."""
        said = self._said.get(subject, {})
        found: list[Term] = []
        for predicate in predicates:
            values = said.get(predicate, ())
            found += sorted(values, key=str) if len(values) > 1 else values
        return found

    def iris(self, subject: NamedNode, *predicates: NamedNode) -> list[NamedNode]:
        """Return the IRIs under predicates, in order."""
        terms = self.terms(subject, *predicates)
        return [term for term in terms if isinstance(term, NamedNode)]

    def texts(self, subject: NamedNode, *predicates: NamedNode) -> list[str]:
        """Return what stands under predicates as people read it; a label is read for its text."""
        return [self._text(term) for term in self.terms(subject, *predicates)]

    def text(self, subject: NamedNode, *predicates: NamedNode) -> str:
        """Return the first text under predicates, or none."""
        return next(iter(self.texts(subject, *predicates)), "")

    def values(self, subject: NamedNode, *predicates: NamedNode) -> frozenset[Value]:
        """Return what stands under predicates as the values of an aspect."""
        return frozenset(map(Value, self.texts(subject, *predicates)))

    def places(self, subject: NamedNode, source: str = "") -> tuple[Place, ...]:
        """Return where a subject stands: in its source's own rows, if these are noted."""
        places = self._backend.places(subject)
        return tuple(place for place in places if place.source == source) or places

    def overlay(self, subject: NamedNode) -> str | None:
        """Return the overlay that alone names a subject."""
        return self._overlays.get(subject)

    def _text(self, term: Term) -> str:
        if term not in self._texts:
            self._texts[term] = self._read(term)
        return self._texts[term]

    def _read(self, term: Term) -> str:
        # A label without repository id is known by its text; its IRI also holds its source.
        if isinstance(term, NamedNode) and term in self._types.get(RA.ModelLabel, ()):
            return self.text(term, RDFS.label) or shorten(term)
        return shorten(term).removeprefix("ra:")


def overlay_of(graph: NamedNode) -> str:
    """Return the name of the overlay that a graph belongs to."""
    return unquote(graph.value.removeprefix(OVERLAY_GRAPHS).partition("/")[0])
