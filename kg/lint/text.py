"""The curator's queue as text for a terminal of 80 columns: by rule, by value, with every place."""

import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from kg.lint.findings import Check, Finding, Linted, Rule
from kg.lint.report import compact
from kg.terms import shorten

WIDTH: Final = 80
_COUNT: Final = 4
_NOTE: Final = "Note. "


def as_text(linted: Linted) -> str:
    """Return the queue as text: one line for each rule first, then what each found."""
    found = [rule for rule in linted.rules if rule.count]
    clean = [rule.id for rule in linted.rules if not rule.count]
    lines = _overview(found)
    for rule in found:
        lines += ["", *_wrap(f"{rule.id}  {rule.says}", "", 5)]
        for check in rule.checks:
            if check.findings:
                lines += _check(check)
    warnings, notes = linted.count("Warning"), linted.count("Info")
    told = f"{warnings} {_plural('warning', warnings)} and {notes} {_plural('note', notes)}"
    lines += ["", *_wrap(f"{told}. Nothing found by {', '.join(clean) or 'no rule'}.")]
    lines.append(f"snapshot {linted.snapshot}, as of {linted.as_of.isoformat()}")
    return "\n".join(lines).lstrip("\n") + "\n"


def _overview(rules: Iterable[Rule]) -> list[str]:
    lines = []
    for rule in rules:
        said = f"{rule.id:<5}{rule.count:>{_COUNT}}  {rule.says}"
        lines += _wrap(said, "", 5 + _COUNT + 2)
    return lines


def _check(check: Check) -> Iterator[str]:
    mark = _NOTE if check.severity == "Info" else ""
    yield from _wrap(f"{len(check.findings)}: {mark}{check.message}", "  ")
    for value, findings in groupby(check.findings, key=lambda finding: finding.value):
        indent = "    "
        if value:
            yield from _wrap(value, indent)
            indent += "  "
        for finding in findings:
            yield from _finding(finding, indent)


def _finding(finding: Finding, indent: str) -> Iterator[str]:
    places = ", ".join(compact(finding.places)) or "no place noted"
    line = f"{indent}{shorten(finding.focus)}  {places}"
    if len(line) <= WIDTH:
        yield line
    else:
        yield from _wrap(shorten(finding.focus), indent)
        yield from _wrap(places, f"{indent}  ")


def _wrap(text: str, indent: str = "", hang: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + " " * hang,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
