"""Begin a test report, put it where a build finds it, and check it before it is built."""

import csv
import hashlib
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kg.backend import Backend
from kg.build import assemble
from kg.errors import UsageError
from kg.names import near_repository_ids, read_names
from kg.queries import query_text
from kg.terms import shorten
from kg.validation import Report, validate
from kg.vocab import RA
from mappings.curated.tables import TABLES
from mappings.source_text import REPOSITORY_ID
from mappings.test_report.reader import read_test_reports, test_report_schema
from mappings.test_report.records import TestReports

DOCUMENT: Final = "reports.json"
_NOT_IN_A_SLUG: Final = re.compile(r"[^a-z0-9.]+")
_ROLES: Final = ("weights", "compute", "kv-cache", "unstated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a run when its report is begun; the rest stays to be filled in."""

    publisher: str | None = None
    id: str | None = None
    checkpoint: str | None = None
    revision: str | None = None
    product: str | None = None
    count: int | None = None
    unit: str | None = None
    software: tuple[tuple[str, str], ...] = ()
    precisions: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    command: str | None = None
    outcome: str | None = None
    ran_at: str | None = None
    log: Path | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """A document to be filled in, and what the person who fills it in should know."""

    document: Mapping[str, Any]
    remarks: tuple[str, ...]

    @property
    def text(self) -> str:
        """The document as JSON."""
        return json.dumps(self.document, indent=2, ensure_ascii=False) + "\n"


def begin_report(backend: Backend, known: Known) -> Begun:
    """Return a document with every key that a report needs, and the values that are known.

    Names are checked against the registry and written as its ids. A checkpoint that no source
    names is allowed: it may be the first to be stated.

    Raises:
        UnknownNameError: a product, component, precision or feature that is not registered.
        UsageError: the checkpoint is not a repository id, or the log cannot be read.
    """
    names = read_names(backend)
    document = test_report_schema().blank()
    document["version"] = "1"
    (report,) = document["reports"]
    remarks: list[str] = []
    plain = {
        "id": known.id,
        "checkpoint": known.checkpoint,
        "revision": known.revision,
        "devices": known.count,
        "unit": known.unit,
        "command": known.command,
        "outcome": known.outcome,
        "ran_at": known.ran_at,
    }
    report |= {key: value for key, value in plain.items() if value is not None}
    document["publisher"] = known.publisher or ""
    if known.checkpoint:
        remarks += _checkpoint_remarks(backend, known.checkpoint)
    if known.product:
        product = names.resolve("product", known.product, (RA.Product,))
        count = f"{known.count} x " if known.count else ""
        report |= {"product": product.id, "hardware": f"{count}{product.label}"}
    if known.checkpoint and known.product and not known.id:
        name = known.checkpoint.rpartition("/")[2]
        report["id"] = slug(f"{name}-on-{report['product']}")
    if known.software:
        report["software"] = [
            {"component": names.resolve("component", name, (RA.Component,)).id, "version": version}
            for name, version in known.software
        ]
    report["precisions"] = [
        {"precision": names.resolve("precision", name, (RA.Precision,)).id, "role": role}
        for name, role in map(_precision, known.precisions)
    ]
    report["features"] = [
        names.resolve("feature", name, (RA.Feature,)).id for name in known.features
    ]
    if known.log:
        report["log"]["sha256"] = _sha256(known.log)
    return Begun(document, tuple(remarks))


def slug(text: str) -> str:
    """Return a text as an id: lower-case letters, digits, - and . alone."""
    return _NOT_IN_A_SLUG.sub("-", text.lower()).strip("-.")


def _precision(text: str) -> tuple[str, str]:
    name, _, role = text.partition(":")
    role = role or "unstated"
    if role not in _ROLES:
        raise UsageError(f"{role!r} is no role of a precision: {', '.join(_ROLES)}.")
    return name, role


def _checkpoint_remarks(backend: Backend, checkpoint: str) -> Iterator[str]:
    if not REPOSITORY_ID.fullmatch(checkpoint):
        raise UsageError(f"{checkpoint!r} is not a repository id such as Qwen/Qwen3-8B.")
    ids = [shorten(row["id"]) for row in backend.select(query_text("repository_ids"), {})]
    if checkpoint not in ids:
        near = near_repository_ids(checkpoint, ids)
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        yield f"No source here names {checkpoint} yet; yours will be the first.{meant}"


def _sha256(log: Path) -> str:
    try:
        with log.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{log}: cannot be read: {error.strerror}") from error


def write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet, whole or not at all.

    Raises:
        UsageError: there is such a file already, or it cannot be written.
    """
    unfinished = path.with_name(f".{path.name}.unfinished-{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        os.link(unfinished, path)  # unlike a rename, it replaces nothing
    except FileExistsError as error:
        raise UsageError(f"{path} is there already, and nothing was written.") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def write_overlay(backend: Backend, begun: Begun, overlay: Path) -> tuple[Path, ...]:
    """Lay a begun report out as a source of an overlay; return the files that were written.

    A publisher that is not registered gets a row of the overlay's own organisations, if there is
    no such table yet: a person's table is never changed, and the build names the row it lacks.

    Raises:
        UsageError: no publisher is given, the overlay has such a source already, or it cannot be
            written.
    """
    publisher = str(begun.document["publisher"])
    if not slug(publisher):
        raise UsageError("An overlay's source is called by who publishes it: give --publisher.")
    folder = overlay / "sources" / f"{slug(publisher)}-runs"
    files = {folder / "source.toml": _description(publisher), folder / DOCUMENT: begun.text}
    known = {shorten(row["label"]) for row in backend.select(query_text("organisation_labels"), {})}
    organisations = overlay / "curated" / "organisations.csv"
    if publisher not in known and not organisations.exists():
        files[organisations] = _organisation(publisher, folder.name)
    if folder.exists():
        raise UsageError(
            f"{folder} is there already: add the report to the list in its {DOCUMENT}, "
            "or give --out for a file to take it from."
        )
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{path.parent}: cannot be made: {error.strerror}") from error
        write_new(path, text)
    return tuple(files)


def _description(publisher: str, *, licence: str = "") -> str:
    entries = {
        "title": f"Runs of {publisher}",
        "format": "test-report",
        "document": DOCUMENT,
        "licence": licence,
        "attribution": publisher,
        "absence": "representative",
        "licenses_inference": "none",
    }
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entries.items()]
    return "\n".join(["# Every key is explained in docs/data.md.", *lines, ""])


def _organisation(publisher: str, source: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(TABLES["organisations"].header)
    place = f"{source}/{DOCUMENT} /publisher"
    writer.writerow((slug(publisher), publisher, "", "Publishes the test reports", place))
    return out.getvalue()


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
            _description("its publisher", licence="unstated"), encoding="utf-8"
        )
        yield source.parent.parent, {source.name: path}
