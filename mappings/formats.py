"""The document formats that a source may have: from a source's description to its quads."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pyoxigraph import Quad

from kg.errors import Problem, SourceError
from mappings.curated.reader import CuratedTables
from mappings.curated.registry import registry_for
from mappings.evidence_database import mapper as evidence_database
from mappings.evidence_database.reader import read_evidence_database
from mappings.source_description import SourceDescription
from mappings.statements import Placed, Release, map_release, release_of
from mappings.vendor_page import mapper as vendor_page
from mappings.vendor_page.reader import read_vendor_page


@dataclass(frozen=True, slots=True)
class MappedSource:
    """One release of a source as quads: of the release itself, then of each record."""

    release: Release
    description: SourceDescription
    document: Path
    about: tuple[Quad, ...]
    records: tuple[Placed, ...]


def map_source(
    description: SourceDescription, document: Path, tables: CuratedTables, overlay: str | None
) -> MappedSource:
    """Read a source's document and map it under the names that the curated tables know.

    Raises:
        SourceError: with every fault of the document.
    """
    return FORMATS[description.format](description, document, tables, overlay)


def _map_evidence_database(
    description: SourceDescription, path: Path, tables: CuratedTables, overlay: str | None
) -> MappedSource:
    document = read_evidence_database(path)
    registry = registry_for(description.name, tables)
    release = release_of(description.name, document.database_version, registry, overlay)
    _refuse(path, evidence_database.unknown_tokens(document, release))
    records = evidence_database.map_evidence_database(document, release)
    return _mapped(release, description, path, records, overlay)


def _map_vendor_page(
    description: SourceDescription, path: Path, tables: CuratedTables, overlay: str | None
) -> MappedSource:
    if not description.version or not description.platform:
        where = str(description.document.parent / "source.toml")
        raise SourceError(
            [Problem(where, 1, "a vendor-page needs the keys 'version' and 'platform'")]
        )
    page = read_vendor_page(path)
    registry = registry_for(description.name, tables)
    release = release_of(description.name, description.version, registry, overlay)
    _refuse(path, vendor_page.unknown_tokens(page, release, description.platform))
    records = vendor_page.map_vendor_page(page, release, description, description.platform)
    return _mapped(release, description, path, records, overlay)


def _refuse(path: Path, faults: Iterable[tuple[int | str, str]]) -> None:
    problems = [Problem(str(path), place, message) for place, message in faults]
    if problems:
        raise SourceError(problems)


def _mapped(
    release: Release,
    description: SourceDescription,
    path: Path,
    records: Iterable[Placed],
    overlay: str | None,
) -> MappedSource:
    about = tuple(map_release(release, description, overlay))
    return MappedSource(release, description, path, about, tuple(records))


Mapper = Callable[[SourceDescription, Path, CuratedTables, str | None], MappedSource]
FORMATS: Final[dict[str, Mapper]] = {
    "evidence-database": _map_evidence_database,
    "vendor-page": _map_vendor_page,
}
