"""How things of the registry stand to each other: what lies within what."""

from collections.abc import Mapping
from dataclasses import dataclass

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.queries import query_text
from kg.terms import shorten
from kg.vocab import RA, SKOS

_UPWARD = frozenset({RA.ofGeneration, RA.ofPlatform, SKOS.broader, RA.contains})


@dataclass(frozen=True, slots=True)
class Relations:
    """The registry's own statements, and how components number releases.

    ``wider`` holds, for each thing, everything above it, by however many steps; ``kind`` holds
    whether a product is a chip, board, node or instance.
    """

    wider: Mapping[NamedNode, frozenset[NamedNode]]
    platform: Mapping[NamedNode, NamedNode]
    generation: Mapping[NamedNode, NamedNode]
    ordering: Mapping[NamedNode, str]
    kind: Mapping[NamedNode, NamedNode]

    def within(self, narrow: NamedNode, wide: NamedNode) -> bool:
        """Tell whether one thing is another or lies within it.

        A product lies within its generation and platform, and a node or instance within the kind
        of chip that it contains: what ran there ran on that chip. A method lies within a feature.
        """
        return narrow == wide or wide in self.wider.get(narrow, frozenset())


def read_relations(backend: Backend) -> Relations:
    """Read the registry's relations."""
    wider: dict[NamedNode, set[NamedNode]] = {}
    platform: dict[NamedNode, NamedNode] = {}
    generation: dict[NamedNode, NamedNode] = {}
    ordering: dict[NamedNode, str] = {}
    kind: dict[NamedNode, NamedNode] = {}
    for row in backend.select(query_text("registry_relations"), {}):
        subject, predicate, value = row["subject"], row["predicate"], row["value"]
        if not isinstance(subject, NamedNode):
            continue
        if not isinstance(value, NamedNode):
            ordering[subject] = shorten(value)
            continue
        if predicate in _UPWARD:
            wider.setdefault(subject, set()).add(value)
        if predicate == RA.ofPlatform:
            platform[subject] = value
        if predicate == RA.ofGeneration:
            generation[subject] = value
        if predicate == RA.productKind:
            kind[subject] = value
    above = {thing: _all_above(thing, wider) for thing in wider}
    return Relations(above, platform, generation, ordering, kind)


def _all_above(thing: NamedNode, wider: Mapping[NamedNode, set[NamedNode]]) -> frozenset[NamedNode]:
    above: set[NamedNode] = set()
    waiting = [thing]
    while waiting:
        for next_ in wider.get(waiting.pop(), set()) - above:
            above.add(next_)
            waiting.append(next_)
    return frozenset(above)
