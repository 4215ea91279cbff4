"""The competency questions: each answer as written, the rows that must not appear, two engines.

A case is tests/cases/questions/<question>.json: a list of objects with

- ``with``: the values of parameters (default: none),
- ``rows``: the expected rows in order, each a list of cells in the order of the header's columns,
- ``not``: cells or rows that a wrong join would add; none may appear in any row,
- ``why``: where the answer can be read in the two documents (A and B, with lines).
"""

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import rdflib
from pyoxigraph import NamedNode

from kg.ask import Asked, ask
from kg.backend import Row, StoreBackend, Term
from kg.errors import UnknownNameError
from kg.iris import keys_of
from kg.queries import questions
from kg.snapshot import Place, Snapshot
from kg.table import READ_AT, as_csv, as_json_rows, as_table
from kg.terms import shorten
from kg.vocab import ID
from tests import rdflib_engine

CASES = Path(__file__).parent / "cases" / "questions"
TODAY = date(2026, 11, 30)
# Numbers of the questions that a query can answer. Question 31 (the fastest platform) is refused:
# performance is out of scope, and no term of the ontology could state it.
COMPUTABLE = frozenset(
    map(str, (1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 15, 17, 18, 19, 20, 22, 23, 24, 25, 26, 28, 29))
) | frozenset(map(str, (32, 33, 34, 35, 37, 38, 39, 40, 41, 43, 44, 45, 46, 47, 48, 50, 51, 54)))


@dataclass(frozen=True)
class RdflibBackend:
    """Runs the same stored queries on rdflib."""

    dataset: rdflib.Dataset
    snapshot: str = "rdflib"

    def select(self, query: str, bindings: dict[str, Term]) -> list[Row]:
        return rdflib_engine.select(self.dataset, query, bindings)

    def places(self, _subject: NamedNode) -> tuple[Place, ...]:
        return ()


def _cases() -> list[Any]:
    return [
        pytest.param(path.stem, case, id=f"{path.stem}-{number}")
        for path in sorted(CASES.glob("*.json"))
        for number, case in enumerate(json.loads(path.read_text(encoding="utf-8")), 1)
    ]


@pytest.fixture(scope="session")
def rdflib_backend(snapshot: Snapshot) -> RdflibBackend:
    return RdflibBackend(rdflib_engine.load(snapshot.store))


def _cells(asked: Asked) -> list[list[str]]:
    return [[shorten(row.get(column)) for column in asked.columns] for row in asked.rows]


def test_cases_are_found() -> None:
    assert _cases()


def test_every_question_has_a_case_and_every_case_a_question() -> None:
    assert {path.stem for path in CASES.glob("*.json")} == set(questions())


def test_every_computable_question_is_stored() -> None:
    assert {
        number for question in questions().values() for number in question.numbers
    } == COMPUTABLE


@pytest.mark.parametrize(("name", "case"), _cases())
def test_answer(name: str, case: dict[str, Any], backend: StoreBackend) -> None:
    cells = _cells(ask(backend, name, case.get("with", {}), today=TODAY))
    assert cells == case["rows"], case["why"]


@pytest.mark.parametrize(("name", "case"), [c for c in _cases() if "not" in c.values[1]])
def test_wrong_joins_add_nothing(name: str, case: dict[str, Any], backend: StoreBackend) -> None:
    cells = _cells(ask(backend, name, case.get("with", {}), today=TODAY))
    for unwanted in case["not"]:
        if isinstance(unwanted, list):
            assert unwanted not in cells, case["why"]
        else:
            assert not any(unwanted in row for row in cells), case["why"]


@pytest.mark.parametrize(("name", "case"), _cases())
def test_rdflib_gives_the_same_answer(
    name: str, case: dict[str, Any], backend: StoreBackend, rdflib_backend: RdflibBackend
) -> None:
    values = case.get("with", {})
    expected = _cells(ask(backend, name, values, today=TODAY))
    assert _cells(ask(rdflib_backend, name, values, today=TODAY)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "values", "near"),
    [
        ("paths_of_checkpoint", {"checkpoint": "openai/gpt-oss-12b"}, "openai/gpt-oss-120b"),
        ("families_of_architecture", {"architecture": "llamaforcausallm"}, "LlamaForCausalLM"),
        ("products_with_level", {"level": "vendor"}, "vendor_reported"),
        ("paths_by_level", {"source": "model-suport"}, "model-support"),
        ("families_compatible_via_architecture", {"family": "cloud-ai-100/Lama 3.1"}, "Llama 3.1"),
    ],
)
def test_an_unknown_value_is_refused_with_near_misses(
    name: str, values: dict[str, str], near: str, backend: StoreBackend
) -> None:
    """Nothing found for a misspelt name would read like an answer."""
    with pytest.raises(UnknownNameError, match=near):
        ask(backend, name, values, today=TODAY)


# Where a row is stated


STATEMENTS = frozenset({"evidence", "exclusion", "mapping", "path", "requirement", "statement"})


def _statements(row: Row) -> list[str]:
    return [
        term.value
        for term in row.values()
        if isinstance(term, NamedNode)
        and term.value.startswith(ID)
        and keys_of(term)[0] in STATEMENTS
    ]


@pytest.mark.parametrize(("name", "case"), _cases())
def test_every_row_that_rests_on_a_statement_says_where_it_is(
    name: str, case: dict[str, Any], backend: StoreBackend, snapshot: Snapshot
) -> None:
    asked = ask(backend, name, case.get("with", {}), today=TODAY)
    for row, places in zip(asked.rows, asked.places, strict=True):
        for statement in _statements(row):
            assert set(snapshot.places[statement]) & set(places)


def test_many_questions_rest_on_statements(backend: StoreBackend) -> None:
    asked = [ask(backend, name, {}, today=TODAY) for name in questions()]
    assert sum(any(map(_statements, answer.rows)) for answer in asked) > 15


PAGE = "sources/cloud-ai-100/cloud-ai-100.txt"
DATABASE = "sources/model-support/model-support.json"


@pytest.mark.parametrize(
    ("name", "values", "first"),
    [
        ("paths_of_checkpoint", {"checkpoint": "google/gemma-2-27b"}, (f"{PAGE}:16",)),
        ("unpinned_urls", {}, (f"{DATABASE}#/support_paths/3/evidence/0",)),
        (
            "excluded_products",
            {},
            (f"{DATABASE}#/support_paths/6", "curated/exclusions.csv:6"),
        ),
        # what was asked for and what was found stand in one row of the page
        ("families_of_architecture", {"architecture": "FalconForCausalLM"}, (f"{PAGE}:13",)),
        # a row of the registry, and the rows that name it
        ("hardware", {}, ("curated/aliases.csv:26", "curated/platforms.csv:2")),
        # a count rests on many
        ("coverage", {}, ()),
    ],
)
def test_where_a_row_is_stated(
    name: str, values: dict[str, str], first: tuple[str, ...], backend: StoreBackend
) -> None:
    asked = ask(backend, name, values, today=TODAY)
    assert tuple(map(str, asked.places[0])) == first


def test_each_format_says_where(backend: StoreBackend) -> None:
    asked = ask(backend, "paths_of_checkpoint", {"checkpoint": "openai/gpt-oss-120b"}, today=TODAY)
    places = [", ".join(map(str, found)) for found in asked.places]
    assert all(places)
    rows = json.loads(as_json_rows(asked))
    assert [", ".join(row[READ_AT]) for row in rows] == places
    assert [line.rpartition(",")[2] for line in as_csv(asked).splitlines()] == [READ_AT, *places]
    table = as_table(asked).splitlines()
    assert [line.split()[-1] for line in table[4:-2]] == places
