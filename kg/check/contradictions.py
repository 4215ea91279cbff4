"""Tell whether two statements contradict each other, or one replaces the other.

Only statements of one configuration do either. What differs in more than its outcome stands beside
the other: both hold.
"""

from collections.abc import Hashable
from typing import Final, TypeAlias

from pyoxigraph import NamedNode

from kg.check.facts import Path, Run
from kg.vocab import RA

POSITIVE: Final = frozenset({RA.Supported, RA.Limited})
NEGATIVE: Final = frozenset({RA.Failing, RA.Unsupported})

# What a source says of one aspect of a configuration; nothing where it leaves the aspect open.
_Said: TypeAlias = frozenset[Hashable]


def contradict(one: Path, other: Path) -> bool:
    """Tell whether two statements of one configuration are a positive and a negative one.

    What one of them leaves open may be what the other says, so only what both say sets them apart.
    """
    outcomes = {one.outcome, other.outcome}
    return (
        bool(outcomes & POSITIVE)
        and bool(outcomes & NEGATIVE)
        and bool(one.hardware & other.hardware)
        and _software(one) == _software(other)
        and not _set_apart(one, other)
    )


def supersedes(later: Path, earlier: Path) -> bool:
    """Tell whether a source has said otherwise, at a later day, of the very same configuration."""
    return (
        later.source == earlier.source
        and bool(later.dated and earlier.dated and later.dated > earlier.dated)
        and later.hardware >= earlier.hardware
        and _software(later) == _software(earlier)
        and _aspects(later) == _aspects(earlier)
    )


def _software(path: Path) -> tuple[frozenset[object], ...]:
    releases: frozenset[tuple[NamedNode, NamedNode, str]] = frozenset(
        (bound.component, bound.kind, bound.version) for bound in path.bounds
    )
    return path.components, releases, path.precisions


def _set_apart(one: Path, other: Path) -> bool:
    """Tell whether an aspect differs; a test run leaves none open, and without features used none.

    Between any other statements, an aspect that one of them leaves open sets nothing apart.
    """
    whole = bool(_runs(one) and _runs(other))
    pairs = zip(_aspects(one), _aspects(other), strict=True)
    return any(mine != its and (whole or (mine and its)) for mine, its in pairs)


def _runs(path: Path) -> list[Run]:
    return [deployment.run for deployment in path.deployments if deployment.run]


def _aspects(path: Path) -> tuple[_Said, ...]:
    return (
        frozenset((d.devices, d.unit) for d in path.deployments if d.devices),
        frozenset(d.nodes for d in path.deployments if d.nodes),
        frozenset(d.topology for d in path.deployments if d.topology),
        frozenset(text for d in path.deployments for text in d.parallelism),
        frozenset(run.revision for run in _runs(path)),
        frozenset((c.precision, c.role) for c in path.cells if c.role != RA.RoleUnstated),
        frozenset(path.features),
        frozenset(path.drafts),
        frozenset(filter(None, [path.compile_mode])),
    )
