"""Resolve the names that people type to the things of the registry."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.errors import UnknownNameError
from kg.queries import query_text
from kg.terms import shorten
from kg.vocab import RA

HARDWARE = (RA.Product, RA.Generation, RA.Platform)


@dataclass(frozen=True, slots=True)
class Named:
    """A thing of the registry: its IRI, class, id and label."""

    iri: NamedNode
    type: NamedNode
    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Names:
    """Every id, label and alias of the registry, in lower case: each means one thing of a class."""

    things: dict[tuple[str, NamedNode], Named]

    def resolve(self, kind: str, name: str, types: Iterable[NamedNode]) -> Named:
        """Return the thing of one of these classes that a name means, whatever its case.

        Raises:
            UnknownNameError: no such thing; with near misses.
        """
        types = tuple(types)
        for type_ in types:
            if found := self.things.get((_fold(name), type_)):
                return found
        known = {
            folded: thing.id for (folded, type_), thing in self.things.items() if type_ in types
        }
        near = {known[key]: None for key in get_close_matches(_fold(name), known, n=6)}
        raise UnknownNameError(kind, name, list(near)[:3])


def read_names(backend: Backend) -> Names:
    """Read every name of the registry."""
    things: dict[tuple[str, NamedNode], Named] = {}
    for row in backend.select(query_text("names"), {}):
        iri, type_ = row["thing"], row["type"]
        if isinstance(iri, NamedNode) and isinstance(type_, NamedNode):
            thing = Named(iri, type_, shorten(row["id"]), shorten(row["label"]))
            things[_fold(shorten(row["name"])), type_] = thing
    return Names(things)


def near_repository_ids(model: str, ids: Sequence[str]) -> list[str]:
    """Return up to three ids that come near a name, whole or by the part after the slash."""
    by_name = {id_.rpartition("/")[2].casefold(): id_ for id_ in ids}
    folded = {id_.casefold(): id_ for id_ in ids}
    near = [folded[n] for n in get_close_matches(model.casefold(), folded, n=3, cutoff=0.75)]
    name = model.rpartition("/")[2].casefold()
    near += [by_name[n] for n in get_close_matches(name, by_name, n=3, cutoff=0.75)]
    return list(dict.fromkeys(near))[:3]


def _fold(name: str) -> str:
    return name.strip().casefold()
