"""Gather what a curator looks at: a snapshot's own report, and what depends on who asks and when.

A snapshot is never changed and carries the report of its build; that is read, not made again. What
depends on a day cannot stand in it, and what is no fault of any one node is asked of the graph.
"""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from difflib import get_close_matches
from itertools import chain
from typing import Final

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from kg.backend import Row, StoreBackend
from kg.errors import SnapshotError, UnknownNameError, UsageError
from kg.iris import local_name
from kg.lint.findings import Check, Finding, Linted, Rule
from kg.lint.report import read_report
from kg.lint.reviews import with_reviews
from kg.place_text import in_order
from kg.places import own_places
from kg.queries import query_text
from kg.resources import SHAPES
from kg.rows import named
from kg.snapshot import REPORT, Snapshot
from kg.terms import shorten
from kg.validation import ASSERTED, DERIVED, read_shapes
from kg.vocab import RA, XSD, expand

DAYS: Final = 90  # rule R72b
_STALE: Final = "evidence_older_than"
_SINGLE: Final = "single_publisher_claims"


def lint(snapshot: Snapshot, *, rules: Sequence[str] = (), as_of: date, days: int = DAYS) -> Linted:
    """Return what there is to look at in a snapshot; ``rules`` leaves out all others.

    Raises:
        UnknownNameError: no rule has that id; with near misses.
        SnapshotError: the snapshot has no report that can be read.
        UsageError: a rule that never warns, or so many days before that day there was no calendar.
    """
    backend = StoreBackend(snapshot)
    asked = (*_of_report(snapshot), *_of_graph(backend, as_of, days))
    checks = list(with_reviews(backend, asked))
    said = _sayings()
    known = [*said, *sorted({check.rule for check in checks} - said.keys())]
    known = [rule for rule in known if any(check.rule == rule for check in checks)]
    chosen = {_known_rule(rule, known, said) for rule in rules}
    return Linted(
        snapshot=snapshot.name,
        as_of=as_of,
        days=days,
        rules=tuple(
            Rule(rule, said.get(rule, ""), tuple(c for c in checks if c.rule == rule))
            for rule in known
            if not rules or rule in chosen
        ),
    )


def _known_rule(name: str, known: Sequence[str], said: Iterable[str]) -> str:
    """Return a rule that warns by its id, in upper or lower case."""
    for rule in known:
        if rule.casefold() == name.casefold():
            return rule
    for rule in said:
        if rule.casefold() == name.casefold():
            raise UsageError(_why_silent(rule))
    ids = {rule.casefold(): rule for rule in known}
    near = get_close_matches(name.casefold(), ids, cutoff=0.5)
    raise UnknownNameError("rule that warns", name, [ids[one] for one in near])


def _why_silent(rule: str) -> str:
    shapes = read_shapes(file for part in (ASSERTED, DERIVED) for file in part.glob("*.ttl"))
    if rule in shapes.rules.values():
        return f"{rule} is a violation: it stops a build, and no snapshot has any of it."
    return f"{rule} neither stops a build nor warns: docs/rules.md says what holds it."


def _sayings() -> dict[str, str]:
    rules = tomllib.loads((SHAPES / "rules.toml").read_text(encoding="utf-8"))["rule"]
    return {rule["id"]: rule["says"] for rule in rules}


def _of_report(snapshot: Snapshot) -> Iterator[Check]:
    """Yield a check for each shape that warns, with what the snapshot's report says of it."""
    path = snapshot.folder / REPORT
    if REPORT not in snapshot.manifest["files"]:
        raise SnapshotError(f"{snapshot.folder}: has no {REPORT}: build it again")
    try:
        results = read_report(path.read_bytes())
    except (SyntaxError, TypeError) as error:
        raise SnapshotError(f"{path}: cannot be read: {error}") from error
    checks = {check.name: check for check in _shapes()}
    found: dict[str, list[Finding]] = {}
    for result in results:
        found.setdefault(result.shape, []).append(result.finding)
        name = result.shape
        checks[name] = Check(name, result.rule, result.severity, result.message, ())
    for name, check in sorted(checks.items()):
        yield replace(check, findings=_sorted(found.get(name, ())))


def _shapes() -> Iterator[Check]:
    for path in sorted((SHAPES / "warnings").glob("*.ttl")):
        said: dict[NamedNode, dict[NamedNode, str]] = {}
        for quad in parse(path=path, format=RdfFormat.TURTLE):
            if isinstance(quad.subject, NamedNode):
                said.setdefault(quad.subject, {})[quad.predicate] = shorten(quad.object)
        for shape, values in said.items():
            if RA.rule in values:
                severity = values[expand("sh:severity")].removeprefix("sh:")
                message = values[expand("sh:message")]
                yield Check(local_name(shape), values[RA.rule], severity, message, ())


def _of_graph(backend: StoreBackend, as_of: date, days: int) -> Iterator[Check]:
    yield Check(
        _STALE,
        "R72b",
        "Warning",
        f"Nobody has looked at this document for more than {days} days: look at it again, and"
        " state the day; correct what has changed.",
        _sorted(_stale(backend, as_of, days)),
    )
    yield Check(
        _SINGLE,
        "R74",
        "Info",
        "All evidence for this model on this hardware comes from one publisher: look for a second"
        " source before speaking of corroboration.",
        _sorted(_single(backend)),
    )


def _stale(backend: StoreBackend, as_of: date, days: int) -> Iterator[Finding]:
    try:
        before = as_of - timedelta(days=days)
    except OverflowError as error:
        raise UsageError(f"There is no day {days} days before {as_of.isoformat()}.") from error
    value = Literal(before.isoformat(), datatype=XSD.date)
    for row in backend.select(query_text(_STALE), {"checked_before": value}):
        evidence = named(row["evidence"])
        said = " ".join(shorten(row[name]) for name in ("checked", "url") if name in row)
        yield _finding(backend, evidence, said, (evidence,))


def _single(backend: StoreBackend) -> Iterator[Finding]:
    paths: dict[tuple[NamedNode, str], list[NamedNode]] = {}
    for row in backend.select(query_text(_SINGLE), {}):
        key = named(row["checkpoint"]), _hardware_and_publisher(row)
        paths.setdefault(key, []).append(named(row["path"]))
    for (checkpoint, said), stated in paths.items():
        yield _finding(backend, checkpoint, said, stated)


def _hardware_and_publisher(row: Row) -> str:
    publisher = shorten(row["publisher"]) if "publisher" in row else "a document of no publisher"
    return f"{shorten(row['hardware'])}, by {publisher}"


def _finding(
    backend: StoreBackend, focus: NamedNode, value: str, stated: Iterable[NamedNode]
) -> Finding:
    places = chain.from_iterable(own_places(backend, node) for node in stated)
    return Finding(focus, value, in_order(str(place) for place in places))


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: (finding.value, finding.focus.value)))
