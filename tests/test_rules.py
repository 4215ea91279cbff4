"""The scoping rules: each is held by shapes, tests or terms, and the page says by which."""

import ast
import re
from pathlib import Path
from typing import Any, Final

import pytest

from docs.rules import PAGE, page, read_all_shapes, read_rules
from kg.vocab import RA

ROOT: Final = Path(__file__).parents[1]
RULES: Final = {rule["id"]: rule for rule in read_rules()}
SHAPED: Final = {shape.rule for shape in read_all_shapes()}


def test_the_page_is_what_the_rules_and_shapes_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python docs/rules.py"


def test_there_are_83_rules() -> None:
    assert len(RULES) == len(read_rules()) == 83
    assert set(RULES) >= SHAPED


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule["id"])
def test_a_rule_is_held_by_shapes_or_names_what_holds_it(rule: dict[str, Any]) -> None:
    assert set(rule) <= {"id", "says", "held_by"}
    assert rule["says"].endswith(".")
    assert rule["id"] in SHAPED or rule.get("held_by"), "a shape, or what holds it instead"
    for name in rule.get("held_by", ()):
        assert _holds(name), name


def _holds(name: str) -> bool:
    """Tell whether there is that test or stored query, or the ontology has that term."""
    if name.startswith("ra:"):
        return hasattr(RA, name.removeprefix("ra:"))
    if name.endswith(".rq"):
        return (ROOT / name).is_file()
    file, _, test = name.partition("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return test in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("shape", read_all_shapes(), ids=lambda shape: shape.name)
def test_a_shape_has_cases_and_mutants(shape: Any) -> None:
    assert shape.cases
    assert shape.mutants


def test_every_link_of_the_page_leads_to_a_file_or_a_heading() -> None:
    text = PAGE.read_text(encoding="utf-8")
    links = set(re.findall(r"\]\(([^)]+)\)", text))
    headings = {f"#{title.lower()}" for title in re.findall(r"^### (\w+)$", text, re.MULTILINE)}
    assert len(links) > len(SHAPED)
    assert [link for link in links if link.startswith("#") and link not in headings] == []
    files = [link for link in links if not link.startswith("#")]
    assert [link for link in files if not (PAGE.parent / link).is_file()] == []


@pytest.mark.parametrize("shape", read_all_shapes(), ids=lambda shape: shape.name)
def test_the_page_gives_a_shapes_message(shape: Any) -> None:
    assert shape.message
    assert f"- **{shape.name}** ({shape.severity}, " in PAGE.read_text(encoding="utf-8")
    assert f"): {shape.message}\n" in PAGE.read_text(encoding="utf-8")
