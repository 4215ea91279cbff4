"""Read everything that a build is made of: descriptions, documents, curated tables, overlays."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from kg.errors import Problem, SourceError, UnknownNameError, UsageError
from kg.iris import keys_of
from kg.store import is_overlay
from kg.vocab import RA, SKOS
from mappings.curated.mapper import StatedRows, map_row, speaks_of_loaded, unknown_statements
from mappings.curated.reader import read_curated_tables
from mappings.curated.rows import CuratedTables, Row
from mappings.curated.tables import SLUG
from mappings.formats import FORMATS, NEEDED_KEYS, MappedSource, Mapper, read_source
from mappings.source_description import SourceDescriptionError, read_source_description
from mappings.source_text import list_folder, quote, show_path
from mappings.statements import Placed


@dataclass(frozen=True, slots=True)
class MappedRow:
    """One row of a curated table as quads."""

    row: Row
    quads: tuple[Quad, ...]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The mapped sources and curated rows of one build, and the folder of each overlay."""

    sources: tuple[MappedSource, ...]
    rows: tuple[MappedRow, ...]
    overlays: Mapping[str, Path]


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
    missing = [name for name in ("sources", "curated") if not (data / name).is_dir()]
    if missing:
        folders = " and no ".join(f"folder {name!r}" for name in missing)
        message = f"not a data folder: it has no {folders}"
        raise SourceError([Problem(show_path(data), 1, message)])
    layers = _layers(data, overlays)
    problems: list[Problem] = []
    found = list(_source_folders(layers, problems))
    owners = {folder.name: overlay for folder, overlay in found}
    _refuse_unknown([*documents, *(only or ())], list(owners))
    mappers = [
        mapper
        for folder, overlay in found
        for mapper in _start(
            folder,
            overlay,
            document=documents.get(folder.name),
            wanted=overlay is not None or only is None or folder.name in only,
            problems=problems,
        )
    ]
    tables = _tables(layers, owners, problems)
    if tables is None:
        raise SourceError(problems)
    sources = []
    for mapper in mappers:
        with _noting(problems):
            sources.append(mapper(tables))
    stated = _stated(sources, owners)
    problems.extend(_respelt(sources))
    rows = list(_rows(tables, stated, problems))
    if problems:
        raise SourceError(problems)
    own = {name: folder for name, folder in layers.items() if name}
    return Inputs(tuple(sources), tuple(rows), MappingProxyType(own))


@contextmanager
def _noting(problems: list[Problem]) -> Iterator[None]:
    """Gather the problems of one file and go on with the next."""
    try:
        yield
    except SourceError as error:
        problems.extend(error.problems)


def _layers(data: Path, overlays: tuple[Path, ...]) -> dict[str | None, Path]:
    layers: dict[str | None, Path] = {None: data}
    for overlay in overlays:
        name = overlay.resolve().name
        if message := overlay_name_fault(overlay):
            raise UsageError(message)
        if name in layers:
            raise UsageError(f"Two overlays are called {name!r}: {layers[name]} and {overlay}.")
        if not (overlay / "sources").is_dir() and not (overlay / "curated").is_dir():
            message = "not an overlay: it has neither a folder 'sources' nor a folder 'curated'"
            raise SourceError([Problem(str(overlay), 1, message)])
        layers[name] = overlay
    return layers


def overlay_name_fault(overlay: Path) -> str | None:
    """Say what is wrong with the name of an overlay's folder, which names its graphs."""
    name = overlay.resolve().name
    if SLUG.fullmatch(name) and name != "derived":
        return None
    return f"{show_path(overlay)}: an overlay's folder has a name such as 'our-runs'."


def _source_folders(
    layers: Mapping[str | None, Path], problems: list[Problem]
) -> Iterator[tuple[Path, str | None]]:
    """Yield each source's folder and its overlay; note whatever else lies among them."""
    seen: dict[str, Path] = {}
    for overlay, layer in layers.items():
        listed: list[Path] = []
        with _noting(problems):
            listed = list_folder(layer / "sources")
        for folder in listed:
            if not (folder / "source.toml").exists():
                message = "not a source: it has no file 'source.toml'"
                problems.append(Problem(show_path(folder), 1, message))
                continue
            if folder.name in seen:
                raise UsageError(
                    f"Two sources are called {folder.name!r}: {seen[folder.name]} and {folder}."
                )
            seen[folder.name] = folder
            yield folder, overlay


def _refuse_unknown(names: list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise UnknownNameError("source", name, get_close_matches(name, known))


def _start(
    folder: Path,
    overlay: str | None,
    *,
    document: Path | None,
    wanted: bool,
    problems: list[Problem],
) -> Iterator[Mapper]:
    """Read a source's description and document; a faulty description hides no fault of it."""
    with _noting(problems):
        try:
            description = read_source_description(folder / "source.toml", NEEDED_KEYS)
        except SourceDescriptionError as error:
            problems.extend(error.problems)
            if wanted and error.document:
                format_, described = error.document
                FORMATS[format_].read(document or described)
            return
        if wanted:
            yield read_source(description, document or description.document, overlay)


def _tables(
    layers: Mapping[str | None, Path],
    owners: Mapping[str, str | None],
    problems: list[Problem],
) -> CuratedTables | None:
    own = {name: folder / "curated" for name, folder in layers.items() if name}
    with _noting(problems):
        return read_curated_tables(layers[None] / "curated", own, owners=owners)
    return None


# How a curated row may name the paths that it is about: by row key, or by section.
_ROW_NAMES: Final = {RA.rowKey: "", RA.section: "section:"}


def _stated(sources: list[MappedSource], owners: Mapping[str, str | None]) -> StatedRows:
    paths: dict[tuple[str, str], list[NamedNode]] = {}
    families, checkpoints = set(), set()
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
                elif quad.predicate == RA.repositoryId:
                    checkpoints.add((name, value.value))
    names = frozenset(source.release.source for source in sources)
    return StatedRows(
        sources=names,
        paths={key: tuple(iris) for key, iris in paths.items()},
        families=frozenset(families),
        checkpoints=frozenset(checkpoints),
        documents=_cited(sources),
        owners=owners,
    )


def _respelt(sources: list[MappedSource]) -> Iterator[Problem]:
    """Find a checkpoint of an overlay that another source has in other case: it may be the same."""
    known: dict[str, str] = {}
    for source in sorted(sources, key=lambda source: is_overlay(source.release.graph)):
        for record in source.records:
            for id_ in dict.fromkeys(_repository_ids(record)):
                first = known.setdefault(id_.casefold(), id_)
                if first != id_ and is_overlay(source.release.graph):
                    message = (
                        f"checkpoint {quote(id_)} differs only in case from {quote(first)}, "
                        "which is named already: write it so"
                    )
                    yield Problem(show_path(source.document), record.place, message)


def _repository_ids(record: Placed) -> Iterator[str]:
    for quad in record.quads:
        if quad.predicate == RA.repositoryId and isinstance(quad.object, Literal):
            yield quad.object.value


def _cited(sources: list[MappedSource]) -> dict[NamedNode, set[str]]:
    documents: dict[NamedNode, set[str]] = {}
    for source in sources:
        for quad in (quad for record in source.records for quad in record.quads):
            if quad.predicate == RA.document and isinstance(quad.object, NamedNode):
                documents.setdefault(quad.object, set()).add(source.release.source)
    return documents


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
