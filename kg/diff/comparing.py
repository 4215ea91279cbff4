"""Compare what two snapshots hold, record by record."""

from collections.abc import Callable, Sequence
from typing import Final

from kg.diff.causes import compare_assumed, compare_derivations
from kg.diff.changes import Difference, EvidencePair, Pair, Standing, StatementPair
from kg.diff.joining import changes_of, pairs
from kg.diff.records import Record, Support, Thing


def compare(old: Support, new: Support) -> Difference:
    """Compare two snapshots: asserted, derived, and how fresh."""
    evidence = _evidence(old, new)
    return Difference(
        old=old.snapshot,
        new=new.snapshot,
        paths=tuple(
            StatementPair(pair.old, pair.new, pair.changes)
            for pair in pairs(old.statements, new.statements)
        ),
        evidence=tuple(pair for pair in evidence if _differs(pair)),
        models=pairs(old.models, new.models),
        words=tuple(
            pair
            for pair in pairs(old.words, new.words)
            if all(pair.record.model.value in support.models for support in (old, new))
        ),
        registry=pairs(old.registry, new.registry),
        readings=tuple(
            pair
            for pair in pairs(old.readings, new.readings)
            if pair.standing is Standing.CHANGED or not pair.record.bare
        ),
        derivations=compare_derivations(old, new),
        assumed=compare_assumed(old, new),
        sources=pairs(old.sources, new.sources, fresh=True),
        rechecked=tuple(fresher for pair in evidence if (fresher := _fresher(pair)).changes),
        notes=_notes(old, new),
    )


def _notes(old: Support, new: Support) -> tuple[Pair[Thing], ...]:
    """Pair why things stand here; the notes of what is itself added or withdrawn go with it."""

    def alone(pair: Pair[Thing]) -> bool:
        support = old if pair.new is None else new
        reading = support.readings.get(f"{pair.record.kind} {pair.record.key}")
        return bool(reading and reading.bare)

    found = pairs(old.notes, new.notes)
    return tuple(pair for pair in found if pair.standing is Standing.CHANGED or alone(pair))


def _differs(pair: EvidencePair) -> bool:
    return pair.standing is not Standing.CHANGED or bool(pair.changes)


def _fresher(pair: EvidencePair) -> EvidencePair:
    changes = changes_of(pair.old, pair.new, fresh=True)
    return EvidencePair(pair.old, pair.new, changes, pair.paths)


def _evidence(old: Support, new: Support) -> tuple[EvidencePair, ...]:
    """Pair the citations of the paths that both hold; one that many paths share is one pair.

    What stands under a path that is itself added or withdrawn goes with it.
    """
    shared: dict[tuple[str, str], list[str]] = {}
    found: dict[tuple[str, str], tuple[Record | None, Record | None]] = {}
    for key in sorted(old.statements.keys() & new.statements.keys()):
        before, after = old.statements[key].citations, new.statements[key].citations
        for pair in _matched(before, after):
            names = (pair[0].key if pair[0] else "", pair[1].key if pair[1] else "")
            shared.setdefault(names, []).append(key)
            found[names] = pair
    return tuple(
        EvidencePair(*pair, changes_of(*pair, fresh=False), tuple(shared[names]))
        for names, pair in found.items()
    )


def _text(record: Record, *aspects: str) -> tuple[tuple[str, ...], ...]:
    return tuple(record.said(aspect) for aspect in aspects)


# Two citations of one path are the same if they say the same; else if they share so much, in this
# order. Their numbers do not count: a row is free to list its citations in another order.
_ALIKE: Final[Sequence[Callable[[Record], object]]] = (
    lambda record: frozenset(record.aspects.items()),
    lambda record: _text(record, "url", "type"),
    lambda record: _text(record, "url"),
    lambda record: _text(record, "claim"),
)


def _matched(
    old: Sequence[Record], new: Sequence[Record]
) -> list[tuple[Record | None, Record | None]]:
    matched: list[tuple[Record | None, Record | None]] = []
    left, right = list(old), list(new)
    for alike in _ALIKE:
        buckets: dict[object, list[Record]] = {}
        for record in right:
            buckets.setdefault(alike(record), []).append(record)
        unmatched = []
        for record in left:
            if bucket := buckets.get(alike(record)):
                other = bucket.pop(0)
                right.remove(other)
                matched.append((record, other))
            else:
                unmatched.append(record)
        left = unmatched
    return [*matched, *((record, None) for record in left), *((None, record) for record in right)]
