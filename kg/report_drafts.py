"""Begin a test report from what is known of a run, and put it where a build finds it.

What an option gives is held to what a report is held to, by the same code; all that is wrong with
the options is said at once, before anything is written.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.errors import OptionsError, SourceError, UnknownNameError
from kg.inputs import overlay_name_fault
from kg.names import Named, Names, near_repository_ids, read_names
from kg.overlay_writing import overlay_faults, place_fault, write_new, write_source
from kg.printable import json_text
from kg.queries import query_text
from kg.resources import DATA
from kg.terms import shorten
from kg.vocab import RA
from mappings.curated.tables import SLUG, TABLES
from mappings.source_text import (
    REPOSITORY_ID,
    ProblemList,
    open_regular_file,
    quote,
    read_source_text,
    show_path,
)
from mappings.test_report.reader import check_document, test_report_schema

DOCUMENT: Final = "reports.json"
_NOT_IN_A_SLUG: Final = re.compile(r"[^a-z0-9.]+")
_REPORT: Final = "/reports/0"
# Where a report has what an option gives.
_OPTIONS: Final = {
    "/publisher": "--publisher",
    f"{_REPORT}/id": "--id",
    f"{_REPORT}/checkpoint": "--checkpoint",
    f"{_REPORT}/revision": "--revision",
    f"{_REPORT}/product": "--product",
    f"{_REPORT}/devices": "--count",
    f"{_REPORT}/unit": "--unit",
    f"{_REPORT}/software": "--stack",
    f"{_REPORT}/precisions": "--precision",
    f"{_REPORT}/features": "--feature",
    f"{_REPORT}/command": "--command",
    f"{_REPORT}/outcome": "--outcome",
    f"{_REPORT}/ran_at": "--ran-at",
    f"{_REPORT}/log": "--log",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a run when its report is begun, as typed; the rest is to be filled in."""

    publisher: str | None = None
    publisher_id: str | None = None
    id: str | None = None
    checkpoint: str | None = None
    revision: str | None = None
    product: str | None = None
    count: int | None = None
    unit: str | None = None
    software: tuple[str, ...] = ()
    precisions: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    command: str | None = None
    outcome: str | None = None
    ran_at: str | None = None
    log: Path | None = None
    out: Path | None = None
    overlay: Path | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """A document to be filled in, where it goes, and what whoever fills it in should know."""

    document: Mapping[str, Any]
    remarks: tuple[str, ...]
    out: Path | None = None
    overlay: Path | None = None
    source: str = ""
    tables: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The document as JSON."""
        return json_text(self.document) + "\n"

    def write(self) -> tuple[Path, ...]:
        """Write it as a new file or a new source of an overlay; return the files written.

        Raises:
            UsageError: it cannot be written; then nothing is.
        """
        if self.overlay:
            publisher = str(self.document["publisher"])
            files = {"source.toml": source_description(publisher), DOCUMENT: self.text}
            return write_source(self.overlay, self.source, files, self.tables)
        if self.out:
            write_new(self.out, self.text)
            return (self.out,)
        return ()


def begin_report(backend: Backend, known: Known) -> Begun:
    """Return a document with every key that a report needs, and the values that are known.

    Names are checked against the registry and written as its ids. A checkpoint that no source
    names is allowed: it may be the first to be stated.

    Raises:
        OptionsError: with everything that is wrong with what is given.
    """
    draft = _Draft(backend, known)
    draft.fill()
    draft.look_at_places()
    if draft.faults:
        raise OptionsError(draft.faults)
    return Begun(
        draft.document,
        tuple(draft.remarks),
        known.out,
        known.overlay,
        draft.source,
        draft.tables,
    )


def slug(text: str) -> str:
    """Return a text as an id: lower-case letters, digits, - and . alone."""
    return _NOT_IN_A_SLUG.sub("-", text.lower()).strip("-.")


def source_description(publisher: str, *, licence: str = "") -> str:
    """Return the source.toml of a publisher's test reports; a blank licence is to be given."""
    entries = {
        "title": f"Runs of {publisher}",
        "format": "test-report",
        "document": DOCUMENT,
        "licence": licence,
        "attribution": publisher,
        "absence": "representative",
        "licenses_inference": "none",
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in entries.items()]
    return "\n".join(["# Every key is explained in docs/data.md.", *lines, ""])


class _Draft:
    """A report in the making, and what is wrong with what it is made from."""

    def __init__(self, backend: Backend, known: Known) -> None:
        self.backend, self.known = backend, known
        self.names: Names = read_names(backend)
        self.document: dict[str, Any] = test_report_schema().blank()
        self.faults: list[str] = []
        self.remarks: list[str] = []
        self.source = ""
        self.tables: dict[str, str] = {}

    def fill(self) -> None:
        """Put in what is given, as the registry writes it, and hold it to the format."""
        known = self.known
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
        (report,) = self.document["reports"]
        self.document["version"] = "1"
        self.document["publisher"] = known.publisher or ""
        report |= {key: value for key, value in plain.items() if value is not None}
        if known.checkpoint:
            self._look_at_checkpoint(known.checkpoint)
        if known.product is not None:
            self._fill_product(report, known.product)
        if known.software:
            report["software"] = list(self._software())
        report["precisions"] = list(self._precisions())
        report["features"] = [
            feature.id
            for name in known.features
            if (feature := self._resolve("--feature", "feature", name, RA.Feature))
        ]
        if known.log is not None:
            report["log"]["sha256"] = self._sha256(known.log)
        self._hold_to_format()

    def _fill_product(self, report: dict[str, Any], name: str) -> None:
        product = self._resolve("--product", "product", name, RA.Product)
        if product is None:
            return
        count = f"{self.known.count} x " if self.known.count else ""
        report |= {"product": product.id, "hardware": f"{count}{product.label}"}
        if self.known.checkpoint and self.known.id is None:
            model = self.known.checkpoint.rpartition("/")[2]
            report["id"] = slug(f"{model}-on-{product.id}")

    def _software(self) -> Iterator[dict[str, str]]:
        for text in self.known.software:
            name, separator, version = text.partition("==")
            if not separator or not name or not version:
                self.faults.append(f"--stack: {text!r} does not have the form NAME==VERSION.")
            elif component := self._resolve("--stack", "component", name, RA.Component):
                yield {"component": component.id, "version": version}

    def _precisions(self) -> Iterator[dict[str, str]]:
        for text in self.known.precisions:
            name, separator, role = text.partition(":")
            precision = self._resolve("--precision", "precision", name, RA.Precision)
            if precision:
                yield {"precision": precision.id, "role": role if separator else "unstated"}

    def _resolve(self, option: str, kind: str, name: str, type_: NamedNode) -> Named | None:
        try:
            return self.names.resolve(kind, name, (type_,))
        except UnknownNameError as error:
            self.faults.append(f"{option}: {error}")
            return None

    def _look_at_checkpoint(self, checkpoint: str) -> None:
        ids = [shorten(row["id"]) for row in self.backend.select(query_text("repository_ids"), {})]
        if checkpoint in ids or not REPOSITORY_ID.fullmatch(checkpoint):
            return
        for id_ in ids:
            if id_.casefold() == checkpoint.casefold():
                self.faults.append(
                    f"--checkpoint: {quote(checkpoint)} differs only in case from {quote(id_)}, "
                    "which is named already: write it so."
                )
                return
        near = near_repository_ids(checkpoint, ids)
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        self.remarks.append(
            f"No source here names {checkpoint} yet; yours will be the first.{meant}"
        )

    def _sha256(self, log: Path) -> str:
        try:
            with open_regular_file(log) as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            self.faults.append(f"--log: {show_path(log)}: cannot be read: {error.strerror}")
            return ""

    def _hold_to_format(self) -> None:
        """Note what the reader of reports says of what an option gave."""
        problems = ProblemList(Path(DOCUMENT))
        check_document(self.document, problems)
        try:
            problems.raise_if_any()
        except SourceError as error:
            given = self._given()
            for problem in error.problems:
                option = _option_at(str(problem.place))
                if option in given:
                    self.faults.append(f"{option}: {problem.message}")

    def _given(self) -> set[str]:
        """Return the options that put something into the report: what is wrong there is theirs."""
        known, (report,) = self.known, self.document["reports"]
        resolved = {
            "--product": report["product"],
            "--stack": known.software and report["software"],
            "--precision": report["precisions"],
            "--feature": report["features"],
            "--log": report["log"]["sha256"],
        }
        typed = {
            "--publisher": known.publisher,
            "--id": known.id if known.id is not None else report["id"] or None,
            "--checkpoint": known.checkpoint,
            "--revision": known.revision,
            "--count": known.count,
            "--unit": known.unit,
            "--command": known.command,
            "--outcome": known.outcome,
            "--ran-at": known.ran_at,
        }
        return {
            *(option for option, value in resolved.items() if value),
            *(option for option, value in typed.items() if value is not None),
        }

    def look_at_places(self) -> None:
        """Look at where it goes, and at who publishes it."""
        known = self.known
        if known.out is not None and known.overlay is not None:
            self.faults.append("Give --out or --overlay, not both.")
        elif known.out is not None and (message := place_fault(known.out)):
            self.faults.append(f"--out: {message}")
        registered = self._registered()
        if known.publisher:
            if known.publisher != known.publisher.strip():
                self.faults.append(f"--publisher: {quote(known.publisher)} has blanks around it.")
            self._look_at_respelling(known.publisher, registered)
        if known.overlay is None:
            if known.publisher_id is not None:
                self.faults.append("--publisher-id is for --overlay, whose source it names.")
        elif not known.publisher:
            self.faults.append(
                "An overlay's source is called by who publishes it: give --publisher."
            )
        else:
            self._lay_out(known.overlay, known.publisher, registered)

    def _registered(self) -> dict[str, str]:
        """Return the ids of organisations by label: the snapshot's, then the overlay's own."""
        rows = self.backend.select(query_text("organisation_labels"), {})
        found = {shorten(row["label"]): shorten(row["id"]) for row in rows}
        table = self.known.overlay / "curated" / "organisations.csv" if self.known.overlay else None
        if table and table.is_file():
            own = csv.DictReader(io.StringIO(read_source_text(table)))
            found |= {row["label"]: row["id"] for row in own if row.get("label") and row.get("id")}
        return found

    def _look_at_respelling(self, publisher: str, registered: Mapping[str, str]) -> None:
        for label in registered:
            if label != publisher and label.casefold() == publisher.strip().casefold():
                self.faults.append(
                    f"--publisher: {quote(publisher)} is written {quote(label)} in the registry."
                )

    def _lay_out(self, overlay: Path, publisher: str, registered: Mapping[str, str]) -> None:
        if message := overlay_name_fault(overlay):
            self.faults.append(f"--overlay: {message}")
            return
        id_ = self._publisher_id(publisher, registered)
        self.source = f"{id_}-runs"
        if id_ and (DATA / "sources" / self.source).exists():
            self.faults.append(f"--publisher: the project has a source {self.source!r}.")
        self.faults += [f"--overlay: {fault}" for fault in overlay_faults(overlay, self.source)]
        table = overlay / "curated" / "organisations.csv"
        if publisher in registered:
            return
        if table.exists():
            self.remarks.append(
                f"{show_path(table)} has no row for {publisher}: add one, or a build refuses it."
            )
        else:
            self.tables[table.name] = _organisation(id_, publisher, self.source)

    def _publisher_id(self, publisher: str, registered: Mapping[str, str]) -> str:
        """Return the publisher's id: the registry's, the one that is given, or one of its name."""
        given = self.known.publisher_id
        if publisher in registered:
            if given not in (None, registered[publisher]):
                self.faults.append(f"--publisher-id: it is {registered[publisher]!r} already.")
            return registered[publisher]
        id_ = slug(publisher) if given is None else given
        owners = {id_: label for label, id_ in registered.items()}
        option = "--publisher" if given is None else "--publisher-id"
        if not SLUG.fullmatch(id_):
            said = "gives no id of letters a-z and digits" if given is None else "is no id"
            self.faults.append(
                f"{option}: {quote(publisher if given is None else id_)} {said}: "
                "give one such as our-lab with --publisher-id."
            )
        elif id_ in owners:
            self.faults.append(
                f"{option}: the id {id_!r} is that of {quote(owners[id_])}: if that is not who is "
                "meant, give another with --publisher-id."
            )
        return id_


def _option_at(place: str) -> str | None:
    for pointer, option in _OPTIONS.items():
        if place == pointer or place.startswith(f"{pointer}/"):
            return option
    return None


def _organisation(id_: str, publisher: str, source: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(TABLES["organisations"].header)
    place = f"{source}/{DOCUMENT} /publisher"
    writer.writerow((id_, publisher, "", "Publishes the test reports", place))
    return out.getvalue()
