"""What reaches a terminal, and which days are taken."""

import json
import os
from datetime import date
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.days import parse_day
from kg.diff.engine import read_model_list
from kg.errors import SourceError
from kg.printable import json_text


@given(st.dictionaries(st.text(), st.text()))
def test_json_is_the_same_value_and_steers_nothing(value: dict[str, str]) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    steering = {c for c in text if category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert steering <= {"\n"}


def test_json_shows_what_it_escapes() -> None:
    assert json_text(["a\u202e\u2066\x9b東京"]) == '[\n  "a\\u202e\\u2066\\u009b東京"\n]'


@pytest.mark.parametrize(
    "text", ["20261130", "2026-W48-1", "2026-11-31", "2026-1-1", "٢٠٢٦-11-30", "", "2026-11-30\n"]
)
def test_a_day_has_one_form(text: str) -> None:
    assert parse_day("2026-11-30") == date(2026, 11, 30)
    with pytest.raises(ValueError, match=r"^"):
        parse_day(text)


def test_a_list_of_models_is_no_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="not a regular file"):
        read_model_list(tmp_path / "pipe")
