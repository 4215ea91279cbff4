"""A snapshot's quads as N-Quads, TriG and JSON-LD: named graphs kept, equal sets, equal bytes."""

from collections.abc import Iterable

from pyoxigraph import NamedNode, Quad, RdfFormat, Store, serialize

from kg.store import is_overlay, named_quads, sorted_nquads
from kg.vocab import PREFIXES


def exported_quads(store: Store, *, overlays: bool) -> list[Quad]:
    """Return the quads of every named graph, in order; those of overlays only if asked for."""
    quads = [
        quad
        for quad in named_quads(store)
        if overlays or not (isinstance(quad.graph_name, NamedNode) and is_overlay(quad.graph_name))
    ]
    return sorted(quads, key=_order)


def _order(quad: Quad) -> tuple[str, str, str, str]:
    return str(quad.graph_name), str(quad.subject), str(quad.predicate), str(quad.object)


def nquads(quads: Iterable[Quad]) -> bytes:
    """Serialise as N-Quads, in the order of the lines."""
    return sorted_nquads(quads)


def trig(quads: Iterable[Quad]) -> bytes:
    """Serialise ordered quads as TriG, with the prefixes that they use in order."""
    content = serialize(quads, format=RdfFormat.TRIG, prefixes=PREFIXES) or b""
    lines = content.splitlines(keepends=True)
    # The serialiser declares prefixes first, one on a line, in an order that differs by run.
    count = next((n for n, line in enumerate(lines) if not line.startswith(b"@prefix ")), 0)
    return b"".join([*sorted(lines[:count]), *lines[count:]])


def jsonld(quads: Iterable[Quad]) -> bytes:
    """Serialise ordered quads as expanded JSON-LD."""
    return serialize(quads, format=RdfFormat.JSON_LD) or b""
