"""Hold the quads of one build or snapshot, and what its default graph says."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from pyoxigraph import DefaultGraph, NamedNode, Quad, RdfFormat, Store, serialize

from kg.vocab import CURATED_GRAPHS, ONTOLOGY_GRAPH, OVERLAY_GRAPHS, SOURCE_GRAPHS

Fill: TypeAlias = Callable[[Store], None]
Keep: TypeAlias = Callable[[str, Fill], Store]  # a graph, by its name and how to fill a store
_ASSERTED = (SOURCE_GRAPHS, CURATED_GRAPHS, OVERLAY_GRAPHS)


def in_memory(_name: str, fill: Fill) -> Store:
    """Return a store in memory, filled."""
    store = Store()
    fill(store)
    return store


def is_overlay(graph: NamedNode) -> bool:
    """Tell whether a named graph holds a user's own statements, or what follows from them."""
    return graph.value.startswith(OVERLAY_GRAPHS)


def is_asserted(graph: NamedNode) -> bool:
    """Tell whether a named graph holds what a source, a curator or the ontology says."""
    derived = f"{OVERLAY_GRAPHS}derived/"
    return graph == ONTOLOGY_GRAPH or (
        graph.value.startswith(_ASSERTED) and not graph.value.startswith(derived)
    )


def fill_default_graph(store: Store, graphs: Iterable[NamedNode]) -> None:
    """Add the triples of named graphs to the default graph, each once.

    A set: the union default graph of a store is a bag, in which a checkpoint that two sources name
    counts twice.
    """
    for graph in graphs:
        store.extend(
            Quad(quad.subject, quad.predicate, quad.object)
            for quad in store.quads_for_pattern(None, None, None, graph)
        )


def named_quads(store: Store) -> Iterator[Quad]:
    """Yield the quads of every named graph."""
    default = DefaultGraph()
    return (quad for quad in store if quad.graph_name != default)


def sorted_nquads(quads: Iterable[Quad]) -> bytes:
    """Serialise quads as N-Quads in the order of their lines: equal sets give equal bytes."""
    content = serialize(quads, format=RdfFormat.N_QUADS) or b""
    return b"".join(sorted(set(content.splitlines(keepends=True))))
