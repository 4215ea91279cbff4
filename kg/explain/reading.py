"""Read what the graph says of subjects, each once."""

from collections.abc import Mapping
from datetime import date

from pyoxigraph import NamedNode

from kg.backend import Backend, Row, Term
from kg.explain.tree import ReleaseOf
from kg.queries import query_text
from kg.rows import named
from kg.snapshot import Place
from kg.terms import shorten
from kg.vocab import DCAT, DCTERMS, PROV, RA, RDFS


class Reader:
    """What every graph but the catalog says of subjects, and where."""

    def __init__(self, backend: Backend) -> None:
        """Read from a backend; nothing is kept beyond one explanation."""
        self._backend = backend
        self._facts: dict[NamedNode, Mapping[NamedNode, tuple[Term, ...]]] = {}

    def select(self, name: str, **bindings: Term) -> list[Row]:
        """Run a stored query."""
        return self._backend.select(query_text(name), bindings)

    def column(self, name: str, column: str, **bindings: Term) -> tuple[NamedNode, ...]:
        """Return the IRIs in a column of a stored query, each once, in order."""
        rows = self.select(name, **bindings)
        return tuple(dict.fromkeys(named(row[column]) for row in rows))

    def facts(self, subject: NamedNode) -> Mapping[NamedNode, tuple[Term, ...]]:
        """Return what is said of a subject, by predicate."""
        if subject not in self._facts:
            said: dict[NamedNode, tuple[Term, ...]] = {}
            for row in self.select("facts_of_subject", subject=subject):
                predicate = named(row["predicate"])
                said[predicate] = (*said.get(predicate, ()), row["value"])
            self._facts[subject] = said
        return self._facts[subject]

    def iris(self, subject: NamedNode, predicate: NamedNode) -> tuple[NamedNode, ...]:
        """Return the things that a subject has."""
        values = self.facts(subject).get(predicate, ())
        return tuple(value for value in values if isinstance(value, NamedNode))

    def iri(self, subject: NamedNode, predicate: NamedNode) -> NamedNode | None:
        """Return the one thing that a subject has, if it has it."""
        return next(iter(self.iris(subject, predicate)), None)

    def texts(self, subject: NamedNode, predicate: NamedNode) -> tuple[str, ...]:
        """Return the texts that a subject has."""
        return tuple(shorten(value) for value in self.facts(subject).get(predicate, ()))

    def text(self, subject: NamedNode, predicate: NamedNode) -> str | None:
        """Return the one text that a subject has, if it has it."""
        return next(iter(self.texts(subject, predicate)), None)

    def day(self, subject: NamedNode, predicate: NamedNode) -> date | None:
        """Return the one day that a subject has, if it has it."""
        text = self.text(subject, predicate)
        return date.fromisoformat(text[:10]) if text else None

    def label(self, subject: NamedNode) -> str:
        """Return what people call a thing."""
        return self.text(subject, RDFS.label) or shorten(subject)

    def places(self, subject: NamedNode, source: str | None = None) -> tuple[Place, ...]:
        """Return where a subject is stated: in one source or table, if it is there, else in all."""
        places = self._backend.places(subject)
        return tuple(place for place in places if place.source == source) or places

    def release(self, subject: NamedNode) -> ReleaseOf | None:
        """Return the release that a subject is part of."""
        release = self.iri(subject, DCTERMS.isPartOf)
        if release is None:
            return None
        return ReleaseOf(
            shorten(self.iri(release, RA.ofSource)),
            self.text(release, DCAT.version) or "",
            self.day(release, PROV.generatedAtTime),
            self.day(release, RA.lastReviewed),
            self._last_checked(release),
            self.text(release, RA.fromOverlay),
        )

    def _last_checked(self, release: NamedNode) -> date | None:
        days = [shorten(row["day"]) for row in self.select("days_checked", release=release)]
        return date.fromisoformat(max(days)[:10]) if days else None

    def own_places(self, subject: NamedNode) -> tuple[Place, ...]:
        """Return the rows of its own source that state a subject, without those of our tables."""
        release = self.release(subject)
        return self.places(subject, release.source if release else None)
