"""A lead from a class to another, a family or a checkpoint, with the chain that leads there.

Decision D5: a lead is computed when asked and never stored as support. What is asserted of a lead's
target on a platform, and what is derived for its class, stand beside the chain, apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pyoxigraph import NamedNode

from kg.inferences import Inference
from kg.iris import keys_of
from kg.names import Named
from kg.snapshot import Place


class Via(StrEnum):
    """What a chain goes through."""

    ARCHITECTURE = "architecture"
    FAMILY = "family"
    LINEAGE = "lineage"


@dataclass(frozen=True, slots=True)
class Witness:
    """A checkpoint that carries a link, the statements of its class, and its other classes."""

    checkpoint: NamedNode
    statements: tuple[NamedNode, ...]
    also_printed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One step of a chain: by the classes of checkpoints, a curated row, or a stated lineage."""

    step: str
    start: NamedNode
    end: NamedNode
    through: tuple[Witness, ...] = ()
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An asserted path of a checkpoint of the target on the platform that was asked for."""

    path: NamedNode
    checkpoint: NamedNode
    source: NamedNode
    outcome: NamedNode
    level: NamedNode | None
    stack: str
    tested_variants: tuple[str, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class OnPlatform:
    """What is asserted there, with evidence or another outcome, and, apart, what is derived."""

    listed: tuple[Listed, ...]
    other_outcomes: tuple[Listed, ...]
    may_work: tuple[Inference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A target and the chain that leads to it; what the chain does not name is None."""

    architecture: NamedNode | None
    family: NamedNode | None = None
    checkpoint: NamedNode | None = None
    modality: NamedNode | None = None
    chain: tuple[Link, ...]
    on: OnPlatform | None = None

    @property
    def contested(self) -> bool:
        """Tell whether a checkpoint in the chain is printed under another class too."""
        return any(witness.also_printed for link in self.chain for witness in link.through)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compatible:
    """The leads from a class, in order; ``not_inheriting`` are quantised or adapter checkpoints."""

    architecture: NamedNode
    via: Via
    platform: Named | None
    leads: tuple[Lead, ...]
    not_inheriting: tuple[Lead, ...]
    notes: tuple[str, ...]
    labels: Mapping[NamedNode, str]
    lines: frozenset[NamedNode]

    def kind(self, iri: NamedNode) -> str:
        """Return what an end of a link is: architecture, family, line or checkpoint.

        A line and a family in it may have one label.
        """
        return "line" if iri in self.lines else keys_of(iri)[0]
