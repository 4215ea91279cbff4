"""Read source.toml: what is known of a source besides its document."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from kg.errors import Problem, SourceError
from kg.vocab import RA
from mappings.source_text import says_something, shorten, show_path
from mappings.toml_text import read_toml

ABSENCES: Final = {
    "representative": RA.Representative,
    "recommended-only": RA.RecommendedOnly,
    "complete": RA.Complete,
    "unstated": RA.AbsenceUnstated,
}
INFERENCES: Final = {"none": RA.NoInference, "same-architecture": RA.SameArchitecture}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDescription:
    """A source as its folder describes it.

    ``version`` is set where the document itself carries none; ``original_sha256`` and
    ``registered`` identify the document that the facts were read from where it has no address.
    ``lines`` holds the line of each key in ``path``.
    """

    name: str
    path: Path
    lines: Mapping[str, int]
    title: str
    format: str
    document: Path
    licence: str
    attribution: str
    absence: str
    licenses_inference: str
    version: str | None = None
    platform: str | None = None
    original_sha256: str | None = None
    registered: date | None = None


class SourceDescriptionError(SourceError):
    """A source's description is faulty; says where its document is, if that much can be read."""

    def __init__(self, problems: Sequence[Problem], document: tuple[str, Path] | None) -> None:
        """Take every problem, and the format and path of the document."""
        super().__init__(problems)
        self.document = document


_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


def _choice(known: Mapping[str, object] | tuple[str, ...]) -> Callable[[object], str | None]:
    def fault(value: object) -> str | None:
        fits = isinstance(value, str) and value in known
        return None if fits else f"is not one of {', '.join(known)}"

    return fault


def _text(value: object) -> str | None:
    if not isinstance(value, str) or not says_something(value):
        return "is not a text with a letter or digit"
    bad = _CONTROL.search(value)
    return f"holds the control character U+{ord(bad[0]):04X}" if bad else None


def _form(pattern: re.Pattern[str]) -> Callable[[object], str | None]:
    def fault(value: object) -> str | None:
        fits = isinstance(value, str) and pattern.fullmatch(value)
        return None if fits else f"does not have the form {pattern.pattern}"

    return fault


def _day(value: object) -> str | None:
    return None if type(value) is date else "is not a date such as 2026-11-30"


_FAULTS: Final[dict[str, Callable[[object], str | None]]] = {
    "title": _text,
    "format": _text,
    "document": _text,
    "licence": _text,
    "attribution": _text,
    "absence": _choice(ABSENCES),
    "licenses_inference": _choice(INFERENCES),
    "version": _text,
    "platform": _form(_SLUG),
    "original_sha256": _form(_SHA256),
    "registered": _day,
}
_WANTED: Final = {
    "title": "the title of the source",
    "licence": "the licence, or in words under which terms others may use what the source says",
    "attribution": "the attribution: whom to name who uses it",
    "document": "the document: a file in this folder",
}
_REQUIRED: Final = (
    "title",
    "format",
    "document",
    "licence",
    "attribution",
    "absence",
    "licenses_inference",
)


def read_source_description(
    path: Path, formats: Mapping[str, tuple[str, ...]]
) -> SourceDescription:
    """Read a source's description; its folder is the source's name.

    ``formats`` gives the keys that each format needs besides those that all need.

    Raises:
        SourceDescriptionError: with every unknown or missing key and every value that is not as it
            must be.
        SourceError: the file cannot be read, or is not TOML.
    """
    toml = read_toml(path)
    problems = [
        Problem(show_path(path), toml.line(key), message)
        for key, message in _entry_faults(toml.entries, formats, path.parent)
    ]
    if problems:
        raise SourceDescriptionError(problems, _usable_document(toml.entries, formats, path.parent))
    known = {key: toml.entries[key] for key in _FAULTS if key in toml.entries}
    return SourceDescription(
        path=path,
        lines=toml.lines,
        **{**known, "name": path.parent.name, "document": path.parent / known["document"]},
    )


def _usable_document(
    entries: Mapping[str, object], formats: Mapping[str, tuple[str, ...]], folder: Path
) -> tuple[str, Path] | None:
    format_, document = entries.get("format"), entries.get("document")
    if not isinstance(format_, str) or not isinstance(document, str) or _text(document):
        return None
    return (format_, folder / document) if format_ in formats else None


def _entry_faults(
    entries: Mapping[str, object], formats: Mapping[str, tuple[str, ...]], folder: Path
) -> Iterator[tuple[str, str]]:
    if not _SLUG.fullmatch(folder.name):
        name = shorten(folder.name)
        yield "", f"the folder's name {name!r} does not have the form {_SLUG.pattern}"
    for key, value in entries.items():
        if key not in _FAULTS:
            yield key, f"unknown key {shorten(key)!r}"
        elif isinstance(value, str) and not value.strip():
            yield key, f"still to be given: {_WANTED.get(key, key)}"
        elif message := _FAULTS[key](value):
            yield key, f"{key} {message}"
    yield from _missing_keys(entries, formats)


def _missing_keys(
    entries: Mapping[str, object], formats: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    for key in _REQUIRED:
        if key not in entries:
            yield "", f"missing key {key!r}"
    format_ = entries.get("format")
    if not isinstance(format_, str) or format_ not in formats:
        if "format" in entries and not _text(format_):
            yield "format", f"format is not one of {', '.join(formats)}"
        return
    for key in formats[format_]:
        if key not in entries:
            yield "", f"missing key {key!r}, which a {format_} needs"
