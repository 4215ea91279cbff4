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
        SourceError: it is not a text or not JSON (then nothing more is said); or it is not what
            ``check_document`` wants (then every such problem is there).
    """
    problems = ProblemList(path)
    document: JsonValue = None
    try:
        document = parse_json(read_source_text(path))
    except json.JSONDecodeError as error:
        problems.add(error.lineno, f"not JSON: {error.msg} (column {error.colno})")
    problems.raise_if_any()
    check_document(document, problems)
    problems.raise_if_any()
    return _ADAPTER.validate_python(_located(document))


def check_document(document: JsonValue, problems: ProblemList) -> None:
    """Note every way in which a document differs from the schema, or contradicts itself.

    What no schema says: an id, a component or a kind of parallelism comes once, days are in order,
    a limited run names its limits, and a run that failed gave no correct answers.
    """
    test_report_schema().check(document, problems)
    reports = document.get("reports") if isinstance(document, dict) else None
    entries = reports if isinstance(reports, list) else []
    _check_repeats(entries, "id", "/reports", problems)
    for index, report in enumerate(entries):
        if isinstance(report, dict):
            _check_report(report, f"/reports/{index}", problems)


def _check_report(report: dict[str, JsonValue], pointer: str, problems: ProblemList) -> None:
    software = report.get("software")
    if isinstance(software, list):
        _check_repeats(software, "component", f"{pointer}/software", problems)
    _check_parallelism(report.get("parallelism"), f"{pointer}/parallelism", problems)
    _check_outcome(report, pointer, problems)
    for earlier, later in _ORDERED:
        first, second = _text_at(report, earlier), _text_at(report, later)
        if first and second and first > second:
            place = f"{pointer}/{'/'.join(earlier)}"
            problems.add(place, f"{quote(first)} is later than {later[0]}, {quote(second)}")


def _check_parallelism(entries: JsonValue, pointer: str, problems: ProblemList) -> None:
    first_places: dict[str, tuple[str, str]] = {}
    for index, text in enumerate(entries if isinstance(entries, list) else []):
        if isinstance(text, str):
            kind, place = text.partition("=")[0], f"{pointer}/{index}"
            first_place, first = first_places.setdefault(kind, (place, text))
            if text != first:
                problems.add(place, f"{quote(kind)} stands at {first_place} already")


def _check_outcome(report: dict[str, JsonValue], pointer: str, problems: ProblemList) -> None:
    outcome, correctness = report.get("outcome"), report.get("correctness")
    if outcome == "limited" and report.get("limitations") == []:
        problems.add(f"{pointer}/limitations", "still to be given: what limited the run")
    if outcome == "fail" and isinstance(correctness, dict) and correctness.get("holds") is True:
        message = (
            "the run failed and its answers are correct: state limited, with what failed as a "
            "limitation, or how the answers were wrong, or null if there were none"
        )
        problems.add(f"{pointer}/correctness/holds", message)


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
