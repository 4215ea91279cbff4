"""Read a document of test reports: what schema.json says, and what a schema cannot say."""

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from mappings.json_schema import JsonSchema
from mappings.json_text import JsonValue, parse_json
from mappings.source_text import ProblemList, quote, read_source_text
from mappings.test_report.records import TestReports

_ADAPTER: Final = TypeAdapter(TestReports)
# A day that is not later than another one, by their keys in a report.
_ORDERED: Final = ((("ran_at",), ("checked_at",)), (("published", "published_at"), ("checked_at",)))


def schema_text() -> str:
    """Return the published JSON Schema."""
    return files(__package__).joinpath("schema.json").read_text(encoding="utf-8")


@cache
def test_report_schema() -> JsonSchema:
    """Return the schema that documents are checked against."""
    return JsonSchema(schema_text())


def read_test_reports(path: Path) -> TestReports:
    """Read the whole document.

    Raises:
        SourceError: it is not a text or not JSON (then nothing more is said); or it differs from
            the schema, gives an id or a component twice, or days in the wrong order (then every
            such problem is there).
    """
    problems = ProblemList(path)
    document: JsonValue = None
    try:
        document = parse_json(read_source_text(path))
    except json.JSONDecodeError as error:
        problems.add(error.lineno, f"not JSON: {error.msg} (column {error.colno})")
    problems.raise_if_any()
    test_report_schema().check(document, problems)
    reports = document.get("reports") if isinstance(document, dict) else None
    entries = reports if isinstance(reports, list) else []
    _check_repeats(entries, "id", "/reports", problems)
    for index, report in enumerate(entries):
        _check_report(report, f"/reports/{index}", problems)
    problems.raise_if_any()
    return _ADAPTER.validate_python(_located(document))


def _check_report(report: JsonValue, pointer: str, problems: ProblemList) -> None:
    software = report.get("software") if isinstance(report, dict) else None
    if isinstance(software, list):
        _check_repeats(software, "component", f"{pointer}/software", problems)
    for earlier, later in _ORDERED:
        first, second = _text_at(report, earlier), _text_at(report, later)
        if first and second and first > second:
            place = f"{pointer}/{'/'.join(earlier)}"
            problems.add(place, f"{quote(first)} is later than {later[0]}, {quote(second)}")


def _text_at(value: JsonValue, keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None


def _check_repeats(entries: list[JsonValue], key: str, pointer: str, problems: ProblemList) -> None:
    first_places: dict[str, str] = {}
    for index, entry in enumerate(entries):
        value = _text_at(entry, (key,))
        place = f"{pointer}/{index}/{key}"
        if value and first_places.setdefault(value, place) != place:
            problems.add(place, f"{quote(value)} stands at {first_places[value]} already")


def _located(document: Any) -> dict[str, Any]:
    """Return a checked document in which each report tells its own place."""
    reports = [
        {**report, "pointer": f"/reports/{index}"}
        for index, report in enumerate(document["reports"])
    ]
    return {**document, "reports": reports}
