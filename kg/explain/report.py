"""An explanation as JSON: the tree, each node with its kind, words, places and document."""

from datetime import date
from typing import Any

from kg.explain.tree import Branch, Cited, Explanation, Node, ReleaseOf


def as_json(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as JSON values; a node that bears twice stands there twice."""
    return {
        "verdict": explanation.verdict and explanation.verdict.value,
        "as_of": _day(explanation.as_of),
        "known": explanation.known,
        "did_you_mean": list(explanation.near),
        "statements_after_as_of": explanation.left_out,
        "hints": list(explanation.hints),
        "falls_without": [
            {
                "role": withdrawal.role,
                "nodes": [
                    {"iri": node.iri, "text": node.says, "places": _places(node)}
                    for node in withdrawal.nodes
                ],
                "leaves": withdrawal.leaves and withdrawal.leaves.value,
            }
            for withdrawal in explanation.withdrawals
        ],
        "tree": _node(explanation.root),
        "snapshot": explanation.snapshot,
    }


def _node(node: Node) -> dict[str, Any]:
    return {
        "kind": node.kind.value,
        "iri": node.iri,
        "text": node.says,
        "quotes": [{"what": quote.what, "text": quote.text} for quote in node.quotes],
        "places": _places(node),
        "release": node.release and _release(node.release),
        "document": node.cited and _cited(node.cited),
        "children": [_branch(branch) for branch in node.branches],
    }


def _branch(branch: Branch) -> dict[str, Any]:
    return {"role": branch.role, "bearing": branch.bearing.value, **_node(branch.node)}


def _release(release: ReleaseOf) -> dict[str, Any]:
    return {
        "source": release.source,
        "version": release.version,
        "registered": _day(release.registered),
        "reviewed": _day(release.reviewed),
        "checked": _day(release.checked),
        "overlay": release.overlay,
    }


def _cited(cited: Cited) -> dict[str, Any]:
    return {
        "publisher": cited.publisher,
        "url": cited.url,
        "published": _day(cited.published),
        "checked": _day(cited.checked),
        "registered": _day(cited.registered),
        "content_sha256": cited.content_sha256,
    }


def _places(node: Node) -> list[str]:
    return [str(place) for place in node.places]


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
