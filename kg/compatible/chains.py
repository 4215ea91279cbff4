"""Find the chains from a class: within it, over families and their lines, or along lineage."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Final

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.compatible.leads import Lead, Link, Witness
from kg.compatible.reading import (
    Families,
    read_classes_of_checkpoint,
    read_classes_of_family,
    read_families,
    read_lineage,
    read_members,
    read_variants,
)
from kg.snapshot import Place
from kg.terms import shorten

_HIERARCHY: Final = "family_hierarchy"
_LINEAGE: Final = "lineage"


def via_architecture(backend: Backend, architecture: NamedNode) -> Iterator[Lead]:
    """Yield each family with checkpoints of the class, and each checkpoint without a family."""
    members = read_members(backend, architecture)
    by_family: dict[NamedNode, list[Witness]] = {}
    for member in members:
        for family in member.families:
            by_family.setdefault(family, []).append(member.witness)
        if not member.families:
            checkpoint = member.witness.checkpoint
            link = _class_link("class-to-checkpoint", architecture, checkpoint, [member.witness])
            yield Lead(architecture=architecture, checkpoint=checkpoint, chain=(link,))
    for family, witnesses in by_family.items():
        link = _class_link("class-to-family", architecture, family, witnesses)
        yield Lead(architecture=architecture, family=family, chain=(link,))


def via_family(backend: Backend, architecture: NamedNode) -> Iterator[Lead]:
    """Yield each other class of the same modality in a family, or in one of the same line."""
    families = read_families(backend)
    groups: dict[tuple[NamedNode, NamedNode], list[Witness]] = {}
    for member in read_members(backend, architecture):
        for family in member.families:
            for modality in member.modalities:
                groups.setdefault((family, modality), []).append(member.witness)
    for (family, modality), witnesses in groups.items():
        start = _class_link("class-to-family", architecture, family, witnesses)
        for route in families.routes(family):
            middle = _hierarchy_links(backend, families, route)
            for target, found in read_classes_of_family(backend, route[-1], modality).items():
                if target != architecture:
                    end = _class_link("family-to-class", route[-1], target, found)
                    yield Lead(
                        architecture=target,
                        family=route[-1],
                        modality=modality,
                        chain=(start, *middle, end),
                    )


def _hierarchy_links(
    backend: Backend, families: Families, route: tuple[NamedNode, ...]
) -> tuple[Link, ...]:
    links = []
    for start, end in pairwise(route):
        up = end in families.broader.get(start, ())
        places = backend.places(start if up else end)
        links.append(
            Link(
                step="family-to-broader" if up else "family-to-narrower",
                start=start,
                end=end,
                places=tuple(place for place in places if place.source == _HIERARCHY),
            )
        )
    return tuple(links)


def via_lineage(backend: Backend, architecture: NamedNode) -> Iterator[Lead]:
    """Yield each ancestor and descendant of the class's checkpoints, under each class it has."""
    parents: dict[NamedNode, list[Link]] = {}
    children: dict[NamedNode, list[Link]] = {}
    for child, predicate, parent in read_lineage(backend):
        step = shorten(predicate)
        places = _places_of_lineage(backend, child)
        up = Link(step=step, start=child, end=parent, places=places)
        down = Link(step=f"inverse of {step}", start=parent, end=child, places=places)
        parents.setdefault(child, []).append(up)
        children.setdefault(parent, []).append(down)
    variants = read_variants(backend)
    for member in read_members(backend, architecture):
        witness = member.witness
        start = _class_link("class-to-checkpoint", architecture, witness.checkpoint, [witness])
        for links, ends in ((parents, frozenset[NamedNode]()), (children, variants)):
            for chain in _walk(start, links, ends):
                yield from _lineage_leads(backend, chain)


def _places_of_lineage(backend: Backend, child: NamedNode) -> tuple[Place, ...]:
    """Return the curated rows about a checkpoint's lineage, or else where it is stated at all."""
    places = backend.places(child)
    return tuple(place for place in places if place.source == _LINEAGE) or places


def _walk(
    start: Link, links: Mapping[NamedNode, list[Link]], ends: frozenset[NamedNode]
) -> Iterator[tuple[Link, ...]]:
    """Yield a shortest chain to each checkpoint; those in ``ends`` lead no further."""
    chains: deque[tuple[Link, ...]] = deque([(start,)])
    seen = {start.end}
    while chains:
        chain = chains.popleft()
        here = chain[-1].end
        for link in () if here in ends and len(chain) > 1 else links.get(here, ()):
            if link.end not in seen:
                seen.add(link.end)
                chains.append((*chain, link))
                yield chains[-1]


def _lineage_leads(backend: Backend, chain: tuple[Link, ...]) -> Iterator[Lead]:
    checkpoint = chain[-1].end
    classes = read_classes_of_checkpoint(backend, checkpoint)
    if not classes:
        yield Lead(architecture=None, checkpoint=checkpoint, chain=chain)
    for architecture, witness in classes.items():
        end = _class_link("checkpoint-to-class", checkpoint, architecture, [witness])
        yield Lead(architecture=architecture, checkpoint=checkpoint, chain=(*chain, end))


def _class_link(step: str, start: NamedNode, end: NamedNode, through: Iterable[Witness]) -> Link:
    return Link(step=step, start=start, end=end, through=tuple(through))
