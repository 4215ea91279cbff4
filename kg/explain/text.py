"""An explanation as text for a terminal of 80 columns: what it comes to, then the tree."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from kg.check.verdict import Verdict
from kg.explain.tree import Bearing, Explanation, Kind, Node, Withdrawal
from kg.explain.tree_text import tree_lines, walk, wrapped

_NOTHING: Final = (
    "Nothing is stated of it here, and nothing derived: there is nothing to explain. "
    "No evidence in this graph is not a statement that it does not work."
)
_EXACT: Final = "This is stated of exactly what was asked for, or of something narrower."
_MEANINGS: Final = {
    Verdict.CONFLICTING: "Statements of one configuration contradict each other.",
    Verdict.MIXED: "Statements of exactly what was asked for, or of something narrower, differ.",
    Verdict.SUPPORTED: _EXACT,
    Verdict.LIMITED: _EXACT,
    Verdict.FAILING: _EXACT,
    Verdict.UNSUPPORTED: _EXACT,
    Verdict.NEGATIVE_UNSPECIFIED: _EXACT,
    Verdict.OTHER_VARIANT: "What is stated is of a variant of the model, not of the model itself.",
    Verdict.EXCLUDED: "A source says that it does not establish this.",
    Verdict.UNTESTED: "A source lists this as untested.",
    Verdict.PLANNED: "A source lists this as planned.",
    Verdict.NOT_ITEMISED: "The parts asked for are not stated together.",
    Verdict.OTHER_CONFIGURATION: "What is stated is of another configuration than was asked for.",
    Verdict.NAMED_NOT_MAPPED: "The product is named in the text of a source, and not mapped.",
    Verdict.WIDER_SCOPE: "What is stated covers the generation or platform, and names no product.",
    Verdict.MAY_WORK: "No source states this: it is derived, of a class; no level, no evidence.",
    Verdict.NO_EVIDENCE: _NOTHING,
}


def as_text(explanation: Explanation) -> str:
    """Return an explanation as text: what takes it away comes before the tree."""
    root = explanation.root
    lines = [*wrapped("", root.says)]
    for text in _summary(explanation):
        lines += wrapped("", text)
    if explanation.withdrawals:
        lines += ["", *_consequence(explanation)]
    if root.branches or not explanation.verdict:
        lines += ["", *tree_lines(root)]
    as_of = f", as of {explanation.as_of.isoformat()}" if explanation.as_of else ""
    lines += ["", f"snapshot {explanation.snapshot}{as_of}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _summary(explanation: Explanation) -> Iterator[str]:
    if not explanation.known:
        near = f" Did you mean {' or '.join(explanation.near)}?" if explanation.near else ""
        yield f"No source here names this repository.{near}"
    rests = _rests_on(explanation.root)
    if explanation.verdict:
        yield " ".join([_MEANINGS[explanation.verdict], *rests])
    else:
        yield from rests
    if explanation.left_out:
        several = "statement is" if explanation.left_out == 1 else "statements are"
        yield f"{explanation.left_out} {several} left out: checked after that day."
    for hint in explanation.hints:
        yield f"hint: {hint}"


def _rests_on(root: Node) -> Iterator[str]:
    """Yield how much a node rests on, by whose word, and how much more is shown."""
    borne = dict.fromkeys(_bearing(root))
    counts = Counter(node.kind for node in borne if node != root)
    texts = [
        _count(counts[Kind.ASSERTED], "thing that sources state", "things that sources state"),
        _count(counts[Kind.CURATED], "curated row", "curated rows"),
        _count(counts[Kind.RULE], "rule", "rules"),
        _count(counts[Kind.SUPPLIED], "class that you gave", "classes that you gave"),
    ]
    said = [text for text in texts if text]
    more = len(dict.fromkeys(walk(root))) - len(borne)
    shown = f"; {more} more {'is' if more == 1 else 'are'} shown as context" if more else ""
    if said:
        *most, last = said
        yield f"It rests on {', '.join(most)}{' and ' if most else ''}{last}{shown}."


def _bearing(node: Node) -> Iterator[Node]:
    yield node
    for branch in node.branches:
        if branch.bearing is not Bearing.CONTEXT:
            yield from _bearing(branch.node)


def _count(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}" if count else ""


def _consequence(explanation: Explanation) -> Iterator[str]:
    verdict = explanation.verdict
    what = f"The verdict {verdict.value} falls" if verdict else "It falls"
    several = len(explanation.withdrawals) > 1
    yield f"{what} without {'any one of these' if several else 'this'}:"
    for withdrawal in explanation.withdrawals:
        yield from _withdrawal(withdrawal)


def _withdrawal(withdrawal: Withdrawal) -> Iterator[str]:
    leaves = f"; then {withdrawal.leaves.value}" if withdrawal.leaves else ""
    if len(withdrawal.nodes) > 1:
        count = len(withdrawal.nodes)
        said = f"every {withdrawal.role}, all {count}{leaves}; one less leaves the others"
        yield from wrapped("  - ", said)
        return
    node = withdrawal.nodes[0]
    at = ", ".join(map(str, node.places))
    yield from wrapped("  - ", f"{withdrawal.role}: {node.says}{f' ({at})' if at else ''}{leaves}")
