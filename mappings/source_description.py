"""Read source.toml: what is known of a source besides its document."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from kg.errors import Problem, SourceError
from kg.vocab import RA
from mappings.source_text import read_source_text

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
    """

    name: str
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


_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


def _choice(known: Mapping[str, object] | tuple[str, ...]) -> Callable[[object], str | None]:
    def fault(value: object) -> str | None:
        return None if value in known else f"is not one of {', '.join(known)}"

    return fault


def _text(value: object) -> str | None:
    return None if isinstance(value, str) and value.strip() else "is not a text"


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
    path: Path, formats: tuple[str, ...], *, shown: str | None = None
) -> SourceDescription:
    """Read a source's description; its folder is the source's name.

    Raises:
        SourceError: with every unknown or missing key and every value that is not as it must be.
    """
    name = shown or str(path)
    text = read_source_text(path)
    try:
        entries = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SourceError([Problem(name, _line_of(str(error)), f"not TOML: {error}")]) from error
    problems = [
        Problem(name, _line_with(text, key), message)
        for key, message in _entry_faults(entries, formats, path.parent)
    ]
    if problems:
        raise SourceError(problems)
    known = {key: entries[key] for key in _FAULTS if key in entries}
    return SourceDescription(
        **{**known, "name": path.parent.name, "document": path.parent / entries["document"]}
    )


def _entry_faults(
    entries: dict[str, object], formats: tuple[str, ...], folder: Path
) -> Iterator[tuple[str, str]]:
    if not _SLUG.fullmatch(folder.name):
        yield "", f"the folder's name {folder.name!r} does not have the form {_SLUG.pattern}"
    for key, value in entries.items():
        if key not in _FAULTS:
            yield key, f"unknown key {key!r}"
        elif message := _FAULTS[key](value):
            yield key, f"{key} {message}"
    for key in _REQUIRED:
        if key not in entries:
            yield "", f"missing key {key!r}"
    if message := _choice(formats)(entries.get("format")):
        yield "format", f"format {message}"


def _line_with(text: str, key: str) -> int:
    """Return the line that a key stands on, or 1."""
    for number, line in enumerate(text.split("\n"), 1):
        if key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return 1


def _line_of(message: str) -> int:
    found = re.search(r"at line (\d+)", message)
    return int(found.group(1)) if found else 1
