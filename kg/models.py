"""What is stated of checkpoints: who names which, in what words, and in which paths."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches

from pyoxigraph import NamedNode

from kg.backend import Backend, Row
from kg.check.classes import ClassFacts, read_class_facts
from kg.check.facts import Path, read_paths
from kg.check.question import Configuration
from kg.errors import UnknownNameError
from kg.iris import mint_checkpoint
from kg.names import near_repository_ids
from kg.queries import query_text
from kg.rows import grouped
from kg.snapshot import Place
from kg.terms import shorten
from kg.vocab import RA


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOfModel:
    """A source that names a checkpoint: its families and classes as printed, and its paths."""

    source: str
    families: tuple[str, ...]
    classes: tuple[str, ...]
    paths: int


@dataclass(frozen=True, slots=True)
class Model:
    """A checkpoint and every source that names it."""

    id: str
    iri: NamedNode
    sources: tuple[SourceOfModel, ...]

    @property
    def paths(self) -> int:
        """The number of its asserted paths, whatever their outcome."""
        return sum(source.paths for source in self.sources)


@dataclass(frozen=True, slots=True)
class ModelPage:
    """Some of the models that a filter leaves, and how many there are in all."""

    total: int
    models: tuple[Model, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One row's words about a checkpoint, by predicate."""

    iri: NamedNode
    source: str
    release: str
    overlay: str | None
    said: dict[str, tuple[str, ...]]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What is stated of a checkpoint, and, apart, its class and what is derived for that class."""

    id: str
    iri: NamedNode
    statements: tuple[Statement, ...]
    lineage: tuple[tuple[str, NamedNode], ...]
    paths: tuple[Path, ...]
    classes: ClassFacts


def list_models(
    backend: Backend, *, containing: str = "", source: str | None = None, limit: int, offset: int
) -> ModelPage:
    """Return a page of the checkpoints, by id, whose id contains a text and that a source names.

    Raises:
        UnknownNameError: no such source names a checkpoint.
    """
    named = _read_named(backend)
    if source is not None:
        known = sorted({shorten(row["source"]) for said in named.values() for row in said})
        if source not in known:
            raise UnknownNameError("source", source, get_close_matches(source, known))
    wanted = [
        iri
        for iri, said in named.items()
        if containing.casefold() in shorten(iri).casefold()
        and (source is None or source in {shorten(row["source"]) for row in said})
    ]
    page = wanted[offset : offset + limit]
    return ModelPage(len(wanted), tuple(_model(backend, iri, named[iri]) for iri in page))


def _read_named(backend: Backend) -> dict[NamedNode, list[Row]]:
    """Read every checkpoint in order of id, with a row for each source that names it."""
    named: dict[NamedNode, list[Row]] = {}
    for row in backend.select(query_text("checkpoints_by_source"), {}):
        if isinstance(iri := row["checkpoint"], NamedNode):
            named.setdefault(iri, []).extend([row] if "source" in row else [])
    return dict(sorted(named.items(), key=lambda item: shorten(item[0]).casefold()))


def _model(backend: Backend, iri: NamedNode, named: Iterable[Row]) -> Model:
    statements = _read_statements(backend, iri)
    return Model(
        shorten(iri),
        iri,
        tuple(
            SourceOfModel(
                source=source,
                families=_printed(statements, source, RA.printedFamily),
                classes=_printed(statements, source, RA.printedArchitecture),
                paths=int(shorten(row["paths"])),
            )
            for row in named
            if (source := shorten(row["source"]))
        ),
    )


def _printed(statements: Iterable[Statement], source: str, predicate: NamedNode) -> tuple[str, ...]:
    said = (
        value
        for statement in statements
        if statement.source == source
        for value in statement.said.get(_name(predicate), ())
    )
    return tuple(sorted(set(said)))


def describe_model(backend: Backend, repository_id: str) -> Described:
    """Return what is stated of a checkpoint, and what is derived for its class.

    Raises:
        UnknownNameError: no source names the repository id; with near misses.
    """
    ids = [shorten(row["id"]) for row in backend.select(query_text("repository_ids"), {})]
    if repository_id not in ids:
        raise UnknownNameError("model", repository_id, near_repository_ids(repository_id, ids))
    iri = mint_checkpoint(repository_id)
    lineage = backend.select(query_text("lineage_of_checkpoint"), {"checkpoint": iri})
    asked = Configuration(as_of=date.max)
    return Described(
        id=repository_id,
        iri=iri,
        statements=_read_statements(backend, iri),
        lineage=tuple(
            (shorten(row["predicate"]), parent)
            for row in lineage
            if isinstance(parent := row["parent"], NamedNode)
        ),
        paths=tuple(path for path in read_paths(backend, iri) if path.checkpoint == iri),
        classes=read_class_facts(backend, repository_id, iri, asked),
    )


def _read_statements(backend: Backend, checkpoint: NamedNode) -> tuple[Statement, ...]:
    rows = backend.select(query_text("statements_of_checkpoint"), {"checkpoint": checkpoint})
    found = grouped(rows, "statement")
    return tuple(_statement(backend, iri, said) for iri, said in found.items())


def _statement(backend: Backend, iri: NamedNode, rows: list[Row]) -> Statement:
    said: dict[str, list[str]] = {}
    for row in rows:
        if isinstance(predicate := row["predicate"], NamedNode):
            said.setdefault(_name(predicate), []).append(shorten(row["value"]))
    return Statement(
        iri=iri,
        source=shorten(rows[0]["source"]),
        release=shorten(rows[0]["version"]),
        overlay=shorten(rows[0].get("overlay")) or None,
        said={name: tuple(dict.fromkeys(values)) for name, values in said.items()},
        places=backend.places(iri),
    )


def _name(predicate: NamedNode) -> str:
    return shorten(predicate).removeprefix("ra:")
