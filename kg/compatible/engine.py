"""Answer which classes, families and checkpoints are compatible with a class."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.compatible.chains import via_architecture, via_family, via_lineage
from kg.compatible.leads import Compatible, Lead, OnPlatform, Via
from kg.compatible.reading import (
    read_families,
    read_listed,
    read_members,
    read_variants,
)
from kg.errors import UnknownNameError
from kg.inferences import Inference, read_inferences
from kg.iris import mint_iri
from kg.names import Named, read_names
from kg.queries import query_text
from kg.terms import shorten
from kg.vocab import RA

_EVIDENCE: Final = frozenset({RA.Supported, RA.Limited})

IS_LEAD: Final = "A row is a lead with its chain: computed when asked, no statement of support."
NOT_OF_A_CHECKPOINT: Final = (
    "What may work is derived for a class; quantised and adapter checkpoints never inherit it."
)
NO_LINEAGE: Final = "No lineage is stated for a checkpoint of this class."


_FIND: Final = {
    Via.ARCHITECTURE: via_architecture,
    Via.FAMILY: via_family,
    Via.LINEAGE: via_lineage,
}


def compatible(backend: Backend, name: str, *, via: Via, on: str | None = None) -> Compatible:
    """Return the leads from a class, and what is known of their targets on a platform.

    Raises:
        UnknownNameError: no source prints the class, or there is no such platform.
    """
    known = [shorten(row["class"]) for row in backend.select(query_text("class_names"), {})]
    if name not in known:
        raise UnknownNameError("architecture", name, get_close_matches(name, known))
    platform = read_names(backend).resolve("platform", on, (RA.Platform,)) if on else None
    architecture = mint_iri("architecture", name)
    found = sorted(_FIND[via](backend, architecture), key=_order)
    variants = read_variants(backend)
    leads = [lead for lead in found if lead.checkpoint not in variants]
    nothing_stated = [NO_LINEAGE] if via is Via.LINEAGE and not found else []
    return Compatible(
        architecture=architecture,
        via=via,
        platform=platform,
        leads=tuple(_placed(backend, leads, platform)),
        not_inheriting=tuple(lead for lead in found if lead.checkpoint in variants),
        notes=(*nothing_stated, IS_LEAD, NOT_OF_A_CHECKPOINT),
        labels=read_families(backend).labels,
    )


def _order(lead: Lead) -> tuple[str, ...]:
    targets = (lead.architecture, lead.family, lead.checkpoint, lead.modality)
    return (*map(shorten, targets), *(f"{link.step} {link.end.value}" for link in lead.chain))


def _placed(backend: Backend, leads: Iterable[Lead], platform: Named | None) -> Iterator[Lead]:
    """Yield the leads with what is asserted, and what is derived, on the platform."""
    if platform is None:
        yield from leads
        return
    listed = read_listed(backend, platform.iri)
    on_platform: dict[tuple[NamedNode | None, frozenset[NamedNode]], OnPlatform] = {}
    for lead in leads:
        key = (lead.architecture, _targets(backend, lead))
        if key not in on_platform:
            paths = [path for path in listed if path.checkpoint in key[1]]
            on_platform[key] = OnPlatform(
                listed=tuple(path for path in paths if path.outcome in _EVIDENCE),
                other_outcomes=tuple(path for path in paths if path.outcome not in _EVIDENCE),
                may_work=_may_work(backend, lead.architecture, platform.iri),
            )
        yield replace(lead, on=on_platform[key])


def _may_work(
    backend: Backend, architecture: NamedNode | None, platform: NamedNode
) -> tuple[Inference, ...]:
    if architecture is None:
        return ()
    found = read_inferences(backend, architecture)
    return tuple(inference for inference in found if inference.platform == platform)


def _targets(backend: Backend, lead: Lead) -> frozenset[NamedNode]:
    """Return whose paths count: those of the other class that a chain leads to, or of its end."""
    if lead.checkpoint:
        return frozenset({lead.checkpoint})
    if len(lead.chain) > 1 and lead.architecture:
        members = read_members(backend, lead.architecture)
        return frozenset(member.witness.checkpoint for member in members)
    return frozenset(witness.checkpoint for witness in lead.chain[-1].through)
