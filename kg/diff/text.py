"""A difference as text for a terminal of 80 columns: counts, asserted, derived, how fresh."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from kg.diff.causes_text import cause_lines
from kg.diff.changes import (
    Change,
    Derived,
    Difference,
    EvidencePair,
    Pair,
    Standing,
    StatementPair,
)
from kg.diff.records import Record, Statement, Thing, Value
from kg.diff.report import count_standings
from kg.snapshot import Place
from kg.terms import shorten

WIDTH: Final = 80
_TERMS: Final = frozenset({"outcome", "level", "maturity", "basis", "granularity", "type"})
_HASH_DIGITS: Final = 12
SAME: Final = "No differences in support."


def as_text(difference: Difference) -> str:
    """Return a difference as text."""
    lines = [f"old  {difference.old}", f"new  {difference.new}", ""]
    if difference.same_support:
        lines.append(SAME)
    else:
        lines += _counts(difference)
        lines += _asserted(difference)
        lines += _derived(difference)
    lines += _fresh(difference)
    lines += _notes(difference)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _counts(difference: Difference) -> Iterator[str]:
    lost = sum(bool(pair.lost_support) for pair in difference.paths)
    asserted: dict[str, Sequence[Pair[Any]]] = {
        "paths": difference.paths,
        "citations": difference.evidence,
        "models": difference.models,
        "what sources print of models": difference.words,
        "registry": difference.registry,
        "what answers are read with": difference.readings,
    }
    derived: dict[str, Sequence[Pair[Any]]] = {
        "inferences": [derived.pair for derived in difference.derivations],
        "classes assumed from a family": [derived.pair for derived in difference.assumed],
    }
    remark = f"support withdrawn by {lost} of those changed" if lost else ""
    yield from _counted("asserted", asserted, {"paths": remark})
    yield from _counted("derived", derived, {})
    if difference.withdrawn:
        said = "in all: paths, support by them, citations, derivations"
        yield f"withdrawn   {difference.withdrawn} {said}"


def _counted(
    head: str, groups: Mapping[str, Sequence[Pair[Any]]], remarks: Mapping[str, str]
) -> Iterator[str]:
    """Write the counts of the groups that differ, under one head."""
    said = []
    for name, pairs in groups.items():
        counts = [f"{count} {what}" for what, count in count_standings(pairs).items() if count]
        if counts:
            parts = [", ".join(counts), remarks.get(name, "")]
            said.append(f"{name}: {'; '.join(filter(None, parts))}")
    for number, text in enumerate(said or ["no difference"]):
        yield from wrapped(f"{'' if number else head:<10}", text, indent=12)


def _asserted(difference: Difference) -> Iterator[str]:
    by_source = groupby(difference.paths, key=lambda pair: pair.record.source)
    for source, pairs in by_source:
        yield from _section(f"Asserted: paths of {source}", _paths(list(pairs)))
    sections = (
        ("Asserted: citations of paths in both", _cited(difference.evidence)),
        ("Asserted: models", _named(difference.models)),
        ("Asserted: what sources print of models", _printed(difference)),
        ("Asserted: registry", _named(difference.registry)),
        ("Asserted: what answers are read with", _named(difference.readings)),
    )
    for title, lines in sections:
        yield from _section(title, lines)


def _derived(difference: Difference) -> Iterator[str]:
    yield from _section(
        "Derived: what may work for a class (no level, no evidence)",
        (line for derived in difference.derivations for line in _inference(derived)),
    )
    yield from _section(
        "Derived: classes assumed from an aligned family",
        (line for derived in difference.assumed for line in _assumed(derived)),
    )


def _fresh(difference: Difference) -> Iterator[str]:
    yield from _section("Freshness: sources", _sources(difference))
    yield from _section("Freshness: citations", _cited(difference.rechecked))


def _notes(difference: Difference) -> Iterator[str]:
    if count := len(difference.notes):
        said = "1 note differs" if count == 1 else f"{count} notes differ"
        yield from ("", f"{said} on why something stands here; --format json lists them.")


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield from ("", title, *found)


def _paths(pairs: Sequence[StatementPair]) -> Iterator[str]:
    """Write the paths of one source; those that changed alike are written once."""
    alike: dict[object, list[StatementPair]] = {}
    for pair in pairs:
        changed = pair.standing is Standing.CHANGED
        alike.setdefault(pair.changes if changed else pair.record.key, []).append(pair)
    for group in alike.values():
        yield from _alike(group)


def _alike(group: Sequence[StatementPair]) -> Iterator[str]:
    for pair in group:
        yield from wrapped("  ", f"{pair.standing}: {pair.record.row}{_own(pair)}", indent=6)
        if pair.standing is not Standing.CHANGED:
            yield from wrapped("      ", _headline(pair.record), indent=8)
        yield from _at(pair)
    for change in group[0].changes:
        lost = change in group[0].lost_support
        own = [place for pair in group for record in pair.records for place in record.places]
        yield from _change(change, "support for it withdrawn" if lost else "", own)


def _headline(path: Statement) -> str:
    said = {name: ", ".join(map(words, path.said(name))) for name in ("outcome", "level")}
    hardware = path.said("products") or path.said("generations") or path.said("platform")
    level = said["level"] or "no level"
    return (
        f"{', '.join(path.said('model'))}: {said['outcome']}, {level} "
        f"on {', '.join(hardware)}: {', '.join(path.said('stack'))}"
    )


def _cited(pairs: Sequence[EvidencePair]) -> Iterator[str]:
    for pair in pairs:
        count = len(pair.paths)
        of = pair.paths[0] if count == 1 else f"{count} paths, such as {pair.paths[0]}"
        said = "checked again" if _rechecked(pair) else pair.standing.value
        yield from wrapped("  ", f"{said}: a citation of {of}{_own(pair)}", indent=6)
        yield from _address(pair.record)
        yield from _at(pair)
        for change in pair.changes:
            yield from _change(change)


def _rechecked(pair: EvidencePair) -> bool:
    """Tell whether a citation says the same as before, and was checked on a later day."""
    return any(
        change.aspect == "checked" and change.gained and change.lost < change.gained
        for change in pair.changes
    )


def _address(record: Record) -> Iterator[str]:
    for url in record.said("url"):
        yield f"      {url}"  # whole, so that it can be copied


def _named(pairs: Sequence[Pair[Thing]]) -> Iterator[str]:
    """Write things; those of one kind that moved alike, in the same files, are written once."""
    alike: dict[object, list[Pair[Thing]]] = {}
    for pair in pairs:
        files = tuple(sorted({p.path for record in pair.records for p in record.places}))
        moved = (pair.standing, pair.record.kind, pair.overlays, pair.changes, files)
        alike.setdefault(moved, []).append(pair)
    for group in alike.values():
        first = group[0]
        if len(group) == 1:
            what = f"{first.record.kind} {first.record.key}"
            yield from wrapped("  ", f"{first.standing}: {what}{_own(first)}", indent=6)
            yield from _at(first)
        else:
            yield from _together(group)
        for change in first.changes:
            yield from _change(change)


def _together(group: Sequence[Pair[Thing]]) -> Iterator[str]:
    """Write all keys of a group, each with its line or pointer in the files that they share."""
    first = group[0]
    files = dict.fromkeys(p.path for record in first.records for p in record.places)
    at = f" in {', '.join(files)}" if files else ""
    what = f"{len(group)} {_plural(first.record.kind)}{at}"
    yield from wrapped("  ", f"{first.standing}: {what}{_own(first)}", indent=6)
    keys = ", ".join(f"{pair.record.key}{_within_files(pair)}" for pair in group)
    yield from wrapped("      ", keys, indent=6)


def _within_files(pair: Pair[Thing]) -> str:
    places = list(dict.fromkeys(p.place for p in pair.record.places))
    return f" ({_listed(places)})" if places else ""


def _plural(kind: str) -> str:
    if kind.endswith("y"):
        return f"{kind.removesuffix('y')}ies"
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"


def _printed(difference: Difference) -> Iterator[str]:
    for pair in difference.words:
        text = f"{pair.standing}: {pair.record.name}, as {pair.record.source} names it{_own(pair)}"
        yield from wrapped("  ", text, indent=6)
        yield from _at(pair)
        for change in pair.changes:
            yield from _change(change)


def _inference(derived: Derived[Any]) -> Iterator[str]:
    here = derived.pair.record
    what = f"{here.architecture} may run on {shorten(here.platform)} with {here.stack}"
    yield from _moved(derived, f"{what}, by {here.source}")


def _assumed(derived: Derived[Any]) -> Iterator[str]:
    here = derived.pair.record
    yield from _moved(
        derived,
        f"{shorten(here.model)} as {here.architecture}, "
        f"because {here.family} is aligned with {here.aligned}",
    )


def _moved(derived: Derived[Any], what: str) -> Iterator[str]:
    pair = derived.pair
    before, after = (len(record.premises) if record else 0 for record in (pair.old, pair.new))
    own = _own(pair)
    yield from wrapped("  ", f"{pair.standing}: {what}{own}", indent=6)
    if pair.standing is Standing.CHANGED and before != after:
        fewer = "fewer" if after < before else "more"
        said = f"it rests on {fewer} premises: {after} instead of {before}"
        yield from wrapped("      ", said, indent=8)
    for line in cause_lines(derived):
        yield from wrapped("      ", line, indent=8)
    for change in pair.changes:
        yield from _change(change)


def _sources(difference: Difference) -> Iterator[str]:
    for pair in difference.sources:
        yield from wrapped("  ", f"{pair.standing}: {pair.record.key}{_own(pair)}", indent=6)
        yield from _at(pair)
        for change in pair.changes:
            yield from _change(change)


def _change(change: Change, remark: str = "", own: Sequence[Place] = ()) -> Iterator[str]:
    """Write what an aspect lost and gained; a place that is the record's own is not repeated."""
    head = f"      {change.aspect}: "
    more = f" ({remark})" if remark else ""
    lost, gained = (
        [_value(change.aspect, value, own) for value in values]
        for values in (change.lost, change.gained)
    )
    if len(lost) == len(gained) == 1:
        yield from wrapped(head, f"{lost[0]} -> {gained[0]}{more}", indent=8)
        return
    for sign, texts, mark in (("-", lost, more), ("+", gained, "")):
        for text in texts:
            yield from wrapped(head, f"{sign} {text}{mark}", indent=8)


def _value(aspect: str, value: Value, own: Sequence[Place]) -> str:
    text = words(value.text) if aspect in _TERMS else value.text
    text = text[:_HASH_DIGITS] if aspect.endswith("SHA-256") else text
    places = [place for place in value.places if place not in own]
    said = [_listed(places)] if places else []
    said += [f"your own, from {value.overlay}"] if value.overlay else []
    return f"{text} [{'; '.join(said)}]" if said else text


def words(token: str) -> str:
    """Return a term's name as words: DocumentedRecipe is ``documented recipe``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", token).lower()


def _own(pair: Pair[Any]) -> str:
    """Mark what a user has brought."""
    return f" (your own, from {', '.join(pair.overlays)})" if pair.overlays else ""


def _at(pair: Pair[Any]) -> Iterator[str]:
    old, new = (_listed(record.places) if record else "" for record in (pair.old, pair.new))
    if old == new:
        yield from wrapped("      ", f"at {old} in both", indent=8)
        return
    for said, places in (("was at", old), ("is at", new)):
        if places:
            yield from wrapped("      ", f"{said} {places}", indent=8)


def _listed(places: Sequence[Place | str]) -> str:
    """Name the first places, and how many there are more."""
    shown = ", ".join(map(str, places[:3])) or "no place noted"
    left = len(places) - 3
    return f"{shown} and {left} more" if left > 0 else shown


def wrapped(head: str, text: str, *, indent: int) -> Iterator[str]:
    """Wrap a text behind a head; what follows is indented."""
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=head,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        break_long_words=False,
    ) or [head]
