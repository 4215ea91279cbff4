"""What differs between two snapshots: pairs of records joined by key, and why derivations move."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

from kg.diff.aspects import PATH
from kg.diff.records import (
    AssumedClass,
    Derivation,
    ModelWords,
    Record,
    SourceState,
    Statement,
    Thing,
    Value,
)
from kg.snapshot import Place

R = TypeVar("R", bound=Record)
_CLAIMS: Final = frozenset(aspect.name for aspect in PATH if aspect.claims)


class Standing(StrEnum):
    """How a record of one snapshot stands to the other snapshot."""

    ADDED = "added"
    WITHDRAWN = "withdrawn"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """The values that an aspect has lost, and those that it has gained."""

    aspect: str
    lost: tuple[Value, ...]
    gained: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Pair(Generic[R]):
    """A record in the old snapshot, in the new one, or in both with its changes."""

    old: R | None
    new: R | None
    changes: tuple[Change, ...] = ()

    @property
    def standing(self) -> Standing:
        """Tell whether the record was added, withdrawn or changed."""
        if self.old is None:
            return Standing.ADDED
        return Standing.WITHDRAWN if self.new is None else Standing.CHANGED

    @property
    def records(self) -> tuple[R, ...]:
        """The record as it was and as it is, where it stands."""
        return tuple(record for record in (self.old, self.new) if record is not None)

    @property
    def record(self) -> R:
        """The record as it is, or as it was if it is gone."""
        return self.records[-1]

    @property
    def overlays(self) -> tuple[str, ...]:
        """The overlays that a user's own records come from."""
        return tuple(dict.fromkeys(r.overlay for r in self.records if r.overlay))


@dataclass(frozen=True, slots=True)
class StatementPair(Pair[Statement]):
    """A support path that was added, withdrawn or changed."""

    @property
    def lost_support(self) -> tuple[Change, ...]:
        """What a path that supported something no longer supports, though it still stands."""
        return _support_in(self.old, self.new, self.changes, "lost")

    @property
    def gained_support(self) -> tuple[Change, ...]:
        """What a path supports now that it did not, though it stood before."""
        return _support_in(self.new, self.old, self.changes, "gained")


def _support_in(
    here: Statement | None, there: Statement | None, changes: Iterable[Change], side: str
) -> tuple[Change, ...]:
    if here is None or there is None or not here.supports:
        return ()
    counted = _CLAIMS if there.supports else _CLAIMS | {"outcome"}
    return tuple(c for c in changes if c.aspect in counted and getattr(c, side))


@dataclass(frozen=True, slots=True)
class EvidencePair(Pair[Record]):
    """A citation under paths that both snapshots hold; ``paths`` are their statement keys."""

    paths: tuple[str, ...] = ()


class CauseKind(StrEnum):
    """Why a derivation has a premise in one snapshot and not in the other."""

    ALIGNMENT = "alignment"
    CLASS_LABEL = "class-label"
    CONFIGURATION = "configuration"
    FAMILY = "family"
    LICENCE = "licence"
    MODEL = "model"
    OUTCOME = "outcome"
    PREMISE = "premise"
    RULE = "rule"
    SEVERAL_CLASSES = "several-classes"
    STATED_CLASS = "stated-class"
    TESTED_VARIANT = "tested-variant"


@dataclass(frozen=True, slots=True)
class Cause:
    """What one snapshot lacks for a derivation: of which kind, about what, and where it stands.

    ``about`` is a statement key, a source, a mapping or a model; ``said`` what the other snapshot
    says instead; ``places`` are those of the side that has it.
    """

    kind: CauseKind
    about: str
    said: str = ""
    places: tuple[Place, ...] = ()


D = TypeVar("D", Derivation, AssumedClass)


@dataclass(frozen=True, slots=True)
class Derived(Generic[D]):
    """A derivation that was gained, lost or changed, with the causes on either side."""

    pair: Pair[D]
    lost: tuple[Cause, ...] = ()
    gained: tuple[Cause, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What differs in support between two snapshots; what is only fresher stands apart."""

    old: str
    new: str
    paths: tuple[StatementPair, ...]
    evidence: tuple[EvidencePair, ...]
    models: tuple[Pair[Thing], ...]
    words: tuple[Pair[ModelWords], ...]
    registry: tuple[Pair[Thing], ...]
    readings: tuple[Pair[Thing], ...]
    derivations: tuple[Derived[Derivation], ...]
    assumed: tuple[Derived[AssumedClass], ...]
    sources: tuple[Pair[SourceState], ...]
    rechecked: tuple[EvidencePair, ...]
    notes: tuple[Pair[Thing], ...]

    @property
    def same_support(self) -> bool:
        """Tell whether both say the same: of support, and of what answers are read with."""
        said = (self.paths, self.evidence, self.models, self.words, self.registry, self.readings)
        return not any(said) and not self.derivations and not self.assumed

    @property
    def withdrawn(self) -> int:
        """Count the paths, citations and derivations that are gone, and paths that lost support."""
        derived = [d.pair for d in self.derivations], [d.pair for d in self.assumed]
        gone = _count(Standing.WITHDRAWN, self.paths, self.evidence, *derived)
        return gone + sum(bool(pair.lost_support) for pair in self.paths)

    @property
    def changed(self) -> int:
        """Count what both snapshots hold and say differently."""
        derived = [d.pair for d in self.derivations], [d.pair for d in self.assumed]
        said = (self.paths, self.evidence, self.models, self.words, self.registry, self.readings)
        return _count(Standing.CHANGED, *said, *derived)


def _count(standing: Standing, *groups: Sequence[Pair[Any]]) -> int:
    return sum(pair.standing is standing for pairs in groups for pair in pairs)
