"""What an export's graphs say of each subject, and whose words it is.

Asserted and derived graphs are read apart: no table is filled from both.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from pyoxigraph import NamedNode

from kg.backend import Term
from kg.iris import keys_of
from kg.snapshot import Place, Snapshot
from kg.store import is_asserted, is_overlay, named_quads
from kg.terms import shorten
from kg.vocab import DERIVED_GRAPHS, ID, OVERLAY_GRAPHS, RDF, RDFS

Said = dict[Term, set[NamedNode]]


@dataclass(frozen=True, slots=True)
class Facts:
    """By subject and predicate: each value, with the graphs that state it."""

    said: Mapping[NamedNode, Mapping[NamedNode, Said]]
    places: Mapping[str, tuple[Place, ...]]

    def values(self, subject: NamedNode, *chain: NamedNode) -> tuple[Term, ...]:
        """Return what a chain of predicates leads to, each value once and in order."""
        found: set[Term] = {subject}
        for predicate in chain:
            found = {
                value
                for term in found
                if isinstance(term, NamedNode)
                for value in self.said.get(term, {}).get(predicate, ())
            }
        return tuple(sorted(found, key=str))

    def name(self, term: Term) -> str:
        """Write a term: a literal's text, a thing's id, a model's label, a concept's own name."""
        if not isinstance(term, NamedNode):
            return shorten(term)
        if term.value.startswith(ID) and keys_of(term)[0] == "label":
            return next(iter(self.names(term, RDFS.label)), shorten(term))
        return shorten(term).removeprefix("ra:")

    def names(self, subject: NamedNode, *chain: NamedNode) -> tuple[str, ...]:
        """Return what a chain of predicates leads to, written out and in order."""
        return tuple(sorted(self.name(value) for value in self.values(subject, *chain)))

    def instances(self, class_: NamedNode) -> Iterator[tuple[NamedNode, set[NamedNode]]]:
        """Yield the instances of a class, each with the graphs that say so."""
        for subject, said in self.said.items():
            if graphs := said.get(RDF.type, {}).get(class_):
                yield subject, graphs

    def parts(
        self, subject: NamedNode, predicates: Iterable[NamedNode]
    ) -> Iterator[tuple[NamedNode, set[NamedNode]]]:
        """Yield the resources that predicates name, each with the graphs that say so."""
        for predicate in predicates:
            for value, graphs in self.said.get(subject, {}).get(predicate, {}).items():
                if isinstance(value, NamedNode):
                    yield value, graphs


def overlay_name(graph: NamedNode) -> str:
    """Return the name of the overlay that a graph belongs to."""
    return unquote(graph.value.removeprefix(OVERLAY_GRAPHS).partition("/")[0])


def overlay_alone(graphs: Iterable[NamedNode]) -> str | None:
    """Return the overlay that states something which no other graph states; the first of several.

    None if a source, a curated table or a rule states it without them.
    """
    graphs = list(graphs)
    if not all(is_overlay(graph) for graph in graphs):
        return None
    return min(overlay_name(graph) for graph in graphs)


def read_asserted(snapshot: Snapshot, *, overlays: bool) -> Facts:
    """Read what the sources and curated tables state, and overlays if asked for."""
    return _read(snapshot, lambda graph: is_asserted(graph) and (overlays or not is_overlay(graph)))


def read_derived(snapshot: Snapshot, *, overlays: bool) -> Facts:
    """Read what the rules derive, and what follows only with overlays if asked for."""
    return _read(snapshot, lambda graph: _is_derived(graph, overlays=overlays))


def _is_derived(graph: NamedNode, *, overlays: bool) -> bool:
    if is_overlay(graph):
        return overlays and not is_asserted(graph)
    return graph.value.startswith(DERIVED_GRAPHS)


def _read(snapshot: Snapshot, wanted: Callable[[NamedNode], bool]) -> Facts:
    said: dict[NamedNode, dict[NamedNode, Said]] = {}
    for quad in named_quads(snapshot.store):
        graph, subject = quad.graph_name, quad.subject
        if isinstance(graph, NamedNode) and isinstance(subject, NamedNode) and wanted(graph):
            values = said.setdefault(subject, {}).setdefault(quad.predicate, {})
            values.setdefault(quad.object, set()).add(graph)
    return Facts(said, snapshot.places)
