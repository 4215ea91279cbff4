"""The document formats that a source may have: from a source's description to its quads."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from pyoxigraph import Quad

from mappings.curated.registry import registry_for
from mappings.curated.rows import CuratedTables
from mappings.evidence_database import mapper as evidence_database
from mappings.evidence_database.reader import read_evidence_database
from mappings.source_description import SourceDescription
from mappings.source_text import ProblemList
from mappings.statements import Placed, Release, map_release, release_of
from mappings.test_report import mapper as test_report
from mappings.test_report.reader import read_test_reports
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


# Map a document that has been read, under the names that the curated tables know.
Mapper: TypeAlias = Callable[[CuratedTables], MappedSource]


def read_source(description: SourceDescription, document: Path, overlay: str | None) -> Mapper:
    """Read a source's document; the answer maps it.

    Two steps, so that faults of a document come to light when the tables have some too. The
    mapper raises a SourceError with every value that the tables do not know.

    Raises:
        SourceError: with every fault of the document.
    """
    return FORMATS[description.format].start(description, document, overlay)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format: how to read its documents, and the keys that it needs in source.toml."""

    read: Callable[[Path], object]
    start: Callable[[SourceDescription, Path, str | None], Mapper]
    needs: tuple[str, ...] = ()


def _start_evidence_database(
    description: SourceDescription, path: Path, overlay: str | None
) -> Mapper:
    document = read_evidence_database(path)

    def map_document(tables: CuratedTables) -> MappedSource:
        registry = registry_for(description.name, overlay, tables)
        release = release_of(description.name, document.database_version, registry, overlay)
        _refuse(path, evidence_database.unknown_tokens(document, release))
        records = evidence_database.map_evidence_database(document, release)
        return _mapped(release, description, path, records, overlay)

    return map_document


def _start_vendor_page(description: SourceDescription, path: Path, overlay: str | None) -> Mapper:
    page = read_vendor_page(path)
    version, platform = str(description.version), str(description.platform)  # both are needed

    def map_page(tables: CuratedTables) -> MappedSource:
        registry = registry_for(description.name, overlay, tables)
        release = release_of(description.name, version, registry, overlay)
        _refuse(path, vendor_page.unknown_tokens(page, release, platform))
        records = vendor_page.map_vendor_page(page, release, description, platform)
        return _mapped(release, description, path, records, overlay)

    return map_page


def _start_test_reports(description: SourceDescription, path: Path, overlay: str | None) -> Mapper:
    document = read_test_reports(path)

    def map_document(tables: CuratedTables) -> MappedSource:
        registry = registry_for(description.name, overlay, tables)
        release = release_of(description.name, document.version, registry, overlay)
        _refuse(path, test_report.unknown_names(document, release))
        records = test_report.map_test_reports(document, release)
        return _mapped(release, description, path, records, overlay)

    return map_document


def _refuse(path: Path, faults: Iterable[tuple[int | str, str]]) -> None:
    problems = ProblemList(path)
    for place, message in faults:
        problems.add(place, message)
    problems.raise_if_any()


def _mapped(
    release: Release,
    description: SourceDescription,
    path: Path,
    records: Iterable[Placed],
    overlay: str | None,
) -> MappedSource:
    about = tuple(map_release(release, description, overlay))
    return MappedSource(release, description, path, about, tuple(records))


FORMATS: Final = {
    "evidence-database": Format(read=read_evidence_database, start=_start_evidence_database),
    "test-report": Format(read=read_test_reports, start=_start_test_reports),
    "vendor-page": Format(
        read=read_vendor_page, start=_start_vendor_page, needs=("version", "platform")
    ),
}
NEEDED_KEYS: Final = {name: format_.needs for name, format_ in FORMATS.items()}
