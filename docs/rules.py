"""Write docs/rules.md: which shape or test holds each scoping rule, and which cases try it.

Run it as ``python docs/rules.py`` after a change of rules, shapes, cases or mutants; a test fails
while the page differs from them.
"""

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pyoxigraph import NamedNode, RdfFormat, parse

from kg.iris import local_name
from kg.resources import SHAPES
from kg.vocab import PREFIXES, RA

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "rules.md"
CASES: Final = ROOT / "tests" / "cases" / "shapes"
MUTANTS: Final = ROOT / "tests" / "cases" / "mutants"
_EXPECTED: Final = "# expect: "
_SEVERITIES: Final = ("violation", "warning", "info")
_SH: Final = PREFIXES["sh"]

_HEAD: Final = """\
<!-- Made by docs/rules.py from shapes/, tests/cases/shapes/ and tests/cases/mutants/. -->

# The scoping rules

What keeps a statement from being stretched past its source. Each rule is held by shapes, or, where
no constraint can state it, by the tests or terms named instead. A **violation** stops a build, a
**warning** is for the curator's queue (`runatlas lint`), **info** is a note.

A *case* is a small graph that breaks one shape; beside them stands one that breaks none of its
file's shapes. A *mutant* is a small change of the real data, which that rule alone must catch.

{counts}

## Rules

| rule | what it says | held by | severity | cases | mutants |
| --- | --- | --- | --- | ---: | ---: |
"""
_SHAPES_HEAD: Final = """
## Shapes

What each shape says of data that break it, where it stands, and what tries it.
"""


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape, where it stands, and what tries it."""

    name: str
    rule: str
    severity: str
    message: str
    file: str
    cases: tuple[str, ...]
    mutants: Mapping[str, int]


def read_rules() -> list[dict[str, Any]]:
    """Read the rules, in their order."""
    rules: list[dict[str, Any]] = _read_toml(SHAPES / "rules.toml")["rule"]
    return rules


def read_all_shapes() -> list[Shape]:
    """Read every shape with its cases and mutants, in order of rule, name and file."""
    cases, mutants = _cases(), _mutants()
    shapes = [shape for path in SHAPES.glob("*/*.ttl") for shape in _shapes(path, cases, mutants)]
    order = [rule["id"] for rule in read_rules()]
    return sorted(shapes, key=lambda shape: (order.index(shape.rule), shape.name, shape.file))


def _shapes(
    path: Path, cases: Mapping[str, list[str]], mutants: Mapping[str, Mapping[str, int]]
) -> Iterator[Shape]:
    said: dict[str, dict[str, str]] = defaultdict(dict)
    for quad in parse(path=path, format=RdfFormat.TURTLE):
        if isinstance(quad.subject, NamedNode):
            said[quad.subject.value][quad.predicate.value] = (
                local_name(quad.object)
                if isinstance(quad.object, NamedNode)
                else getattr(quad.object, "value", "")
            )
    for iri, facts in said.items():
        if RA.rule.value in facts:
            name = iri.removeprefix(PREFIXES["rash"])
            yield Shape(
                name=name,
                rule=facts[RA.rule.value],
                severity=facts.get(f"{_SH}severity", "Violation").lower(),
                message=facts[f"{_SH}message"],
                file=str(path.relative_to(ROOT)),
                cases=tuple(cases.get(name, ())),
                mutants=mutants.get(name, {}),
            )


def _cases() -> dict[str, list[str]]:
    """Return the files of the cases that break each shape."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(CASES.glob("*/*/*.ttl")):
        file = str(path.relative_to(ROOT))
        for line in path.read_text(encoding="utf-8").splitlines():
            name = line.rpartition("rash:")[2]
            if line.startswith(_EXPECTED) and name != line and file not in found[name]:
                found[name].append(file)
    return found


def _mutants() -> dict[str, Counter[str]]:
    """Return how many mutants of each shape each file has."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(MUTANTS.glob("*.toml")):
        for mutant in _read_toml(path)["mutant"]:
            found[mutant["shape"]][str(path.relative_to(ROOT))] += 1
    return found


def _read_toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def page() -> str:
    """Return the page as it should be."""
    rules, shapes = read_rules(), read_all_shapes()
    counts = (
        f"{len(rules)} rules, {len(shapes)} shapes, "
        f"{sum(len(shape.cases) for shape in shapes)} failing cases, "
        f"{sum(sum(shape.mutants.values()) for shape in shapes)} mutants."
    )
    by_rule: dict[str, list[Shape]] = defaultdict(list)
    for shape in shapes:
        by_rule[shape.rule].append(shape)
    lines = [_rule_line(rule, by_rule[rule["id"]]) for rule in rules]
    parts = [part for rule in rules for part in _shape_lines(rule["id"], by_rule[rule["id"]])]
    return _HEAD.format(counts=counts) + "".join(lines) + _SHAPES_HEAD + "".join(parts)


def _rule_line(rule: Mapping[str, Any], shapes: list[Shape]) -> str:
    names = ", ".join(shape.name.partition("-")[2] for shape in shapes)
    others = rule.get("held_by", ())
    severities = sorted({shape.severity for shape in shapes}, key=_SEVERITIES.index)
    cases = sum(len(shape.cases) for shape in shapes)
    mutants = sum(sum(shape.mutants.values()) for shape in shapes)
    id_ = rule["id"]
    return _row(
        f"[{id_}](#{id_.lower()})" if shapes else id_,
        rule["says"],
        "<br>".join([*([names] if names else []), *map(_other, others)]),
        ", ".join([*severities, *dict.fromkeys(map(_kind, others))]),
        f"{cases}" if shapes else "",
        f"{mutants}" if shapes else "",
    )


def _kind(name: str) -> str:
    if name.startswith("ra:"):
        return "term"
    return "query" if name.endswith(".rq") else "test"


def _other(name: str) -> str:
    file = "ontology/runatlas.ttl" if name.startswith("ra:") else name.partition("::")[0]
    return f"[`{name.rpartition('::')[2]}`](../{file})"


def _shape_lines(rule: str, shapes: list[Shape]) -> Iterator[str]:
    if shapes:
        yield f"\n### {rule}\n\n"
    for shape in shapes:
        cases = ", ".join(_link(file) for file in shape.cases)
        mutants = ", ".join(f"{count} in {_link(file)}" for file, count in shape.mutants.items())
        yield f"- **{shape.name}** ({shape.severity}, {_link(shape.file)}): {shape.message}\n"
        yield f"  Cases: {cases}. Mutants: {mutants}.\n"


def _link(file: str) -> str:
    return f"[{Path(file).stem}](../{file})"


def _row(*cells: str) -> str:
    return f"| {' | '.join(_escaped(cells))} |\n"


def _escaped(cells: Iterable[str]) -> Iterator[str]:
    for cell in cells:
        yield cell.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
