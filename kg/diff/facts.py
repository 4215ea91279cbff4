"""What is asserted in a snapshot: subject by subject, predicate by predicate."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final
from urllib.parse import unquote

from pyoxigraph import NamedNode

from kg.backend import Backend, Term
from kg.diff.records import Value
from kg.iris import keys_of, local_name
from kg.queries import query_text
from kg.rows import named
from kg.snapshot import Place
from kg.terms import shorten
from kg.vocab import ID, OVERLAY_GRAPHS, RA, RDF, RDFS, SKOS

_NOTHING: Final[Mapping[NamedNode, Sequence[Term]]] = {}


class Facts:
    """What is said of every subject, and which subjects a record tells already."""

    def __init__(self, backend: Backend) -> None:
        """Read them; the store does not keep the order of its rows, so values are sorted."""
        self._backend = backend
        self._said: dict[NamedNode, dict[NamedNode, list[Term]]] = {}
        for row in backend.select(query_text("facts_to_compare"), {}):
            subject, predicate = named(row["subject"]), named(row["predicate"])
            self._said.setdefault(subject, {}).setdefault(predicate, []).append(row["value"])
        self._types: dict[Term, set[NamedNode]] = {}
        for subject, said in self._said.items():
            for type_ in said.get(RDF.type, ()):
                self._types.setdefault(type_, set()).add(subject)
        self._releases = {keys_of(iri)[1:3] for iri in self._types.get(RA.SourceRelease, ())}
        self._told: set[NamedNode] = set()
        self._texts: dict[Term, str] = {}
        self._values: dict[Term, Value] = {}
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

    def untold(self) -> Iterator[NamedNode]:
        """Yield the subjects that no record has told yet, in order of IRI."""
        yield from sorted(self._said.keys() - self._told, key=lambda subject: subject.value)

    def tell(self, *subjects: NamedNode) -> None:
        """Note that a record tells what is said of subjects."""
        self._told.update(subjects)

    def said(self, subject: NamedNode) -> Mapping[NamedNode, Sequence[Term]]:
        """Return all that is said of a subject, by predicate."""
        return self._said.get(subject, _NOTHING)

    def subjects(self) -> Iterator[NamedNode]:
        """Yield every subject."""
        yield from self._said

    def terms(self, subject: NamedNode, *predicates: NamedNode) -> list[Term]:
        """Return what stands under predicates, in order."""
        said = self.said(subject)
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
        return [self.text_of(term) for term in self.terms(subject, *predicates)]

    def text(self, subject: NamedNode, *predicates: NamedNode) -> str:
        """Return the first text under predicates, or none."""
        return next(iter(self.texts(subject, *predicates)), "")

    def values(self, subject: NamedNode, *predicates: NamedNode) -> frozenset[Value]:
        """Return what stands under predicates as the values of an aspect."""
        return frozenset(map(self._value, self.terms(subject, *predicates)))

    def places(self, subject: NamedNode, source: str = "") -> tuple[Place, ...]:
        """Return where a subject stands: in its source's own rows, if these are noted."""
        places = self._backend.places(subject)
        return tuple(place for place in places if place.source == source) or places

    def label(self, term: Term) -> str:
        """Return a thing's label, or what it is read as if it has none."""
        if isinstance(term, NamedNode) and (labels := self.texts(term, RDFS.label, SKOS.prefLabel)):
            return labels[0]
        return self.text_of(term)

    def overlay(self, subject: NamedNode) -> str | None:
        """Return the overlay that alone names a subject."""
        return self._overlays.get(subject)

    def _value(self, term: Term) -> Value:
        if term not in self._values:
            self._values[term] = Value(self.text_of(term))
        return self._values[term]

    def text_of(self, term: Term) -> str:
        """Return a term as people read it, the same in each release of its source."""
        if term not in self._texts:
            self._texts[term] = self._read(term)
        return self._texts[term]

    def _read(self, term: Term) -> str:
        # A label without repository id is known by its text; its IRI also holds its source.
        if isinstance(term, NamedNode) and term in self._types.get(RA.ModelLabel, ()):
            return self.text(term, RDFS.label) or shorten(term)
        if isinstance(term, NamedNode) and term.value.startswith(ID):
            _, *keys = keys_of(term)
            # What a source says keeps its name when the source is released anew.
            return "/".join(keys[:1] + keys[2:] if tuple(keys[:2]) in self._releases else keys)
        return shorten(term).removeprefix("ra:")


def overlay_of(graph: NamedNode) -> str:
    """Return the name of the overlay that a graph belongs to."""
    return unquote(graph.value.removeprefix(OVERLAY_GRAPHS).partition("/")[0])


@cache
def in_words(term: NamedNode) -> str:
    """Return a term's local name as words: ``ra:documentKind`` is ``document kind``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", local_name(term)).replace("_", " ").lower()
