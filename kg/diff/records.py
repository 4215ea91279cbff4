"""What is compared: records that say the same in any release of their source, joined by key."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pyoxigraph import NamedNode

from kg.snapshot import Place


@dataclass(frozen=True, slots=True, order=True)
class Value:
    """One value of an aspect; two are equal if they say the same, wherever they stand."""

    text: str
    places: tuple[Place, ...] = field(default=(), compare=False)
    overlay: str | None = field(default=None, compare=False)


Aspects = Mapping[str, frozenset[Value]]
# Hardware by the kind in its IRI.
HARDWARE_KINDS: Final = ("generation", "platform", "product")
_BARE: Final = frozenset(("curated row", "document"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Something that a snapshot holds: its key, what it says by aspect, and where it stands.

    ``fresh`` are aspects that tell how recent it is, and nothing about support.
    """

    key: str
    iri: NamedNode
    aspects: Aspects
    fresh: Aspects = field(default_factory=dict)
    overlay: str | None = None
    places: tuple[Place, ...] = ()

    def said(self, aspect: str) -> tuple[str, ...]:
        """Return the texts of an aspect, in order."""
        return tuple(sorted(value.text for value in self.aspects.get(aspect, ())))


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement(Record):
    """A support path: one source's statement about one configuration.

    ``key`` is its statement key, which a row keeps from one release of its source to the next.
    """

    source: str
    row: str
    release: str
    citations: tuple[Record, ...]
    models: frozenset[NamedNode]
    hardware: frozenset[NamedNode]
    named_hardware: frozenset[NamedNode]

    @property
    def supports(self) -> bool:
        """Tell whether it is evidence for support: its outcome is supported or limited."""
        return bool({"Supported", "Limited"} & set(self.said("outcome")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing(Record):
    """A checkpoint or label of a model, something of the registry, or what answers are read with.

    ``mentions`` are the models, families, classes and hardware that it is or speaks of.
    """

    kind: str
    mentions: frozenset[NamedNode] = frozenset()

    @property
    def bare(self) -> bool:
        """Tell whether nothing is said of it but that others cite it, or why it stands here."""
        return self.kind in _BARE and not self.aspects.keys() - {"RDF type", "address"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWords(Record):
    """What one source prints about one model, in all its rows."""

    source: str
    model: NamedNode
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState(Record):
    """A source as a snapshot holds it: which release, and what it licenses."""

    licences: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation(Record):
    """What is derived for a class on a platform: the statement keys of its premises.

    ``stack`` is written as it is printed elsewhere: by label.
    """

    source: str
    stack: str
    architecture: str
    platform: NamedNode
    premises: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssumedClass(Record):
    """The class that a checkpoint is lent by an aligned family: the premises' statement keys."""

    model: NamedNode
    architecture: str
    family: str
    aligned: str
    source: str
    mapping: NamedNode
    premises: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """Everything in which a snapshot may differ from another, by key.

    ``groups`` are the families and classes of each checkpoint, and what these lie within.
    """

    snapshot: str
    statements: Mapping[str, Statement]
    models: Mapping[str, Thing]
    words: Mapping[str, ModelWords]
    registry: Mapping[str, Thing]
    readings: Mapping[str, Thing]
    notes: Mapping[str, Thing]
    sources: Mapping[str, SourceState]
    derivations: Mapping[str, Derivation]
    assumed: Mapping[str, AssumedClass]
    alignments: frozenset[NamedNode]
    wider: Mapping[NamedNode, frozenset[NamedNode]]
    groups: Mapping[NamedNode, frozenset[NamedNode]] = field(default_factory=dict)
