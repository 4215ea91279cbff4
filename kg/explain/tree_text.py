"""The lines of a tree: each node once; one met again, or like another, is named by its number."""

import textwrap
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from typing import Final

from kg.explain.tree import Bearing, Branch, Cited, Kind, Node, ReleaseOf

WIDTH: Final = 80
_NARROWEST: Final = 40
_ROW: Final = "row"


def tree_lines(root: Node) -> Iterator[str]:
    """Yield the lines of a tree, within 80 columns but for addresses and keys."""
    yield from _Tree(root).lines()


class _Tree:
    def __init__(self, root: Node) -> None:
        self._root = root
        self._written: set[Node] = set()
        met = Counter(walk(root))
        first: dict[Hashable, Node] = {}
        for node in met:
            first.setdefault(_likeness(node), node)
        self._like = {node: like for node in met if (like := first[_likeness(node)]) != node}
        named = {*self._like.values(), *(node for node, times in met.items() if times > 1)}
        self._numbers = {node: n for n, node in enumerate((n for n in met if n in named), 1)}

    def lines(self) -> Iterator[str]:
        yield from self._node(self._root, "", "", "")

    def _node(self, node: Node, heading: str, first: str, rest: str) -> Iterator[str]:
        self._written.add(node)
        number = f" #{self._numbers[node]}" if node in self._numbers else ""
        start = f"{first}[{node.kind.value}]{number} {heading}"
        if node in self._like and self._like[node] in self._written:
            yield from self._short(node, start, rest + "     ")
            return
        below = rest + ("│  " if node.branches else "   ")
        yield from wrapped(start, node.says, below + "  ")
        for label, text in _details(node):
            yield from wrapped(below + label, text, below + "  ")
        yield from self._branches(node, rest)

    def _short(self, node: Node, start: str, rest: str) -> Iterator[str]:
        """Yield what tells a statement from one like it: model, place, and what its row prints."""
        like = self._numbers[self._like[node]]
        yield from wrapped(start, f"{node.about}, else as #{like}, at {_at(node)}", rest)
        for row in (branch.node for branch in node.branches if branch.role == _ROW):
            if row in self._written:
                yield f"{rest}row as above: #{self._numbers[row]}"
                continue
            self._written.add(row)
            at = "" if row.places == node.places else f", at {_at(row)}"
            number = f" #{self._numbers[row]}" if row in self._numbers else ""
            printed = row.says.removeprefix(f"{row.about}: ")
            yield from wrapped(f"{rest}row{number}: ", printed + at, rest + "  ")

    def _branches(self, node: Node, rest: str) -> Iterator[str]:
        """Yield each branch; context that only says again what is above shares the last line."""
        shared = [
            branch
            for branch in node.branches
            if branch.node in self._written and branch.bearing is Bearing.CONTEXT
        ]
        own = [branch for branch in node.branches if branch not in shared]
        ordinals = _ordinals(node.branches)
        for branch in own:
            last = branch is own[-1] and not shared
            heading = f"{branch.role}{ordinals[branch]}: "
            first = rest + ("└─ " if last else "├─ ")
            below = rest + ("   " if last else "│  ")
            if branch.node in self._written:
                number = self._numbers[branch.node]
                said = f"{branch.node.about or branch.node.says}, at {_at(branch.node)}"
                yield from wrapped(f"{first}#{number} {heading}", said, below + "  ")
            else:
                yield from self._node(branch.node, heading, first, below)
        if shared:
            said = ", ".join(f"#{self._numbers[branch.node]} {branch.role}" for branch in shared)
            yield from wrapped(f"{rest}└─ as above: ", said, rest + "     ")


def _likeness(node: Node) -> Hashable:
    """Return what statements share that differ by model, place and what their rows print alone."""
    if not node.about or not node.branches:
        return node
    rows = tuple(
        (branch.bearing, branch.node.kind, branch.node.quotes, branch.node.release)
        for branch in node.branches
        if branch.role == _ROW
    )
    others = tuple(branch for branch in node.branches if branch.role != _ROW)
    said = node.says.removeprefix(node.about)
    return node.kind, said, node.quotes, node.release, rows, others


def _at(node: Node) -> str:
    return ", ".join(map(str, node.places)) or "no place noted"


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and each one below it, as often as it bears."""
    yield node
    for branch in node.branches:
        yield from walk(branch.node)


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
        yield "at ", _at(node) + release
    elif node.kind is Kind.DERIVED and node.iri:
        yield "", node.iri
    elif node.iri:
        yield "", "no place noted"


def _release(release: ReleaseOf) -> str:
    own = f" (your own, from {release.overlay})" if release.overlay else ""
    days = (
        ("registered", release.registered),
        ("reviewed", release.reviewed),
        ("last checked", release.checked),
    )
    given = [f"{what} {day.isoformat()}" for what, day in days if day]
    day = given[0] if given else "no date given"
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


def wrapped(first: str, text: str, rest: str | None = None) -> Iterator[str]:
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
