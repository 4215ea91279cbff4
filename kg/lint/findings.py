"""What lint tells: checks, each of one rule, with what they found and where it stands."""

from dataclasses import dataclass
from datetime import date

from pyoxigraph import NamedNode


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at: a node, the value in question (if any), and where it is stated."""

    focus: NamedNode
    value: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A shape, or a stored question, that lint asks; ``severity`` is Warning or Info."""

    name: str
    rule: str
    severity: str
    message: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A scoping rule with what its checks found."""

    id: str
    says: str
    checks: tuple[Check, ...]

    @property
    def count(self) -> int:
        """How many findings its checks have together."""
        return sum(len(check.findings) for check in self.checks)


@dataclass(frozen=True, slots=True)
class Linted:
    """The curator's queue of a snapshot, as of a day; the rules stand in their own order."""

    snapshot: str
    as_of: date
    days: int
    rules: tuple[Rule, ...]

    def count(self, severity: str) -> int:
        """Count the findings of a severity."""
        checks = (check for rule in self.rules for check in rule.checks)
        return sum(len(check.findings) for check in checks if check.severity == severity)
