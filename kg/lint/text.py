"""The curator's queue as text for a terminal of 80 columns: by rule, by value, with every place."""

import textwrap
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Final

from kg.lint.findings import SEVERITIES, Check, Finding, Linted, Rule
from kg.lint.reviews import OUTLIVED
from kg.place_text import compact
from kg.terms import shorten

WIDTH: Final = 80
_NAMES: Final = {"Warning": "warning", "Info": "note"}
_NOTE: Final = "Note. "
_HEAD: Final = f"{'rule':<6}{'severity':<9}{'open':>4}{'reviewed':>10}"


def as_text(linted: Linted) -> str:
    """Return the queue as text: a line for each rule and severity, then what each found."""
    found = [rule for rule in linted.rules if rule.count or rule.reviewed]
    lines = [*_overview(found)]
    for rule in found:
        lines += ["", *_wrap(f"{rule.id}  {rule.says}", "", 5)]
        for check in rule.checks:
            if check.findings:
                lines += _check(check)
    lines += ["", *_total(linted)]
    lines.append(f"snapshot {linted.snapshot}, as of {linted.as_of.isoformat()}")
    return "\n".join(lines).lstrip("\n") + "\n"


def _overview(rules: list[Rule]) -> Iterator[str]:
    if rules:
        yield _HEAD
    for rule in rules:
        says = rule.says
        for severity in SEVERITIES:
            checks = [check for check in rule.checks if check.severity == severity]
            opened = sum(len(check.open) for check in checks)
            reviewed = sum(len(check.reviewed) for check in checks)
            if opened or reviewed:
                counts = f"{rule.id:<6}{_NAMES[severity]:<9}{opened:>4}{reviewed:>10}"
                yield from _wrap(f"{counts}  {says}", "", len(_HEAD) + 2)
                says = ""


def _check(check: Check) -> Iterator[str]:
    mark = _NOTE if check.severity == "Info" else ""
    yield from _wrap(f"{len(check.open)}: {mark}{check.message}", "  ")
    yield from _findings(check.open, "    ")
    if check.reviewed:
        yield f"    reviewed: {len(check.reviewed)}"
        yield from _findings(check.reviewed, "      ")


def _findings(found: Iterable[Finding], indent: str) -> Iterator[str]:
    for value, findings in groupby(found, key=lambda finding: finding.value):
        inner = indent
        if value:
            yield from _wrap(value, indent)
            inner += "  "
        for finding in findings:
            yield from _finding(finding, inner)


def _finding(finding: Finding, indent: str) -> Iterator[str]:
    places = ", ".join(compact(finding.places)) or "no place noted"
    line = f"{indent}{shorten(finding.focus)}  {places}"
    if len(line) <= WIDTH:
        yield line
    else:
        yield from _wrap(shorten(finding.focus), indent)
        yield from _wrap(places, f"{indent}  ")
    if finding.review:
        said = f"{finding.review.why} ({', '.join(compact(finding.review.places))})"
        yield from _wrap(said, f"{indent}  ")


def _total(linted: Linted) -> Iterator[str]:
    yield from _wrap(f"Open: {_counted(linted.count)}. Reviewed: {_counted(linted.reviewed)}.")
    clean = [rule.id for rule in linted.rules if not rule.count and not rule.reviewed]
    if clean:
        yield from _wrap(f"Nothing found by {', '.join(clean)}.")
    asked = [
        (rule.id, len(check.findings))
        for rule in linted.rules
        for check in rule.checks
        if check.findings and "-" not in check.name and check.name != OUTLIVED
    ]
    if asked:
        counts = ", ".join(f"{count} of {rule}" for rule, count in asked)
        yield from _wrap(
            f"The build's own report has these but for {counts}: what depends on the day or on many"
            " statements at once is asked anew."
        )


def _counted(count: Callable[[str], int]) -> str:
    return " and ".join(
        f"{count(severity)} {_NAMES[severity]}{'' if count(severity) == 1 else 's'}"
        for severity in SEVERITIES
    )


def _wrap(text: str, indent: str = "", hang: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + " " * hang,
        break_on_hyphens=False,
        break_long_words=False,
    )
