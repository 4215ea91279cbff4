"""Read everything that a build is made of: descriptions, documents, curated tables, overlays."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from kg.errors import Problem, SourceError, UnknownNameError, UsageError
from kg.iris import keys_of
from kg.vocab import RA, SKOS
from mappings.curated.mapper import StatedRows, map_row, speaks_of_loaded, unknown_statements
from mappings.curated.reader import CuratedTables, Row, read_curated_tables
from mappings.curated.tables import SLUG
from mappings.formats import FORMATS, MappedSource, map_source
from mappings.source_description import SourceDescription, read_source_description


@dataclass(frozen=True, slots=True)
class MappedRow:
    """One row of a curated table as quads."""

    row: Row
    quads: tuple[Quad, ...]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The mapped sources and curated rows of one build."""

    sources: tuple[MappedSource, ...]
    rows: tuple[MappedRow, ...]
    overlays: tuple[str, ...]


def read_inputs(
    data: Path,
    *,
    documents: Mapping[str, Path],
    only: tuple[str, ...] | None,
    overlays: tuple[Path, ...],
) -> Inputs:
    """Read and map a data folder.

    ``documents`` replaces the documents of named sources; ``only`` loads these sources alone. A
    curated row that speaks of a source which is not loaded is left out.

    Raises:
        SourceError: with every fault of every file.
        UnknownNameError: a name in ``documents`` or ``only`` that is no source.
        UsageError: two overlays of one name, or an overlay's source that has the name of another.
    """
    if not (data / "sources").is_dir():
        raise SourceError([Problem(str(data), 1, "not a data folder: it has no folder 'sources'")])
    layers = _layers(data, overlays)
    problems: list[Problem] = []
    described = list(_descriptions(layers, problems))
    known = [description.name for description, _ in described]
    _refuse_unknown([*documents, *(only or ())], [*known, *_folders(data)])
    tables = _tables(layers, problems)
    if tables is None:
        raise SourceError(problems)
    sources = [
        source
        for description, overlay in described
        if overlay or only is None or description.name in only
        for source in _source(description, documents, tables, overlay, problems)
    ]
    stated = _stated(sources)
    rows = list(_rows(tables, stated, problems))
    if problems:
        raise SourceError(problems)
    return Inputs(tuple(sources), tuple(rows), tuple(name for name in layers if name))


def _layers(data: Path, overlays: tuple[Path, ...]) -> dict[str | None, Path]:
    layers: dict[str | None, Path] = {None: data}
    for overlay in overlays:
        name = overlay.resolve().name
        if not SLUG.fullmatch(name) or name == "derived":
            raise UsageError(f"{overlay}: an overlay's folder has a name such as 'our-runs'.")
        if name in layers:
            raise UsageError(f"Two overlays are called {name!r}: {layers[name]} and {overlay}.")
        if not (overlay / "sources").is_dir() and not (overlay / "curated").is_dir():
            message = "not an overlay: it has neither a folder 'sources' nor a folder 'curated'"
            raise SourceError([Problem(str(overlay), 1, message)])
        layers[name] = overlay
    return layers


def _folders(data: Path) -> list[str]:
    return [path.parent.name for path in (data / "sources").glob("*/source.toml")]


def _descriptions(
    layers: Mapping[str | None, Path], problems: list[Problem]
) -> Iterator[tuple[SourceDescription, str | None]]:
    seen: dict[str, Path] = {}
    for overlay, folder in layers.items():
        for path in sorted((folder / "sources").glob("*/source.toml")):
            name = path.parent.name
            if name in seen:
                raise UsageError(f"Two sources are called {name!r}: {seen[name]} and {path}.")
            seen[name] = path
            try:
                yield read_source_description(path, tuple(FORMATS)), overlay
            except SourceError as error:
                problems.extend(error.problems)


def _refuse_unknown(names: list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise UnknownNameError("source", name, get_close_matches(name, known))


def _tables(layers: Mapping[str | None, Path], problems: list[Problem]) -> CuratedTables | None:
    own = {name: folder / "curated" for name, folder in layers.items() if name}
    data = layers[None]
    try:
        return read_curated_tables(data / "curated", own)
    except SourceError as error:
        problems.extend(error.problems)
        return None


def _source(
    description: SourceDescription,
    documents: Mapping[str, Path],
    tables: CuratedTables,
    overlay: str | None,
    problems: list[Problem],
) -> Iterator[MappedSource]:
    document = documents.get(description.name, description.document)
    try:
        yield map_source(description, document, tables, overlay)
    except SourceError as error:
        problems.extend(error.problems)


# How a curated row may name the paths that it is about: by row key, or by section.
_ROW_NAMES: Final = {RA.rowKey: "", RA.section: "section:"}


def _stated(sources: list[MappedSource]) -> StatedRows:
    paths: dict[tuple[str, str], list[NamedNode]] = {}
    families = set()
    for source in sources:
        name = source.release.source
        for record in source.records:
            for quad in record.quads:
                subject, value = quad.subject, quad.object
                if not isinstance(subject, NamedNode) or not isinstance(value, Literal):
                    continue
                kind = keys_of(subject)[0]
                if kind == "path" and quad.predicate in _ROW_NAMES:
                    key = _ROW_NAMES[quad.predicate] + value.value
                    paths.setdefault((name, key), []).append(subject)
                elif kind == "family" and quad.predicate == SKOS.prefLabel:
                    families.add((name, value.value))
    names = frozenset(source.release.source for source in sources)
    return StatedRows(names, {key: tuple(iris) for key, iris in paths.items()}, frozenset(families))


def _rows(
    tables: CuratedTables, stated: StatedRows, problems: list[Problem]
) -> Iterator[MappedRow]:
    for table in tables.rows.values():
        for row in table:
            if not speaks_of_loaded(row, stated):
                continue
            faults = [row.problem(message) for message in unknown_statements(row, stated)]
            problems.extend(faults)
            if not faults:
                yield MappedRow(row, tuple(map_row(row, stated)))
