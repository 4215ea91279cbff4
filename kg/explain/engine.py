"""Explain an IRI, or check's answer for a model on a target."""

from collections.abc import Callable
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
from kg.explain.statements import (
    curated_node,
    evidence_node,
    grant_node,
    path_node,
    statement_node,
)
from kg.explain.tree import Branch, Explanation, Kind, Node, branches, context
from kg.iris import keys_of
from kg.vocab import BASE, ID, PROV, RA, RDF, SSSOM

_NODES: Final[dict[NamedNode, Callable[[Reader, NamedNode], Node]]] = {
    RA.CompatibilityInference: inference_node,
    RA.CuratedRow: curated_node,
    RA.Deployment: curated_node,
    RA.Evidence: evidence_node,
    RA.Exclusion: curated_node,
    RA.InferenceGrant: grant_node,
    RA.Integration: curated_node,
    RA.ModelStatement: statement_node,
    RA.Platform: platform_node,
    RA.SourceRelease: release_node,
    RA.SupportPath: path_node,
    PROV.Plan: rule_node,
    SSSOM.Mapping: curated_node,
}
_HINT: Final = "Give an IRI of an answer, or a model and a target."


def explain_iri(backend: Backend, text: str) -> Explanation:
    """Explain what an IRI names, written in full or from its kind on: ``inference/…``.

    Raises:
        UnknownNameError: nothing that can be explained has this IRI; with near misses.
    """
    reader = Reader(backend)
    given = text.strip().removeprefix("<").removesuffix(">")
    full = given if given.startswith(BASE) else ID + given
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
    explains = [_NODES[type_] for type_ in reader.iris(iri, RDF.type) if type_ in _NODES]
    return explains[0](reader, iri) if explains else None


def _written_otherwise(reader: Reader, given: str, full: str) -> Node:
    """Find the IRI by its keys as people read them, without percent-encoding."""
    known = reader.column("explainable", "subject")
    keys = unquote(full.removeprefix(ID))
    for iri in known:
        if "/".join(keys_of(iri)) == keys and (node := _node(reader, iri)):
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
        branches=tuple(_rests_on(Reader(backend), checked, judged)),
    )
    return Explanation(
        root=root,
        snapshot=backend.snapshot,
        verdict=judged.verdict,
        as_of=as_of,
        hints=judged.hints,
    )


def _rests_on(reader: Reader, checked: Checked, judged: Judged) -> list[Branch]:
    stated = [path_node(reader, finding.path.iri) for finding in judged.decisive]
    rests: list[Branch] = []
    if judged.verdict is Verdict.EXCLUDED:
        rests += branches(
            "exclusion", *(curated_node(reader, it.exclusion.iri) for it in judged.exclusions)
        )
        carriers = dict.fromkeys(binding.path.iri for binding in judged.exclusions)
        rests += branches("carried by", *(path_node(reader, path) for path in carriers))
    else:
        rests += branches("statement", *stated)
    if derivation := judged.derivation:
        decides = judged.verdict is Verdict.MAY_WORK
        role = branches if decides else context
        rests += role("class", class_node(reader, checked.iri, derivation.membership))
        rests += role("inference", inference_node(reader, derivation.inference.iri))
    return rests
