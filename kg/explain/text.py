"""An explanation as text for a terminal of 80 columns: the tree, then what takes it away."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from kg.explain.tree import (
    Bearing,
    Branch,
    Cited,
    Explanation,
    Kind,
    Node,
    ReleaseOf,
    Withdrawal,
)

WIDTH: Final = 80
_NARROWEST: Final = 40
_NOTHING: Final = (
    "Nothing is stated of it here, and nothing derived: there is nothing to explain. "
    "No evidence in this graph is not a statement that it does not work."
)


def as_text(explanation: Explanation) -> str:
    """Return an explanation as text; a node that bears twice is written once, with a number."""
    lines = [*_Tree(explanation.root).lines()]
    if not explanation.root.branches and explanation.verdict:
        lines += _wrapped("", _NOTHING)
    lines += [line for hint in explanation.hints for line in _wrapped("hint: ", hint)]
    if explanation.withdrawals:
        lines += ["", "It falls without any one of these:"]
        lines += [line for each in explanation.withdrawals for line in _withdrawal(each)]
    as_of = f", as of {explanation.as_of.isoformat()}" if explanation.as_of else ""
    lines += ["", f"snapshot {explanation.snapshot}{as_of}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


class _Tree:
    """The lines of a tree: a node met again is named by the number of its first appearance."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._numbers: dict[Node, int] = {}
        self._written: set[Node] = set()
        met = Counter(_walk(root))
        for node in dict.fromkeys(_walk(root)):
            if met[node] > 1:
                self._numbers[node] = len(self._numbers) + 1

    def lines(self) -> Iterator[str]:
        yield from self._node(self._root, "", "", "")

    def _node(self, node: Node, heading: str, first: str, rest: str) -> Iterator[str]:
        self._written.add(node)
        number = f" #{self._numbers[node]}" if node in self._numbers else ""
        below = rest + ("│  " if node.branches else "   ")
        start = f"{first}[{node.kind.value}]{number} "
        yield from _wrapped(start, heading + node.says, below + "  ")
        for label, text in _details(node):
            yield from _wrapped(below + label, text, below + "  ")
        yield from self._branches(node, rest)

    def _branches(self, node: Node, rest: str) -> Iterator[str]:
        """Yield each branch; those that only say again what is above share the last line."""
        again = [branch for branch in node.branches if branch.node in self._written]
        fresh = [branch for branch in node.branches if branch.node not in self._written]
        ordinals = _ordinals(node.branches)
        for branch in fresh:
            last = branch is fresh[-1] and not again
            yield from self._node(
                branch.node,
                f"{branch.role}{ordinals[branch]}: ",
                rest + ("└─ " if last else "├─ "),
                rest + ("   " if last else "│  "),
            )
        if again:
            said = [f"#{self._numbers[b.node]} {b.role}{ordinals[b]}" for b in again]
            yield from _wrapped(f"{rest}└─ as above: ", ", ".join(said), rest + "     ")


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for branch in node.branches:
        yield from _walk(branch.node)


def _ordinals(branches: Iterable[Branch]) -> dict[Branch, str]:
    several: dict[str, list[Branch]] = {}
    for branch in branches:
        several.setdefault(branch.role, []).append(branch)
    return {
        branch: f" {number} of {len(group)}" if branch.bearing is Bearing.ONE_OF else ""
        for group in several.values()
        for number, branch in enumerate(group, 1)
    }


def _details(node: Node) -> Iterator[tuple[str, str]]:
    for quote in node.quotes:
        yield f"{quote.what}: ", f'"{quote.text}"'
    if node.cited:
        yield from _cited(node.cited)
    if node.places:
        release = f" in {_release(node.release)}" if node.release else ""
        yield "at ", ", ".join(map(str, node.places)) + release
    elif node.kind is Kind.DERIVED and node.iri:
        yield "", node.iri
    elif node.iri:
        yield "", "no place noted"


def _release(release: ReleaseOf) -> str:
    own = f" (your own, from {release.overlay})" if release.overlay else ""
    day = "no date given"
    if release.registered:
        day = f"registered {release.registered.isoformat()}"
    elif release.reviewed:
        day = f"reviewed {release.reviewed.isoformat()}"
    return f"{release.source} {release.version}{own}, {day}"


def _cited(cited: Cited) -> Iterator[tuple[str, str]]:
    said = [cited.publisher or "publisher not given"]
    said.append(f"published {cited.published}" if cited.published else "publication date unknown")
    said.append(f"checked {cited.checked}" if cited.checked else "check date not given")
    if cited.registered:
        said.append(f"copy registered {cited.registered}")
    yield "by ", ", ".join(said)
    if cited.url:
        yield "", cited.url
    else:
        sha = cited.content_sha256
        yield "", f"no address given; a copy with SHA-256 {sha[:12]}" if sha else "no address given"


def _withdrawal(withdrawal: Withdrawal) -> Iterator[str]:
    if len(withdrawal.nodes) > 1:
        said = f"every {withdrawal.role}, all {len(withdrawal.nodes)}; one less leaves the others"
        yield from _wrapped("  - ", said)
        return
    node = withdrawal.nodes[0]
    at = ", ".join(map(str, node.places))
    yield from _wrapped("  - ", f"{withdrawal.role}: {node.says}{f' ({at})' if at else ''}")


def _wrapped(first: str, text: str, rest: str | None = None) -> Iterator[str]:
    """Wrap a text behind a guide; an address stays whole, so that it can be copied."""
    rest = " " * len(first) if rest is None else rest
    width = max(WIDTH, len(rest) + _NARROWEST)
    yield from textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first]
