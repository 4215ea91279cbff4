"""Mutants of the real data: each is caught by one rule, at the shape and node that it names."""

from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from pyoxigraph import NamedNode

from kg.build import Graph, assemble
from kg.resources import SHAPES
from kg.validation import Result, read_shapes, validate
from kg.vocab import PREFIXES
from tests.conftest import DOCUMENTS
from tests.mutants import EXAMPLES, Mutant, grow, read_mutants

ALL: Final = read_mutants()
Found: TypeAlias = tuple[Any, ...]


def _key(result: Result) -> Found:
    return (result.shape, result.focus, result.path, result.value, result.component)


@cache
def _clean(base: str) -> tuple[Graph, frozenset[Found]]:
    overlays = (EXAMPLES / base,) if base else ()
    graph = assemble(only=None if base else DOCUMENTS, overlays=overlays)
    report = validate(graph.store, graph.places)
    assert report.conforms, report.text
    return graph, frozenset(map(_key, report.results))


@pytest.mark.parametrize("mutant", ALL, ids=str)
def test_a_mutant_is_caught_by_its_rule_alone(
    mutant: Mutant, tmp_path: Path, record_property: Any
) -> None:
    record_property("mutants made", 1)
    clean, before = _clean(mutant.base)
    graph = grow(mutant, clean, tmp_path)
    report = validate(graph.store, graph.places)
    new = [result for result in report.results if _key(result) not in before]
    shape = NamedNode(PREFIXES["rash"] + mutant.shape)
    at = {result.focus for result in new if result.shape == shape}
    assert mutant.focus_node in at, report.text
    caught = {result.rule for result in new}
    assert caught - mutant.also == {mutant.rule}, report.text
    others = [result for result in new if result.rule in mutant.also - {mutant.rule}]
    assert all(result.severity.value.endswith("#Warning") for result in others), report.text
    record_property("mutants killed", 1)


def test_every_shape_has_a_mutant() -> None:
    shapes = read_shapes(SHAPES.glob("*/*.ttl")).rules
    names = {
        shape.value.removeprefix(PREFIXES["rash"])
        for shape in shapes
        if isinstance(shape, NamedNode)
    }
    assert names == {mutant.shape for mutant in ALL}


def test_a_change_of_statements_says_why_no_edit_gives_it() -> None:
    assert all(mutant.why for mutant in ALL if mutant.add or mutant.remove)
