"""source.toml: every fault with its line, and no file that takes long or much to refuse."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import SourceError
from mappings.source_description import (
    SourceDescription,
    SourceDescriptionError,
    read_source_description,
)
from mappings.toml_text import MAX_TOML_BYTES
from tests.reading import problems_of

FORMATS = {"evidence-database": (), "vendor-page": ("version", "platform")}
GOOD = """\
title = "Our runs"
format = "evidence-database"
document = "runs.json"
licence = "ours"
attribution = "ours"
absence = "unstated"
licenses_inference = "none"
registered = 2026-11-30
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A good description."""
    path = tmp_path / "lab" / "source.toml"
    path.parent.mkdir()
    path.write_text(GOOD, encoding="utf-8")
    return path


def _read(path: Path) -> SourceDescription:
    return read_source_description(path, FORMATS)


def test_a_good_description(path: Path) -> None:
    described = _read(path)
    assert (described.name, described.document) == ("lab", path.parent / "runs.json")
    assert (described.registered, described.version) == (date(2026, 11, 30), None)


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ('"unstated"', "[]", 6, "absence is not one of representative, recommended-only"),
        ('"unstated"', "{ a = 1 }", 6, "absence is not one of"),
        ('"none"', "[1]", 7, "licenses_inference is not one of none, same-architecture"),
        ('"evidence-database"', "[]", 2, "format is not a text"),
        ('"evidence-database"', '"xml"', 2, "format is not one of evidence-database, vendor-page"),
        ('"Our runs"', "1", 1, "title is not a text"),
        ('"Our runs"', '"Our\\u001bruns"', 1, "title holds the control character U+001B"),
        ('"runs.json"', '"a\\nb"', 3, "document holds the control character U+000A"),
        ("2026-11-30", '"today"', 8, "registered is not a date such as 2026-11-30"),
        ("title =", '"colour" = 1\ntitle =', 1, "unknown key 'colour'"),
        ("registered", "[extra]\nregistered", 8, "unknown key 'extra'"),
        ("registered", "a.b.c = 1\nregistered", 8, "unknown key 'a'"),
        ('"evidence-database"', '"vendor-page"', 1, "'version', which a vendor-page needs"),
        ('licence = "ours"\n', "", 1, "missing key 'licence'"),
        ("title =", "title", 1, "not TOML: "),
        ("2026-11-30", "9" * 5_000, 1, "not TOML: "),
        ("2026-11-30", "[" * 9_000, 1, "not TOML: nested too deeply"),
        ("2026-11-30", "1" * MAX_TOML_BYTES, 1, "larger than 16,384 bytes, the limit for a TOML"),
        ('"Our runs"', f'"{"x" * 999}"\n{"k" * 999} = 1', 2, f"unknown key '{'k' * 80}…'"),
    ],
)
def test_a_fault_is_named_with_its_line(
    old: str, new: str, place: int, message: str, path: Path
) -> None:
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    problems = problems_of(_read, path)
    assert any(at == place and message in said for at, said in problems), problems


@pytest.mark.parametrize(
    "text",
    ["a" + ".a" * 8_000 + " = 1", "\n".join(f"{key:x}=1" for key in range(2_500))],
    ids=["a deep key", "many keys"],
)
def test_no_text_takes_long(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")
    assert problems_of(_read, path)


@pytest.mark.parametrize(
    ("old", "new", "document"),
    [
        ('"unstated"', "[]", "runs.json"),
        ('"evidence-database"', '"xml"', None),
        ('"runs.json"', "[]", None),
        ('"runs.json"', '"a\\u0000"', None),
    ],
)
def test_a_fault_tells_where_the_document_is(
    old: str, new: str, document: str | None, path: Path
) -> None:
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(SourceDescriptionError) as caught:
        _read(path)
    found = caught.value.document
    assert found == (document and ("evidence-database", path.parent / document))


@given(text=st.text(max_size=200) | st.text("[]{}=.,\"'a1\n", max_size=200))
def test_any_text_is_refused_with_a_problem(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "source.toml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(SourceError):
        _read(path)
