"""Explain an IRI, or check's answer for a model on a target."""

from collections.abc import Callable, Iterator
from datetime import date
from difflib import get_close_matches
from typing import Final
from urllib.parse import unquote

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.check.engine import Checked, Request, check
from kg.check.verdict import Judged, Verdict
from kg.errors import UnknownNameError, UsageError
from kg.explain.derivations import (
    class_node,
    inference_node,
    platform_node,
    release_node,
    rule_node,
)
from kg.explain.reading import Reader
from kg.explain.resting import stated_branches
from kg.explain.statements import (
    curated_node,
    evidence_node,
    grant_node,
    path_node,
    registered_node,
    run_node,
    statement_node,
)
from kg.explain.tree import Branch, Explanation, Kind, Node, branches, context
from kg.iris import keys_of
from kg.terms import shorten
from kg.vocab import BASE, ID, PROV, RA, RDF, SSSOM

# In the order in which they are looked up: a run is a deployment, too.
_NODES: Final[dict[NamedNode, Callable[[Reader, NamedNode], Node]]] = {
    RA.TestRun: run_node,
    RA.Deployment: curated_node,
    RA.CompatibilityInference: inference_node,
    RA.CuratedRow: curated_node,
    RA.Evidence: evidence_node,
    RA.Exclusion: curated_node,
    RA.InferenceGrant: grant_node,
    RA.Integration: curated_node,
    RA.ModelStatement: statement_node,
    RA.Platform: platform_node,
    RA.Feature: registered_node,
    RA.Generation: registered_node,
    RA.Precision: registered_node,
    RA.Product: registered_node,
    RA.SourceRelease: release_node,
    RA.SupportPath: path_node,
    PROV.Plan: rule_node,
    SSSOM.Mapping: curated_node,
}
_HINT: Final = "Give an IRI of an answer, or a model and a target."


def explain_iri(backend: Backend, text: str) -> Explanation:
    """Explain what an IRI names, in full, relative to our base, or from its kind on.

    These are ``https://w3id.org/runatlas/id/inference/…``, ``id/inference/…``, ``inference/…``.

    Raises:
        UnknownNameError: nothing that can be explained has this IRI; with near misses.
    """
    reader = Reader(backend)
    given = text.strip().removeprefix("<").removesuffix(">")
    full = given if given.startswith(BASE) else ID + given.removeprefix(ID.removeprefix(BASE))
    iri = _as_given(full)
    node = _node(reader, iri) if iri else None
    return Explanation(
        root=node or _written_otherwise(reader, given, full), snapshot=backend.snapshot
    )


def _as_given(text: str) -> NamedNode | None:
    try:
        return NamedNode(text)
    except ValueError:  # a space, say: keys as people read them
        return None


def _node(reader: Reader, iri: NamedNode) -> Node | None:
    types = reader.iris(iri, RDF.type)
    explains = [explain for type_, explain in _NODES.items() if type_ in types]
    return explains[0](reader, iri) if explains else None


def _written_otherwise(reader: Reader, given: str, full: str) -> Node:
    """Find the IRI by its keys as people read them, without percent-encoding."""
    if given in {shorten(row["id"]) for row in reader.select("repository_ids")}:
        raise UsageError(f"{given} is a model: give a target, too.")
    known = reader.column("explainable", "subject")
    whole = unquote(full.removeprefix(ID))
    meant = [iri for iri in known if "/".join(keys_of(iri)) == whole]
    # A table shows the keys of a thing without its kind.
    meant = meant or [iri for iri in known if "/".join(keys_of(iri)[1:]) == whole]
    if len(meant) > 1:
        raise UsageError(
            f"{given!r} may be {' or '.join(it.value.removeprefix(ID) for it in meant)}."
        )
    if meant and (node := _node(reader, meant[0])):
        return node
    wanted = full.removeprefix(ID)
    kind = wanted.partition("/")[0] + "/"
    alike = [key for iri in known if (key := iri.value.removeprefix(ID)).startswith(kind)]
    near = get_close_matches(wanted, alike, n=3)
    raise UnknownNameError("statement or inference", given, near, hint=_HINT)


def explain_answer(backend: Backend, request: Request, *, as_of: date) -> Explanation:
    """Explain the verdict that ``check`` gives for a model on one target.

    Raises:
        UnknownNameError: a target that the registry does not hold.
        UsageError: not one target; a malformed repository id or class.
    """
    checked = check(backend, request, as_of=as_of)
    if len(request.targets) != 1:
        raise UsageError("Explain a model on one target.")
    judged = checked.targets[0]
    root = Node(
        kind=Kind.ANSWER,
        says=f"{checked.model} on {judged.target.id}: {judged.verdict.value}",
        branches=tuple(_branches(Reader(backend), checked, judged)),
    )
    return Explanation(
        root=root,
        snapshot=backend.snapshot,
        verdict=judged.verdict,
        as_of=as_of,
        hints=judged.hints,
        known=checked.known,
        near=checked.near,
        left_out=judged.left_out,
    )


def _branches(reader: Reader, checked: Checked, judged: Judged) -> Iterator[Branch]:
    yield from stated_branches(reader, checked, judged)
    if derivation := judged.derivation:
        decides = judged.verdict is Verdict.MAY_WORK
        role = branches if decides else context
        yield from role("class", class_node(reader, checked.iri, derivation.membership))
        yield from role("inference", inference_node(reader, derivation.inference.iri))
