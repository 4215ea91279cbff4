"""How things of the registry stand to each other: what lies within what."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.queries import query_text
from kg.terms import shorten
from kg.vocab import RA, SKOS

_UPWARD = frozenset({RA.ofGeneration, RA.ofPlatform, SKOS.broader, RA.contains})


@dataclass(frozen=True, slots=True)
class Relations:
    """The registry's own statements, and how components number releases.

    ``direct`` holds, for each thing, what its own row puts it within; ``wider`` everything above
    it, by however many steps; ``kind`` holds whether a product is a chip, board, node or instance.
    """

    direct: Mapping[NamedNode, frozenset[NamedNode]]
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

    def between(self, narrow: NamedNode, wide: NamedNode) -> frozenset[NamedNode]:
        """Return each thing whose row is a step from one thing up to another."""
        if narrow == wide or not self.within(narrow, wide):
            return frozenset()
        above = self.wider[narrow]
        return frozenset({narrow, *(x for x in above if x != wide and self.within(x, wide))})

    def without(self, thing: NamedNode) -> "Relations":
        """Return the relations as they stand without a thing's own row."""
        direct = {other: above for other, above in self.direct.items() if other != thing}
        return replace(self, direct=direct, wider=_wider(direct))


def read_relations(backend: Backend) -> Relations:
    """Read the registry's relations."""
    direct: dict[NamedNode, set[NamedNode]] = {}
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
            direct.setdefault(subject, set()).add(value)
        if predicate == RA.ofPlatform:
            platform[subject] = value
        if predicate == RA.ofGeneration:
            generation[subject] = value
        if predicate == RA.productKind:
            kind[subject] = value
    known = {thing: frozenset(above) for thing, above in direct.items()}
    return Relations(known, _wider(known), platform, generation, ordering, kind)


def _wider(
    direct: Mapping[NamedNode, frozenset[NamedNode]],
) -> dict[NamedNode, frozenset[NamedNode]]:
    return {thing: _all_above(thing, direct) for thing in direct}


def _all_above(
    thing: NamedNode, direct: Mapping[NamedNode, frozenset[NamedNode]]
) -> frozenset[NamedNode]:
    above: set[NamedNode] = set()
    waiting = [thing]
    while waiting:
        for next_ in direct.get(waiting.pop(), frozenset()) - above:
            above.add(next_)
            waiting.append(next_)
    return frozenset(above)
