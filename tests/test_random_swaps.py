"""Random swaps across the real records: what a record's own words do not bear is caught.

tests/own_words.py judges from the JSON alone which swaps are harmful. The line that pytest prints
at the end counts the swaps made, the harmful ones among them, and those that a violation caught, at
each record that the swap harmed.
"""

import csv
import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docs.rules import read_all_shapes
from kg.build import assemble
from kg.errors import SourceError
from kg.resources import DATA
from kg.validation import Result, validate
from tests.own_words import MODELS, PLATFORMS, PRECISIONS, PRODUCTS, stretched

SOURCE: Final = DATA / "sources" / "model-support" / "model-support.json"
ORIGINAL: Final = json.loads(SOURCE.read_text(encoding="utf-8"))
RECORDS: Final = ORIGINAL["support_paths"]
LEVELS: Final = tuple(ORIGINAL["support_levels"])
DAYS: Final = tuple(f"2026-{month}-{day:02}" for month in (10, 11) for day in range(1, 31))
SWAPS_OF_EACH_KIND: Final = 20

Document = dict[str, Any]
Swap = Callable[[Document], None]

# Which rule claims to catch what is harmful. It must catch all of it as soon as it has a shape.
CLAIMED_BY: Final = {
    "product": "R02",
    "platform": "R04",
    "checkpoint": "R19",
    "level documented_recipe": "R58",
    "level upstream_verified": "R76",
    "level vendor_reported": "R09",
    "level independently_tested": "R76",
    "level integration_only": "R16",
    "date": "R72",
    # No rule says that a precision must be named: a record of the database itself has one that its
    # words do not name, which R67 shows. What a source confines or gives for a section is caught.
    "precision": "",
}
SHAPED: Final = {shape.rule for shape in read_all_shapes()}


def _set(number: int, key: str, value: Any) -> Swap:
    def swap(document: Document) -> None:
        *parents, last = key.split("/")
        place = document["support_paths"][number]
        for name in parents:
            place = place[int(name) if name.isdecimal() else name]
        place[last] = value

    return swap


def _exchange(first: int, second: int, key: str) -> Swap:
    def swap(document: Document) -> None:
        one, other = (_value(RECORDS[number], key) for number in (first, second))
        _set(first, key, other)(document)
        _set(second, key, one)(document)

    return swap


def _value(record: Any, key: str) -> Any:
    for name in key.split("/"):
        record = record[int(name) if name.isdecimal() else name]
    return deepcopy(record)


def _registered(table: str, column: str) -> list[str]:
    with (DATA / "curated" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row[column] for row in rows if row.get("source", "") in ("", "model-support")]


NUMBERS: Final = st.integers(0, len(RECORDS) - 1)


def _swaps(key: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Swap]:
    """Exchange what two records have under a key, or set it in one to a registered value."""
    exchanged = st.builds(_exchange, NUMBERS, NUMBERS, st.just(key))
    return exchanged | st.builds(_set, NUMBERS, st.just(key), values)


def _lists(values: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), unique=True, min_size=1, max_size=2)


KINDS: Final = {
    "product": _swaps("product_ids", _lists(_registered("products", "id"))),
    "platform": _swaps("platform_id", st.sampled_from(_registered("platforms", "id"))),
    "level": _swaps("support_level", st.sampled_from(LEVELS)),
    "checkpoint": _swaps("model_id", st.sampled_from([m["id"] for m in ORIGINAL["models"]])),
    "precision": _swaps("precision_modes", _lists(_registered("precision_names", "token"))),
    "date": _swaps("evidence/0/checked_at", st.sampled_from(DAYS))
    | _swaps("evidence/0/published_at", st.sampled_from(DAYS)),
}


def _harm(document: Document) -> dict[int, list[str]]:
    """Return the records that say more than their own words, and what."""
    reviewed = document["last_reviewed"]
    found = {
        number: list(stretched(record, RECORDS[number], reviewed))
        for number, record in enumerate(document["support_paths"])
    }
    return {number: problems for number, problems in found.items() if problems}


def _caught(document: Document, folder: Path) -> Callable[[int], bool]:
    """Build the document, and tell of a record whether a violation names it."""
    path = folder / SOURCE.name
    path.write_text(json.dumps(document), encoding="utf-8")
    try:
        graph = assemble(documents={"model-support": path}, only=("model-support",))
    except SourceError as error:
        places = {str(problem.place) for problem in error.problems}
    else:
        report = validate(graph.store, graph.places)
        places = {place for result in report.results for place in _places(result)}
    return lambda number: any(
        f"{place}/".startswith(f"/support_paths/{number}/") for place in places
    )


def _places(result: Result) -> list[str]:
    if not result.severity.value.endswith("#Violation"):
        return []
    return [place.place for place in result.places]


@dataclass(slots=True)
class Tally:
    """What became of the swaps of one kind."""

    made: int = 0
    harmful: int = 0
    caught: int = 0
    escaped: set[tuple[str, str]] = field(default_factory=set)

    def count(self, swap: Swap, folder: Path) -> None:
        """Make a swap, and count it; one that changes nothing is none."""
        document = deepcopy(ORIGINAL)
        swap(document)
        if document == ORIGINAL:
            return
        self.made += 1
        if harm := _harm(document):
            caught = _caught(document, folder)
            missed = [number for number in harm if not caught(number)]
            self.harmful += 1
            self.caught += not missed
            self.escaped |= {(what, RECORDS[n]["id"]) for n in missed for what in harm[n]}


@pytest.mark.parametrize("kind", KINDS)
def test_harmful_swaps_are_caught(kind: str, tmp_path: Path, record_property: Any) -> None:
    tally = Tally()

    @settings(max_examples=SWAPS_OF_EACH_KIND, derandomize=True, database=None, deadline=None)
    @given(KINDS[kind])
    def try_swap(swap: Swap) -> None:
        tally.count(swap, tmp_path)

    try_swap()
    record_property("random swaps made", tally.made)
    record_property("random swaps harmful", tally.harmful)
    record_property("random swaps caught", tally.caught)
    assert tally.harmful
    assert not {(what, where) for what, where in tally.escaped if CLAIMED_BY[what] in SHAPED}


def test_the_records_themselves_say_no_more_than_their_words() -> None:
    assert _harm(ORIGINAL) == {}


JUDGED: Final = (
    ("a product named for another checkpoint", 6, "product_ids", ["mi300x"], "product"),
    ("a product inside a longer name", 8, "product_ids", ["b200"], "product"),
    ("a product that is said not to be mapped", 8, "product_ids", ["h200"], "product"),
    ("fewer products", 6, "product_ids", ["mi350x"], ""),
    ("a generation's platform", 7, "platform_id", "google-tpu", "platform"),
    ("the variant with more words", 9, "model_id", "qwen3-235b-a22b-thinking-2507", "checkpoint"),
    ("the variant with fewer words", 4, "model_id", "qwen3-235b-a22b", "checkpoint"),
    ("a table is no guide", 3, "support_level", "documented_recipe", "level documented_recipe"),
    ("a vendor is no upstream", 2, "support_level", "upstream_verified", "level upstream_verified"),
    ("a vendor's guide is its report too", 2, "support_level", "vendor_reported", ""),
    ("no test", 9, "support_level", "independently_tested", "level independently_tested"),
    ("a model is named", 1, "support_level", "integration_only", "level integration_only"),
    ("a precision", 4, "precision_modes", ["NVFP4"], "precision"),
    ("a word that names none", 4, "precision_modes", ["Checkpoint default"], ""),
    ("after the review", 5, "evidence/0/checked_at", "2026-11-10", "date"),
    ("issued after it was looked at", 0, "evidence/0/published_at", "2026-11-07", "date"),
    ("issued before", 0, "evidence/0/published_at", "2026-11-05", ""),
)


@pytest.mark.parametrize(
    ("number", "key", "value", "expected"),
    [case[1:] for case in JUDGED],
    ids=[case[0] for case in JUDGED],
)
def test_the_judge(number: int, key: str, value: Any, expected: str) -> None:
    document = deepcopy(ORIGINAL)
    _set(number, key, value)(document)
    assert _harm(document) == ({number: [expected]} if expected else {})


def test_every_registered_value_can_be_judged() -> None:
    assert set(PRODUCTS) == set(_registered("products", "id"))
    assert set(PLATFORMS) == set(_registered("platforms", "id"))
    assert set(MODELS) == {model["id"] for model in ORIGINAL["models"]}
    assert set(_registered("precision_names", "token")) - set(PRECISIONS) == {
        "AIM profile precision (profile-specific)",
        "Checkpoint default",
    }
