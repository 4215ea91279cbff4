"""Answer which classes, families and checkpoints are compatible with a class."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.check.relations import read_relations
from kg.compatible.chains import via_architecture, via_family, via_lineage
from kg.compatible.leads import Compatible, Lead, OnPlatform, Via
from kg.compatible.notes import IS_LEAD, NOT_OF_A_CHECKPOINT, why_none
from kg.compatible.reading import read_families, read_listed, read_members, read_variants
from kg.errors import UnknownNameError, UsageError
from kg.inferences import Inference, read_inferences
from kg.iris import keys_of, mint_iri
from kg.names import HARDWARE, Named, read_names
from kg.queries import query_text
from kg.terms import shorten
from kg.vocab import RA

_EVIDENCE: Final = frozenset({RA.Supported, RA.Limited})
_FIND: Final = {
    Via.ARCHITECTURE: via_architecture,
    Via.FAMILY: via_family,
    Via.LINEAGE: via_lineage,
}


def compatible(backend: Backend, name: str, *, via: Via, on: str | None = None) -> Compatible:
    """Return the leads from a class, and what is known of their targets on a platform.

    Raises:
        UnknownNameError: no source prints the class, or there is no such platform.
        UsageError: ``on`` names a product or generation.
    """
    known = [shorten(row["class"]) for row in backend.select(query_text("class_names"), {})]
    if name not in known:
        raise UnknownNameError("architecture", name, get_close_matches(name, known))
    platform = _platform(backend, on) if on else None
    architecture = mint_iri("architecture", name)
    found = sorted(_FIND[via](backend, architecture), key=_order)
    variants = read_variants(backend)
    leads = [lead for lead in found if lead.checkpoint not in variants]
    families = read_families(backend)
    nothing = () if found else why_none(backend, architecture, via, families)
    return Compatible(
        architecture=architecture,
        via=via,
        platform=platform,
        leads=tuple(_placed(backend, leads, platform)),
        not_inheriting=tuple(lead for lead in found if lead.checkpoint in variants),
        notes=(*nothing, IS_LEAD, NOT_OF_A_CHECKPOINT),
        labels=families.labels,
        lines=families.lines,
    )


def _platform(backend: Backend, name: str) -> Named:
    """Return the platform of a name; a product's or generation's paths are not all of it."""
    names = read_names(backend)
    try:
        return names.resolve("platform", name, (RA.Platform,))
    except UnknownNameError as unknown:
        try:
            thing = names.resolve("hardware", name, HARDWARE)
        except UnknownNameError:
            raise unknown from None
    kind = keys_of(thing.iri)[0]
    platform = shorten(read_relations(backend).platform.get(thing.iri))
    raise UsageError(f"{thing.id} is a {kind}; on takes its platform, {platform}.")


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
