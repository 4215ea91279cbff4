"""Say what leads are and, where there are none, why."""

from collections.abc import Iterable
from typing import Final

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.compatible.leads import Via
from kg.compatible.reading import Families, read_members
from kg.terms import shorten

IS_LEAD: Final = "A row is a lead with its chain: computed when asked, no statement of support."
NOT_OF_A_CHECKPOINT: Final = (
    "What may work is derived for a class; quantised and adapter checkpoints never inherit it."
)
NO_LINEAGE: Final = "No lineage is stated for a checkpoint of this class."
NO_FAMILY: Final = "No family is stated for a checkpoint of this class."
NO_MODALITY: Final = "No modality is stated for a checkpoint of this class that has a family."


def why_none(
    backend: Backend, architecture: NamedNode, via: Via, families: Families
) -> tuple[str, ...]:
    """Say why nothing is found via a class's families, with those looked through, or lineage."""
    if via is Via.ARCHITECTURE:
        return ()
    if via is Via.LINEAGE:
        return (NO_LINEAGE,)
    members = [member for member in read_members(backend, architecture) if member.families]
    if not members:
        return (NO_FAMILY,)
    members = [member for member in members if member.modalities]
    if not members:
        return (NO_MODALITY,)
    looked = dict.fromkeys(family for member in members for family in member.families)
    return (
        "No other class of the same modality stands in the families of this class, or in their "
        f"publishers' lines. {_looked_through(looked, families)}",
    )


def _looked_through(looked: Iterable[NamedNode], families: Families) -> str:
    """Name the families by the lines that were looked through with them."""
    by_line: dict[NamedNode | None, list[str]] = {}
    for family in sorted(looked, key=shorten):
        for line in families.lines_of(family) or (None,):
            by_line.setdefault(line, []).append(shorten(family))
    sentences = [
        f"In the line {families.labels.get(line, shorten(line))}: {', '.join(names)}."
        for line, names in by_line.items()
        if line
    ]
    alone = [f"In no line: {', '.join(by_line[None])}."] if None in by_line else []
    return " ".join((*sentences, *alone))
