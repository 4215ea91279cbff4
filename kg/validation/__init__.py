"""Validate a store against shapes/.

``shapes/asserted`` and ``shapes/warnings`` are checked over the default graph, which holds what is
asserted now, and ``shapes/derived`` over that and the derived graphs. Both kinds of constraints are
checked set-wise: core constraints are searched for nodes that may break them, which pyshacl then
checks one by one, and SPARQL constraints are asked of all nodes at once.
"""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
    "asserted",
    "check",
    "derived",
    "focus_nodes",
    "read_shapes",
    "validate",
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
    with _uncollected():
        return _validate(store, places)


def _validate(store: Store, places: Mapping[str, set[Place]]) -> Report:
    found: set[Result] = set()
    nodes: set[Term] = set()
    count = 0
    stated = Places(places, store)
    seen = Store()
    for folders, quads in (((ASSERTED, WARNINGS), asserted(store)), ((DERIVED,), derived(store))):
        seen.bulk_extend(quads)
        data = Data(seen)
        shapes = read_shapes(file for folder in folders for file in folder.glob("*.ttl"))
        count += len(shapes.rules)
        nodes |= data.focus_nodes(shapes)
        found.update(
            replace(result, places=stated.of(result, shapes)) for result in _check(data, shapes)
        )
    return write_report(found, f"shapes: {count}, focus nodes: {len(nodes)}")


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage meanwhile: nearly all that is made lives to the end."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


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


def asserted(store: Store) -> Iterator[Quad]:
    """Yield what shapes/asserted and shapes/warnings are checked over.

    In a store of its own each look-up passes over half as many quads: the named graphs state all
    that is asserted once more.
    """
    return store.quads_for_pattern(None, None, None, DefaultGraph())


def derived(store: Store) -> Iterator[Quad]:
    """Yield what shapes/derived are checked over too, as quads of the default graph."""
    for graph in store.named_graphs():
        if isinstance(graph, NamedNode) and graph.value.startswith(_DERIVED_GRAPHS):
            for quad in store.quads_for_pattern(None, None, None, graph):
                yield Quad(*quad.triple)
