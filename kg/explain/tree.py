"""The tree under an answer: what is derived above, what is asserted, curated or supplied below.

A node never changes its kind on the way: what a source states stays asserted under whatever is
derived from it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from kg.check.verdict import Verdict
from kg.snapshot import Place


class Kind(StrEnum):
    """On whose word a node stands."""

    ANSWER = "answer"  # worked out when asked, from what stands below it
    DERIVED = "derived"  # by a rule, or by a curated alignment
    ASSERTED = "asserted"  # by a source
    CURATED = "curated"  # by a row of ours, with its reason
    RULE = "rule"
    SUPPLIED = "supplied"  # by the asker


class Bearing(StrEnum):
    """What becomes of a node without one of its branches."""

    NEEDED = "needed"  # it falls
    ONE_OF = "one of several"  # it falls for certain only without all of this role
    CONTEXT = "context"  # it stays: the branch cites it, or says how it was read


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that a source or a curated row prints, and what they are."""

    what: str
    text: str


@dataclass(frozen=True, slots=True)
class ReleaseOf:
    """The release of a source that a row stands in; what is not given is None.

    ``checked`` is the last day on which a citation in it was checked.
    """

    source: str
    version: str
    registered: date | None
    reviewed: date | None
    checked: date | None
    overlay: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """The document that a statement cites; what the source does not give is None."""

    publisher: str | None
    url: str | None
    published: date | None
    checked: date | None
    registered: date | None
    content_sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One thing said, on whose word, where, and what it rests on.

    ``says`` of a statement begins with the model that it is ``about``.
    """

    kind: Kind
    says: str
    about: str = ""
    iri: str | None = None
    quotes: tuple[Quote, ...] = ()
    places: tuple[Place, ...] = ()
    release: ReleaseOf | None = None
    cited: Cited | None = None
    branches: tuple["Branch", ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """A node below another: in which role, and what becomes of the upper one without it.

    ``leaves`` is the verdict that an answer has without it, or without all of its role if it is one
    of several; None where that depends, or where what stands above is no verdict.
    """

    role: str
    bearing: Bearing
    node: Node
    leaves: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What takes an answer away: one node, or every node of a role together.

    ``leaves`` is the verdict that is left, where it is known.
    """

    role: str
    nodes: tuple[Node, ...]
    leaves: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A tree, and for a model on a target its verdict; ``hints`` say what would help.

    ``near`` are ids like that of a model which is not ``known``; ``left_out`` counts the statements
    on the target's platform that were made after the day asked about.
    """

    root: Node
    snapshot: str
    verdict: Verdict | None = None
    as_of: date | None = None
    hints: tuple[str, ...] = ()
    known: bool = True
    near: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def withdrawals(self) -> tuple[Withdrawal, ...]:
        """Each thing whose withdrawal takes the answer away."""
        found: dict[tuple[Node, ...], Withdrawal] = {}
        for withdrawal in _withdrawals(self.root):
            found.setdefault(withdrawal.nodes, withdrawal)
        return tuple(found.values())


_RESTS: Final = frozenset({Kind.ANSWER, Kind.DERIVED})


def branches(role: str, *nodes: Node) -> tuple[Branch, ...]:
    """Return branches of one role: needed if there is one, else one of several."""
    bearing = Bearing.NEEDED if len(nodes) == 1 else Bearing.ONE_OF
    return tuple(Branch(role, bearing, node) for node in nodes)


def context(role: str, *nodes: Node) -> tuple[Branch, ...]:
    """Return branches without which what stands above them stays."""
    return tuple(Branch(role, Bearing.CONTEXT, node) for node in nodes)


def _withdrawals(node: Node) -> Iterator[Withdrawal]:
    together: dict[str, list[Branch]] = {}
    for branch in node.branches:
        if branch.bearing is Bearing.ONE_OF:
            together.setdefault(branch.role, []).append(branch)
        elif branch.bearing is Bearing.NEEDED:
            yield from _below(branch)
    for role, group in together.items():
        yield Withdrawal(role, tuple(branch.node for branch in group), group[0].leaves)
        yield from _needed_by_each(group)


def _needed_by_each(group: list[Branch]) -> Iterator[Withdrawal]:
    """Yield what every one of several rests on: it takes them all at once."""
    first, *rest = (dict.fromkeys(_withdrawals(branch.node)) for branch in group)
    yield from (withdrawal for withdrawal in first if all(withdrawal in each for each in rest))


def _below(branch: Branch) -> Iterator[Withdrawal]:
    """Take a statement with what it rests on; look through what is itself worked out."""
    node = branch.node
    bears = any(below.bearing is not Bearing.CONTEXT for below in node.branches)
    if not bears or (node.kind not in _RESTS and node.iri is not None):
        yield Withdrawal(branch.role, (node,), branch.leaves)
    yield from _withdrawals(node)
