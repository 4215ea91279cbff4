"""Validate a store against shapes/.

``shapes/asserted`` and ``shapes/warnings`` are checked over the default graph, which holds what is
asserted now, and ``shapes/derived`` over that and the derived graphs. Both kinds of constraints are
checked set-wise: core constraints are searched for nodes that may break them, which pyshacl then
checks one by one, and SPARQL constraints are asked of all nodes at once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from pyoxigraph import DefaultGraph, NamedNode, Quad, Store

from kg.backend import Term
from kg.resources import SHAPES
from kg.snapshot import Place
from kg.validation.candidates import candidates
from kg.validation.data import Data, focus_nodes
from kg.validation.engine import Engine
from kg.validation.places import Places
from kg.validation.queries import query_results
from kg.validation.report import Report, write_report
from kg.validation.results import Result
from kg.validation.shapes import Shapes, read_shapes
from kg.vocab import DERIVED_GRAPHS, OVERLAY_GRAPHS

__all__ = (
    "ASSERTED",
    "DERIVED",
    "WARNINGS",
    "Report",
    "Result",
    "Shapes",
    "check",
    "focus_nodes",
    "read_shapes",
    "validate",
    "with_derived",
)

ASSERTED: Final = SHAPES / "asserted"
DERIVED: Final = SHAPES / "derived"
WARNINGS: Final = SHAPES / "warnings"

_DERIVED_GRAPHS: Final = (DERIVED_GRAPHS, f"{OVERLAY_GRAPHS}derived/")


def validate(store: Store, places: Mapping[str, set[Place]]) -> Report:
    """Check a store against every shape; the same store and places give the same bytes.

    Raises:
        ShapesError: the shapes themselves are not usable.
    """
    found: set[Result] = set()
    nodes: set[Term] = set()
    count = 0
    stated = Places(places, store)
    for folders, graph in (((ASSERTED, WARNINGS), store), ((DERIVED,), with_derived(store))):
        data = Data(graph)
        shapes = read_shapes(file for folder in folders for file in folder.glob("*.ttl"))
        count += len(shapes.rules)
        nodes |= data.focus_nodes(shapes)
        found.update(
            replace(result, places=stated.of(result, shapes)) for result in _check(data, shapes)
        )
    return write_report(found, f"shapes: {count}, focus nodes: {len(nodes)}")


def check(store: Store, shapes: Shapes) -> Iterator[Result]:
    """Yield what breaks shapes in a store's default graph, in no order.

    Raises:
        ShapesError: a shape is not usable, or its query means something else when it is asked of
            all nodes at once.
    """
    return _check(Data(store), shapes)


def _check(data: Data, shapes: Shapes) -> Iterator[Result]:
    engine = Engine(data.store, shapes)
    yield from query_results(data, shapes, engine)
    found = {shape: candidates(data, shapes, shape) for shape in shapes.targeted()}
    yield from engine.results(
        {shape: nodes for shape, nodes in found.items() if nodes is None or nodes}, sparql=False
    )


def with_derived(store: Store) -> Store:
    """Return a store whose default graph also holds the derived graphs of another."""
    whole = Store()
    whole.bulk_extend(store.quads_for_pattern(None, None, None, DefaultGraph()))
    for graph in store.named_graphs():
        if isinstance(graph, NamedNode) and graph.value.startswith(_DERIVED_GRAPHS):
            quads = store.quads_for_pattern(None, None, None, graph)
            whole.bulk_extend(Quad(*quad.triple) for quad in quads)
    return whole
