"""The evidence database: what is read, what is refused and where."""

import json
import tomllib
from collections.abc import Callable
from dataclasses import asdict, fields
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mappings.evidence_database import reader
from mappings.evidence_database.reader import read_evidence_database
from mappings.evidence_database.records import EvidenceItem, Model
from mappings.json_text import join_pointer
from mappings.source_text import quote
from tests.reading import ROOT, SEEDS, problems_of, read_alone

CASES: Final = ROOT / "tests" / "cases" / "evidence_database"
MINIMAL: Final = CASES / "minimal.json"
TEXT: Final = MINIMAL.read_text(encoding="utf-8")
COMMITTED: Final = ROOT / "data/sources/model-support/model-support.json"
ORIGINAL: Final = SEEDS / "model-support.json"

DAY: Final = "is not a day of the calendar, written YYYY-MM-DD"

Problems = list[tuple[int | str, str]]

EDITS: Final = {
    edit["name"]: edit
    for edit in tomllib.loads((CASES / "edits.toml").read_text(encoding="utf-8"))["edit"]
}

# Whole files.
FILES: Final[dict[str, tuple[str, Problems]]] = {
    "empty file": ("", [(1, "not JSON: Expecting value (column 1)")]),
    "two documents": (TEXT + "{}", [(97, "not JSON: Extra data (column 1)")]),
    "list": ("[]", [("", "expected an object, found a list")]),
    "number": ("1", [("", "expected an object, found a number")]),
    "brackets": ("[" * 10**5, [(1, "not JSON: nested too deeply (column 1)")]),
    "closed brackets": (
        "[" * 10**5 + "]" * 10**5,
        [(1, "not JSON: nested too deeply (column 1)")],
    ),
    "5,000 digits": (
        TEXT.replace('"1B"', "9" * 5000),
        [("/models/0/parameter_count", "expected a string, found a number")],
    ),
    "deep in a known key": (
        TEXT.replace('"1B"', "[" * 300 + "]" * 300),
        [("/models/0/parameter_count", "expected a string, found a list")],
    ),
    "long key": (
        TEXT.replace('"scope":', f'"{"k" * 100}": 1, "scope":'),
        [(f"/{'k' * 100}", f'unknown key "{"k" * 80}…"')],
    ),
}

NO_URLS: Final = (
    "tests.example",
    "//tests.example/",
    "ftp://tests.example/",
    "http://",
    "http:///path",
    "https://?q",
    "http://a b/",
    "http://a/b c",
    "http://a/<b>",
    "http://a/%zz",
    "http://a/#b#c",
    "http://a:b/",
    "http://a/[b]",
    "http://é/",
    "javascript:alert(1)",
)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "database.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def without_pointers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_pointers(value[key]) for key in value if key != "pointer"}
    if isinstance(value, (list, tuple)):
        return [without_pointers(entry) for entry in value]
    return value.isoformat() if isinstance(value, date) else value


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_edit(edit: dict[str, Any], tmp_path: Path) -> None:
    assert edit["old"] in TEXT
    path = write(tmp_path, TEXT.replace(edit["old"], edit["new"], 1))
    problems = problems_of(read_evidence_database, path)
    assert [f"{place}: {message}" for place, message in problems] == edit["problems"]


@pytest.mark.parametrize(("text", "expected"), FILES.values(), ids=FILES)
def test_file(text: str, expected: Problems, tmp_path: Path) -> None:
    assert problems_of(read_evidence_database, write(tmp_path, text)) == expected


@pytest.mark.parametrize("url", NO_URLS)
def test_no_url(url: str, tmp_path: Path) -> None:
    path = write(tmp_path, TEXT.replace("http://tests.example:8080", url))
    message = f"{quote(url)} is not an absolute http or https URL"
    assert problems_of(read_evidence_database, path) == [
        ("/support_paths/0/evidence/1/url", message)
    ]


def test_all_problems_at_once(tmp_path: Path) -> None:
    edits = (
        ('"1.0"', '"0.9"'),
        ('"scope": "Two models, two paths.",', '"Scope": "", "Scope": "",'),
        ('"Tiny-1B', '"Tiny 1B'),
        ('"acme/Tiny', '"Tiny'),
        ('"notes": "The small one."', '"notes": 7'),
        ('"z2.5"', '"z1"'),
        ('"model_id": "huge-9t"', '"model_id": "huge"'),
        ('"support_level": "integration_only"', '"support_level": "vendor_reported"'),
        ('"2024-02-29"', '"2024-02-30"'),
    )
    text = TEXT
    for old, new in edits:
        text = text.replace(old, new, 1)
    assert problems_of(read_evidence_database, write(tmp_path, text)) == [
        ("", 'missing key "scope"'),
        ("/schema_version", 'schema_version "0.9" is not one of 1.0'),
        ("/Scope", 'key "Scope" is given 2 times'),
        ("/Scope", 'unknown key "Scope"'),
        ("/models/0/model_id", '"Tiny-1B" is not a repository id such as Qwen/Qwen3-8B'),
        ("/models/0/notes", "expected a string, found a number"),
        ("/support_paths/0/product_ids/1", '"z1" stands at /support_paths/0/product_ids/0 already'),
        ("/support_paths/0/evidence/1/published_at", f'"2024-02-30" {DAY}'),
        ("/support_paths/1/model_id", '"huge" is not the id of an entry of /models'),
        ("/support_paths/1/evidence", 'support_level "vendor_reported" needs evidence'),
    ]


def test_every_key_is_required(tmp_path: Path) -> None:
    document = json.loads(TEXT)
    path, evidence = document["support_paths"][0], document["support_paths"][0]["evidence"][0]
    places = {
        "": document,
        "/support_levels": document["support_levels"],
        "/models/0": document["models"][0],
        "/support_paths/0": path,
        "/support_paths/0/evidence/0": evidence,
    }
    for pointer, members in places.items():
        for key in list(members):
            value = members.pop(key)
            problems = problems_of(read_evidence_database, write(tmp_path, json.dumps(document)))
            assert (pointer, f'missing key "{key}"') in problems
            members[key] = value


def test_minimal() -> None:
    database = read_evidence_database(MINIMAL)
    assert without_pointers(asdict(database)) == json.loads(TEXT)
    assert [model.pointer for model in database.models] == ["/models/0", "/models/1"]
    assert [path.pointer for path in database.support_paths] == [
        "/support_paths/0",
        "/support_paths/1",
    ]
    assert database.support_paths[0].product_ids == ("z1", "z2.5")
    assert database.support_paths[0].evidence[1] == EvidenceItem(
        pointer="/support_paths/0/evidence/1",
        type="independent_test",
        url="http://tests.example:8080",
        publisher="Testers",
        published_at=date(2024, 2, 29),
        checked_at=date(2026, 1, 1),
        claim="It ran.",
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", ""),
        lambda text: text.replace("ö", r"\u00f6"),
        lambda text: json.dumps(dict(reversed(json.loads(text).items()))),
    ],
    ids=["CRLF", "BOM", "one line", "escapes", "models after paths"],
)
def test_same_document(change: Callable[[str], str], tmp_path: Path) -> None:
    path = write(tmp_path, change(TEXT))
    assert read_evidence_database(path) == read_evidence_database(MINIMAL)


def test_tables_name_the_fields_of_the_records() -> None:
    assert [*reader._MODEL] == [field.name for field in fields(Model)][1:]
    assert [*reader._EVIDENCE] == [field.name for field in fields(EvidenceItem)][1:]


HOSTILE: Final[dict[str, tuple[Callable[[], str], int, str]]] = {
    "50 MB of brackets": (lambda: "[" * 50_000_000, 1, ":1: larger than 16,777,216 bytes"),
    "16 MB of brackets": (lambda: "[" * 16_000_000, 1, ":1: not JSON: nested too deeply"),
    "16 MB of objects": (lambda: '{"":' * 4_000_000, 1, ":1: not JSON: nested too deeply"),
    "a million unknown keys": (
        lambda: "{" + ",".join(f'"k{number:06}":1' for number in range(10**6)) + "}",
        10**6 + 7,
        '#/k999999: unknown key "k999999"',
    ),
    "a million keys at an unknown place": (
        lambda: '{"a":{' + ",".join(f'"k{number:06}":1' for number in range(10**6)) + "}}",
        8,
        '#/a: unknown key "a"',
    ),
    "one key 3 million times": (
        lambda: '{"":1' + ',"":1' * 2_999_999 + "}",
        9,
        '#/: unknown key ""',
    ),
    "16 million digits": (
        lambda: '{"scope":' + "9" * 16_000_000 + "}",
        7,
        "#/scope: expected a string, found a number",
    ),
    "5 million empty models": (
        lambda: '{"models":[{}' + ",{}" * 4_999_999 + "]}",
        2**20 + 1,
        "/models/116507: more than 1,048,576 problems: the rest of the file was not checked",
    ),
    "16 MB string": (
        lambda: '{"scope":"' + "x" * 16_000_000 + '","last_reviewed":"' + "1" * 700_000 + '"}',
        6,
        f'#/last_reviewed: "{"1" * 80}…" is not a day',
    ),
}


@pytest.mark.parametrize(("content", "count", "last"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_file(content: Callable[[], str], count: int, last: str, tmp_path: Path) -> None:
    path = write(tmp_path, content())
    megabytes, problems, message = read_alone(read_evidence_database, path)
    assert (problems, last in message) == (count, True), message
    # Every problem is held: a million of them, written out once, take some 400 MB.
    assert megabytes < (300 if count < 1000 else 1000)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{\n"scope": "\xff"\n}', [(2, "not UTF-8")]),
        (b'{\n"scope": "\0"\n}', [(2, "control character U+0000")]),
    ],
)
def test_hostile_bytes(data: bytes, expected: Problems, tmp_path: Path) -> None:
    path = tmp_path / "database.json"
    path.write_bytes(data)
    assert problems_of(read_evidence_database, path) == expected


JSON_VALUES: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.just("id") | st.text(), inner),
    max_leaves=8,
)


def places_in(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(value, (dict, list)):
        return [place]
    inside = value if isinstance(value, dict) else range(len(value))
    return [place] + [found for key in inside for found in places_in(value[key], (*place, key))]


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


@given(value=JSON_VALUES)
def test_any_json(value: object, scratch: Path) -> None:
    assert problems_of(read_evidence_database, write(scratch, json.dumps(value)))


@given(text=st.text(st.characters(exclude_categories=())))
def test_any_text(text: str, scratch: Path) -> None:
    assert problems_of(read_evidence_database, write(scratch, text))


@given(place=st.sampled_from(places_in(json.loads(TEXT))[1:]), value=JSON_VALUES)
def test_any_value_anywhere(place: tuple[Any, ...], value: object, scratch: Path) -> None:
    """Whatever a value is replaced with, it is read as it is or refused at its place."""
    document = json.loads(TEXT)
    parent = document
    for key in place[:-1]:
        parent = parent[key]
    parent[place[-1]] = value
    path = write(scratch, json.dumps(document))
    problems = problems_of(read_evidence_database, path)
    if problems:
        pointer = ""
        for key in place:
            pointer = join_pointer(pointer, str(key))
        dangling = [problem for problem in problems if "/models" in problem[1]]
        assert dangling or any(str(found).startswith(pointer) for found, _ in problems)
    else:
        assert without_pointers(asdict(read_evidence_database(path))) == document


@given(line=st.integers(0, TEXT.count("\n") - 1), data=st.data())
def test_any_edit_of_a_line(line: int, data: st.DataObject, scratch: Path) -> None:
    lines = TEXT.split("\n")
    column = data.draw(st.integers(0, len(lines[line])))
    end = data.draw(st.integers(column, len(lines[line])))
    inserted = data.draw(st.text(max_size=3))
    lines[line] = lines[line][:column] + inserted + lines[line][end:]
    path = write(scratch, "\n".join(lines))
    if not problems_of(read_evidence_database, path):
        expected = json.loads("\n".join(lines).replace("\r\n", "\n").replace("\r", "\n"))
        assert without_pointers(asdict(read_evidence_database(path))) == expected


@pytest.mark.parametrize("line", range(TEXT.count("\n")))
def test_any_line_deleted(line: int, tmp_path: Path) -> None:
    lines = TEXT.split("\n")
    deleted = lines.pop(line)
    problems = problems_of(read_evidence_database, write(tmp_path, "\n".join(lines)))
    entries_of_lists = ('"z1",', '"z2.5"', '"BF16"', '"zeta-vllm"', '"offline inference",')
    assert problems or deleted.strip() in entries_of_lists


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(COMMITTED, id="committed"),
        pytest.param(
            ORIGINAL,
            id="original",
            marks=pytest.mark.skipif(not ORIGINAL.exists(), reason="no originals beside the tree"),
        ),
    ],
)
def test_real_document(path: Path) -> None:
    database = read_evidence_database(path)
    assert len(database.models) == 7
    assert len(database.support_paths) == 12
    assert sum(len(support_path.evidence) for support_path in database.support_paths) == 12
    document = json.loads(path.read_text(encoding="utf-8"))
    assert without_pointers(asdict(database)) == document
