"""One way in which a focus node breaks a rule."""

from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode

from kg.backend import Term
from kg.iris import local_name, mint_iri
from kg.snapshot import Place

SEVERITIES: Final = ("Violation", "Warning", "Info")


@dataclass(frozen=True, slots=True)
class Result:
    """One way in which a focus node breaks a rule, and where the focus node is stated."""

    rule: str
    severity: NamedNode
    focus: Term
    path: Term | None
    value: Term | None
    component: NamedNode
    shape: NamedNode
    message: str
    places: tuple[Place, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """What results are sorted by: violations come before warnings, notes come last."""
        terms = (self.focus, self.path, self.value, self.shape, self.component)
        severity = SEVERITIES.index(local_name(self.severity))
        return f"{severity}", self.rule, self.message, *(str(term or "") for term in terms)

    @property
    def iri(self) -> NamedNode:
        """The result's own IRI, minted from what makes it differ from others."""
        where = (iri_or_text(term) for term in (self.focus, self.path))
        value = "-" if self.value is None else str(self.value)
        return mint_iri("result", local_name(self.shape), local_name(self.component), *where, value)


def iri_or_text(term: Term | None) -> str:
    """Write an IRI without brackets, and nothing as a dash."""
    return term.value if isinstance(term, NamedNode) else str(term or "-")
