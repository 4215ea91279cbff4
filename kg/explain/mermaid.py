"""An explanation as a Mermaid flowchart: each node once, derived ones and their edges dashed."""

import re
from collections.abc import Iterator
from typing import Final

from kg.explain.tree import Bearing, Branch, Explanation, Kind, Node
from kg.printable import printable

# Only these stand in a label as themselves; the rest is written by its number, as Mermaid reads it.
_PLAIN: Final = re.compile(r"[^\w .,:/()+=-]")
_STYLES: Final = {
    Kind.ANSWER: "stroke-width:3px",
    Kind.DERIVED: "stroke-dasharray:6 4",
    Kind.ASSERTED: "stroke-width:1px",
    Kind.CURATED: "fill:#fff8dc,color:#000",
    Kind.RULE: "fill:#e6e6fa,color:#000",
    Kind.SUPPLIED: "fill:#f0f0f0,color:#000",
}
_DASHED: Final = frozenset({Kind.ANSWER, Kind.DERIVED})


def as_mermaid(explanation: Explanation) -> str:
    """Return an explanation as a flowchart; equal trees give equal text."""
    ids: dict[Node, str] = {}
    edges: dict[str, None] = {}
    _collect(explanation.root, ids, edges)
    lines = ["flowchart TD"]
    lines += [f'  {id_}["{_label(node)}"]:::{node.kind.value}' for node, id_ in ids.items()]
    lines += [f"  {edge}" for edge in edges]
    lines += [f"  classDef {kind.value} {style}" for kind, style in _STYLES.items()]
    return "\n".join(lines) + "\n"


def _collect(node: Node, ids: dict[Node, str], edges: dict[str, None]) -> None:
    """Number the nodes in the order of the tree; a node that bears twice has two edges."""
    ids[node] = f"n{len(ids)}"
    for branch in node.branches:
        if branch.node not in ids:
            _collect(branch.node, ids, edges)
        edges[_edge(ids[node], node, branch, ids[branch.node])] = None


def _edge(start: str, node: Node, branch: Branch, end: str) -> str:
    bearing = "" if branch.bearing is Bearing.CONTEXT else f" ({branch.bearing.value})"
    arrow = "-.->" if node.kind in _DASHED else "-->"
    return f'{start} {arrow}|"{_escaped(branch.role + bearing)}"| {end}'


def _label(node: Node) -> str:
    return "<br/>".join(_escaped(line) for line in _lines(node))


def _lines(node: Node) -> Iterator[str]:
    yield f"{node.kind.value}: {node.says}"
    for quote in node.quotes:
        yield f"{quote.what}: “{quote.text}”"
    if node.cited:
        yield node.cited.url or "no address given"
        yield f"checked {node.cited.checked}" if node.cited.checked else "check date not given"
    for place in node.places:
        yield f"at {place}"
    if node.release:
        yield f"in {node.release.source} {node.release.version}"


def _escaped(text: str) -> str:
    return _PLAIN.sub(lambda match: f"#{ord(match[0])};", printable(text))
