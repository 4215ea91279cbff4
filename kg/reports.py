"""Check test reports before they are built: alone, or with the overlay that they lie in."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kg.build import assemble
from kg.inputs import read_inputs
from kg.report_drafts import source_description
from kg.validation import Report, validate
from mappings.test_report.reader import read_test_reports
from mappings.test_report.records import TestReports


@dataclass(frozen=True, slots=True)
class CheckedReports:
    """A document that can be read, and what the shapes say of it."""

    document: TestReports
    report: Report


def check_reports(path: Path, data: Path) -> CheckedReports:
    """Read, map and validate a document of test reports; nothing is written.

    One that lies in an overlay's source is checked with that overlay, whose names it may use; any
    other stands alone beside the project's own registry.

    Raises:
        SourceError: with every fault of the document, or of the overlay's other files.
    """
    with _overlay_of(path) as (overlay, documents):
        # With every source, for the checkpoints that they name; the shapes need those not.
        read_inputs(data, documents=documents, only=None, overlays=(overlay,))
        graph = assemble(data=data, documents=documents, only=(), overlays=(overlay,))
        return CheckedReports(read_test_reports(path), validate(graph.store, graph.places))


@contextmanager
def _overlay_of(path: Path) -> Iterator[tuple[Path, Mapping[str, Path]]]:
    folder = path.absolute().parent
    if (folder / "source.toml").is_file() and folder.parent.name == "sources":
        # As the path was given, if it leads there, so that problems name files as the caller does.
        overlay, given = folder.parent.parent, path.parent.parent.parent
        same = given.is_dir() and given.samefile(overlay)
        yield given if same else overlay, {folder.name: path}
        return
    with tempfile.TemporaryDirectory() as parent:
        source = Path(parent) / "alone" / "sources" / "test-report"
        source.mkdir(parents=True)
        (source / "source.toml").write_text(
            source_description("its publisher", licence="unstated"), encoding="utf-8"
        )
        yield source.parent.parent, {source.name: path}
