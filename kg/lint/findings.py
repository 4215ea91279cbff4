"""What lint tells: checks, each of one rule, with what they found and where it stands."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from pyoxigraph import NamedNode

SEVERITIES: Final = ("Warning", "Info")


@dataclass(frozen=True, slots=True)
class Review:
    """A curator's row that says why there is nothing to mend, and where that was read."""

    why: str
    read_in: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at: a node, the value in question (if any), and where it is stated."""

    focus: NamedNode
    value: str
    places: tuple[str, ...]
    review: Review | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A shape, or a stored question, that lint asks; ``severity`` is Warning or Info."""

    name: str
    rule: str
    severity: str
    message: str
    findings: tuple[Finding, ...]

    @property
    def open(self) -> tuple[Finding, ...]:
        """What nobody has reviewed."""
        return tuple(finding for finding in self.findings if not finding.review)

    @property
    def reviewed(self) -> tuple[Finding, ...]:
        """What a curator has looked at and found right."""
        return tuple(finding for finding in self.findings if finding.review)


@dataclass(frozen=True, slots=True)
class Rule:
    """A scoping rule with what its checks found."""

    id: str
    says: str
    checks: tuple[Check, ...]

    @property
    def count(self) -> int:
        """How many open findings its checks have together."""
        return sum(len(check.open) for check in self.checks)

    @property
    def reviewed(self) -> int:
        """How many reviewed findings its checks have together."""
        return sum(len(check.reviewed) for check in self.checks)


@dataclass(frozen=True, slots=True)
class Linted:
    """The curator's queue of a snapshot, as of a day; the rules stand in their own order."""

    snapshot: str
    as_of: date
    days: int
    rules: tuple[Rule, ...]

    def count(self, severity: str) -> int:
        """Count the open findings of a severity."""
        return sum(len(check.open) for check in self._checks(severity))

    def reviewed(self, severity: str) -> int:
        """Count the reviewed findings of a severity."""
        return sum(len(check.reviewed) for check in self._checks(severity))

    def _checks(self, severity: str) -> list[Check]:
        checks = (check for rule in self.rules for check in rule.checks)
        return [check for check in checks if check.severity == severity]
