"""Test reports: what is read, what is refused and where; the published schema says the same."""

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final
from unicodedata import category, name

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.vocab import TEST_REPORT_SCHEMA
from mappings.json_schema import JsonSchema
from mappings.json_text import parse_json
from mappings.source_text import ProblemList
from mappings.test_report.reader import read_test_reports, schema_text
from mappings.test_report.reader import test_report_schema as report_schema
from tests.reading import ROOT, problems_of, read_alone

CASES: Final = ROOT / "tests" / "cases" / "test_report"
TEXT: Final = (CASES / "minimal.json").read_text(encoding="utf-8")
MINIMAL: Final = json.loads(TEXT)
SCHEMA: Final = json.loads(schema_text())
EDITS: Final = {
    edit["name"]: edit
    for edit in tomllib.loads((CASES / "edits.toml").read_text(encoding="utf-8"))["edit"]
}


CASE_TABLE: Final = tomllib.loads((CASES / "texts.toml").read_text(encoding="utf-8"))


def _write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "reports.json"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_edit(edit: dict[str, Any], tmp_path: Path) -> None:
    assert edit["old"] in TEXT
    path = _write(tmp_path, TEXT.replace(edit["old"], edit["new"], 1))
    problems = problems_of(read_test_reports, path)
    assert [f"{place}: {message}" for place, message in problems] == edit["problems"]


def test_a_report_is_read_as_it_is_written() -> None:
    (report,) = read_test_reports(CASES / "minimal.json").reports
    assert report.pointer == "/reports/0"
    assert (report.devices, report.nodes, report.ran_at) == (1, None, date(2026, 11, 28))
    assert report.software[0].version == "0.11.0"
    assert report.correctness and report.correctness.holds
    assert report.published and report.published.published_at is None


def test_an_id_stands_once(tmp_path: Path) -> None:
    document = {**MINIMAL, "reports": MINIMAL["reports"] * 2}
    problems = problems_of(read_test_reports, _write(tmp_path, json.dumps(document)))
    said = '"tiny-on-h100" stands at /reports/0/id already'
    assert problems == [("/reports/1/id", said)]


def test_an_empty_template_names_every_place(tmp_path: Path) -> None:
    path = _write(tmp_path, json.dumps(report_schema().blank()))
    problems = problems_of(read_test_reports, path)
    assert {place for place, _ in problems} == {
        *("/version", "/publisher"),
        *(f"/reports/0/{key}" for key in ("id", "checkpoint", "revision", "product", "hardware")),
        *(f"/reports/0/{key}" for key in ("devices", "unit", "command", "outcome", "finding")),
        *(f"/reports/0/software/0/{key}" for key in ("component", "version")),
        *(f"/reports/0/correctness/{key}" for key in ("method", "reference", "result", "holds")),
        *("/reports/0/log/sha256", "/reports/0/ran_at", "/reports/0/checked_at"),
    }
    assert all(message.startswith("still to be given: ") for _, message in problems)


def test_a_hostile_file_is_bounded(tmp_path: Path) -> None:
    reports = ",".join(["{}"] * 60_000)
    text = TEXT.partition('"reports": [')[0] + f'"reports": [{reports}]}}'
    megabytes, count, last = read_alone(read_test_reports, _write(tmp_path, text))
    assert megabytes < 1500
    assert count == 2**20 + 1
    assert "the rest of the file was not checked" in last


# A text says something, a name is no branch and gives no number: many of each


def _at(pointer: str, value: Any) -> dict[str, Any]:
    document = json.loads(TEXT)
    last: Any
    *parents, last = [int(key) if key.isdigit() else key for key in pointer.split("/")[1:]]
    target = document
    for key in parents:
        target = target[key]
    if isinstance(target, list):
        target[:] = [value]
    else:
        target[last] = value
    return dict(document)


def _said(pointer: str, value: Any, tmp_path: Path) -> list[str]:
    problems = problems_of(read_test_reports, _write(tmp_path, json.dumps(_at(pointer, value))))
    assert [place for place, _ in problems] == [pointer] * len(problems)
    return [message for _, message in problems]


# Every text of the minimal document that a person writes in words of their own.
TEXTS: Final = (
    "/publisher",
    *(f"/reports/0/{key}" for key in ("hardware", "environment/0", "command", "finding")),
    *(f"/reports/0/correctness/{key}" for key in ("method", "reference", "result")),
)


@pytest.mark.parametrize("pointer", TEXTS)
@pytest.mark.parametrize("text", [".", "?", "- -", "…", "\u3164", "\u0301", "✓", "\u2800"])
def test_a_text_without_a_letter_or_digit_says_nothing(
    text: str, pointer: str, tmp_path: Path
) -> None:
    (message,) = _said(pointer, text, tmp_path)
    assert " says nothing; still to be given: " in message


@pytest.mark.parametrize("pointer", TEXTS)
@pytest.mark.parametrize("text", CASE_TABLE["unseen"], ids=ascii)
def test_a_character_that_nobody_sees_is_refused(text: str, pointer: str, tmp_path: Path) -> None:
    (message,) = _said(pointer, text, tmp_path)
    assert re.search(
        r"holds the control or format character U\+[0-9A-F]{4,5}: leave it out", message
    )


def test_every_control_and_format_character_is_outside_the_pattern() -> None:
    pattern = re.compile(_ecma(SCHEMA["$defs"]["text"]["pattern"]))
    kept = [
        character
        for character in map(chr, range(sys.maxunicode + 1))
        if category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and pattern.search(f"a{character}")
    ]
    assert kept == ["\t", "\n"]


@pytest.mark.parametrize("text", ["東京の結果", "Ergebnis: ✓ 64", "λ", "Один", "٣"])
def test_a_text_of_any_script_is_taken(text: str, tmp_path: Path) -> None:
    assert _said("/reports/0/finding", text, tmp_path) == []


NAMES: Final = [
    (pointer, name_, said)
    for table in CASE_TABLE["names"]
    for pointer in table["at"]
    for name_ in table["given"]
    for said in [table["said"]]
]


@pytest.mark.parametrize(("pointer", "given_name", "said"), NAMES)
def test_a_name_is_of_the_wanted_form(
    pointer: str, given_name: str, said: str, tmp_path: Path
) -> None:
    messages = _said(pointer, given_name, tmp_path)
    assert [said in message for message in messages] == ([True] if said else [])


def test_a_limited_run_names_its_limits(tmp_path: Path) -> None:
    path = _write(tmp_path, json.dumps(_at("/reports/0/outcome", "limited")))
    said = "still to be given: what limited the run"
    assert problems_of(read_test_reports, path) == [("/reports/0/limitations", said)]


def test_a_run_that_failed_gave_no_correct_answers(tmp_path: Path) -> None:
    path = _write(tmp_path, json.dumps(_at("/reports/0/outcome", "fail")))
    ((place, message),) = problems_of(read_test_reports, path)
    assert place == "/reports/0/correctness/holds"
    assert message.startswith("the run failed and its answers are correct: state limited")


def test_a_kind_of_parallelism_stands_once(tmp_path: Path) -> None:
    document = _at("/reports/0/parallelism", ["tensor=64", "data=2", "tensor=2"])
    problems = problems_of(read_test_reports, _write(tmp_path, json.dumps(document)))
    said = '"tensor" stands at /reports/0/parallelism/0 already'
    assert problems == [("/reports/0/parallelism/2", said)]


# The schema


def test_the_schema_is_of_a_known_form() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["$id"] == TEST_REPORT_SCHEMA == SCHEMA["properties"]["$schema"]["const"]


def _objects(schema: Any) -> list[dict[str, Any]]:
    if not isinstance(schema, dict):
        return (
            [found for part in schema for found in _objects(part)]
            if isinstance(schema, list)
            else []
        )
    found = [schema] if "properties" in schema and "type" in schema else []
    return found + [below for part in schema.values() for below in _objects(part)]


def test_every_key_of_the_schema_is_needed_described_and_none_else_is_allowed() -> None:
    assert len(_objects(SCHEMA)) == 7
    for part in _objects(SCHEMA):
        assert part["additionalProperties"] is False
        assert list(part["required"]) == list(part["properties"])
        assert all(member["description"] for member in part["properties"].values())


def test_no_key_is_for_performance() -> None:
    keys = {key for part in _objects(SCHEMA) for key in part["properties"]}
    assert not [key for key in keys if re.search("through|latency|token|speed|second|perf", key)]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "maxLength": 3},
        {"type": "array", "items": {"type": "integer", "multipleOf": 2}},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "string", "pattern": "[a-z]"},
        {"$defs": {"a": {"if": {}}}},
        {"type": "string", "not": {"anyOf": [{"pattern": "^a$", "maxLength": 3}]}},
    ],
)
def test_a_keyword_that_nobody_checks_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not checked"):
        JsonSchema(json.dumps(schema))


# The schema says what the reader takes: a second reading of JSON Schema, by its specification


def _resolve(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "$ref" in schema:
        return [schema, *_resolve(SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")])]
    return [schema]


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Tell whether a value is valid against the schema (draft 2020-12), date-times asserted."""
    return all(_fits(value, part) for part in _resolve(schema))


_NAMES: Final = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer"}


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    types = schema.get("type")
    name = "null" if value is None else _NAMES.get(type(value), "number")
    checks = [
        types is None or name in ([types] if isinstance(types, str) else types),
        "const" not in schema or value == schema["const"],
        "enum" not in schema or value in schema["enum"],
        "anyOf" not in schema or any(fits(value, choice) for choice in schema["anyOf"]),
        "not" not in schema or not fits(value, schema["not"]),
    ]
    if isinstance(value, str):
        checks.append(bool(re.search(_ecma(schema.get("pattern", "")), value)))
        checks.append(schema.get("format") != "date" or _is_day(value))
        checks.append(schema.get("format") != "words" or _has_words(value))
    if name == "integer":
        checks.append(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    if isinstance(value, list):
        checks.append(len(value) >= schema.get("minItems", 0))
        texts = {json.dumps(entry, sort_keys=True) for entry in value}
        checks.append(not schema.get("uniqueItems") or len(texts) == len(value))
        checks += [fits(entry, schema["items"]) for entry in value if "items" in schema]
    if isinstance(value, dict) and "properties" in schema:
        checks.append(set(schema["required"]) <= value.keys() <= schema["properties"].keys())
        checks += [
            fits(member, schema["properties"][key])
            for key, member in value.items()
            if key in schema["properties"]
        ]
    return all(checks)


def _ecma(pattern: str) -> str:
    """Return a pattern whose end is the end: in Python, $ also stands before a last line feed."""
    return re.sub(r"\$$", r"\\Z", pattern)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _has_words(text: str) -> bool:
    """Tell whether a text has a letter (L) or number (N), by Unicode's own categories."""
    seen = [character for character in text if "FILLER" not in name(character, "")]
    return any(category(character)[0] in "LN" for character in seen)


def _generated(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Generate values that fit, from the schema itself."""
    whole: dict[str, Any] = {}
    for part in reversed(_resolve(schema)):
        whole |= part
    if "anyOf" in whole:
        return st.one_of(*map(_generated, whole["anyOf"]))
    if "const" in whole or "enum" in whole:
        return st.sampled_from([whole["const"]] if "const" in whole else whole["enum"])
    types = [whole["type"]] if isinstance(whole["type"], str) else whole["type"]
    values = st.one_of(*(_of_type(name, whole) for name in types))
    if not _is_refined(whole):
        return values
    return values.map(lambda value: _mended(value, schema)).filter(lambda v: fits(v, schema))


def _mended(value: str, schema: Mapping[str, Any]) -> str:
    """Return a text that fits, near one that says nothing or is one digit again and again."""
    near = (value, f"{value}1", f"1{value[1:]}", f"2{value[1:]}")
    return next((text for text in near if fits(text, schema)), value)


def _is_refined(schema: Mapping[str, Any]) -> bool:
    return "not" in schema or schema.get("format") == "words"


def _of_type(name: str, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if name == "object":
        return st.fixed_dictionaries(
            {key: _generated(part) for key, part in schema["properties"].items()}
        )
    if name == "array":
        entries = _generated(schema["items"])
        return st.lists(
            entries, min_size=schema.get("minItems", 0), max_size=3, unique_by=json.dumps
        )
    if name == "integer":
        return st.integers(schema["minimum"], schema["maximum"])
    if schema.get("format") == "date":
        return st.dates().map(lambda day: day.isoformat())
    if name in ("boolean", "null"):
        return st.booleans() if name == "boolean" else st.none()
    if schema.get("format") == "words":
        seen = st.characters(exclude_categories=("Cc", "Cf", "Cn", "Cs", "Zl", "Zp"))
        return st.text(seen, max_size=9)
    return st.from_regex(_ecma(schema["pattern"]))


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, below in entries:
        found.append((*at, key))
        if isinstance(below, dict | list):
            found += _places(below, (*at, key))
    return found


JSON: Final = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 2**40), st.floats(0.1, 0.9), st.text(max_size=5),
    st.sampled_from(["pass", "2026-13-01", "main", "a/b", "h100", "tensor=2", "1.x", "x\n"]),
    st.sampled_from(["?", "\u200b", "0.11.X", "0" * 64, "f" * 40, "tokens=2"]),
    st.just([]), st.just({}), st.just([""]),
)  # fmt: skip


@st.composite
def _mutated(draw: st.DrawFn) -> Any:
    document = json.loads(TEXT)
    for _ in range(draw(st.integers(0, 2))):
        *parents, last = draw(st.sampled_from(_places(document)))
        target = document
        for key in parents:
            target = target[key]
        if draw(st.booleans()) or isinstance(target, list):
            target[last] = json.loads(json.dumps(draw(JSON)))
        elif draw(st.booleans()):
            del target[last]
        else:
            target[f"{last}s"] = json.loads(json.dumps(draw(JSON)))
        if not document:
            break
    return document


def _taken(document: Any) -> bool:
    problems = ProblemList(Path("x.json"))
    report_schema().check(parse_json(json.dumps(document)), problems)
    return not problems._problems


@settings(max_examples=60, deadline=None)
@given(_generated(SCHEMA))
def test_what_the_schema_allows_is_taken(document: Any) -> None:
    assert fits(document, SCHEMA)
    assert _taken(document)


@settings(max_examples=400, deadline=None)
@given(_mutated())
def test_what_is_taken_is_what_the_schema_allows(document: Any) -> None:
    assert _taken(document) == fits(document, SCHEMA)
