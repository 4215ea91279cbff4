"""Join the records of two snapshots by key, and tell what each has lost and gained."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from kg.diff.aspects import EVIDENCE, PATH, WORDS
from kg.diff.changes import Change, Pair
from kg.diff.records import Aspects, Record, Value

R = TypeVar("R", bound=Record)
_NOTHING: Final[frozenset[Value]] = frozenset()
_ORDER: Final = {aspect.name: number for number, aspect in enumerate((*PATH, *EVIDENCE, *WORDS))}


def pairs(
    old: Mapping[str, R], new: Mapping[str, R], *, fresh: bool = False
) -> tuple[Pair[R], ...]:
    """Join records by key, in its order, and keep those that differ."""
    found = []
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key), new.get(key)
        changes = changes_of(before, after, fresh=fresh)
        if before is None or after is None or changes:
            found.append(Pair(before, after, changes))
    return tuple(found)


def changes_of(old: Record | None, new: Record | None, *, fresh: bool) -> tuple[Change, ...]:
    """Return what a record has lost and gained: in support, or in how fresh it is."""
    if old is None or new is None:
        return ()
    return changes_in(old.fresh, new.fresh) if fresh else changes_in(old.aspects, new.aspects)


def changes_in(old: Aspects, new: Aspects) -> tuple[Change, ...]:
    """Return what each aspect has lost and gained, in the order of the aspects."""
    changes = []
    for name in _in_order(old, new):
        before, after = old.get(name, _NOTHING), new.get(name, _NOTHING)
        if before != after:
            changes.append(
                Change(name, tuple(sorted(before - after)), tuple(sorted(after - before)))
            )
    return tuple(changes)


def _in_order(old: Aspects, new: Aspects) -> Iterable[str]:
    """Return the names of both, the same whichever comes first."""
    return sorted(old.keys() | new.keys(), key=lambda name: (_ORDER.get(name, len(_ORDER)), name))
