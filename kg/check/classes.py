"""Which class a checkpoint belongs to, on whose word, and what that class may run on.

Decision D4: derived compatibility is of a class. Who belongs to the class is answered here, at
question time, and its basis is always said.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from pyoxigraph import NamedNode

from kg.backend import Backend, Row
from kg.check.question import Configuration
from kg.inferences import Inference, read_inferences
from kg.iris import mint_iri
from kg.names import Named
from kg.queries import query_text
from kg.rows import grouped, named
from kg.snapshot import Place
from kg.terms import shorten
from kg.vocab import RA


class ClassBasis(StrEnum):
    """On whose word a checkpoint belongs to a class."""

    STATED = "stated by a source"
    SUPPLIED = "supplied by the asker"
    ASSUMED = "assumed from family"


@dataclass(frozen=True, slots=True)
class Witness:
    """A listed path whose row shows the class, with its place."""

    path: NamedNode
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """One class of a checkpoint; ``contested`` names other classes that are stated for it."""

    name: str
    basis: ClassBasis
    stated_by: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    family: NamedNode | None = None
    aligned: NamedNode | None = None
    mapping: NamedNode | None = None
    mapping_places: tuple[Place, ...] = ()
    witnesses: tuple[Witness, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFacts:
    """A checkpoint's class, what is derived for it, and why it may not inherit.

    ``refused`` is the class that a strict question does not accept; ``derived_classes`` holds, by
    platform, the classes for which something is derived.
    """

    membership: Membership | None
    refused: Membership | None
    inferences: tuple[Inference, ...]
    variant_of: str | None
    derived_classes: Mapping[NamedNode, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class MayWork:
    """A derived answer: the class-level inference, and the basis of the checkpoint's class."""

    membership: Membership
    inference: Inference


def read_class_facts(
    backend: Backend, model: str, iri: NamedNode, asked: Configuration
) -> ClassFacts:
    """Read a checkpoint's class by the first basis that gives one, and its inferences."""
    membership = _membership(backend, iri, asked)
    variant = asked.variant or _variant(backend, model, iri)
    inferences: tuple[Inference, ...] = ()
    if membership:
        inferences = read_inferences(backend, mint_iri("architecture", membership.name))
    derived = grouped(backend.select(query_text("derived_classes"), {}), "platform")
    return ClassFacts(
        membership=membership,
        refused=_assumed(backend, iri) if asked.strict and not membership else None,
        inferences=inferences,
        variant_of=variant,
        derived_classes={
            platform: tuple(shorten(row["class"]) for row in rows)
            for platform, rows in derived.items()
        },
    )


def _membership(backend: Backend, iri: NamedNode, asked: Configuration) -> Membership | None:
    rows = backend.select(query_text("classes_of_checkpoint"), {"checkpoint": iri})
    stated = sorted({shorten(row["class"]) for row in rows})
    supplied = asked.supplied_class
    if stated:
        name = supplied if supplied in stated else stated[0]
        others = {*stated, *([supplied] if supplied else [])} - {name}
        staters = {_stater(row) for row in rows if shorten(row["class"]) == name}
        return Membership(
            name=name,
            basis=ClassBasis.STATED,
            stated_by=tuple(sorted(staters)),
            contested=tuple(sorted(others)),
        )
    if supplied:
        return Membership(name=supplied, basis=ClassBasis.SUPPLIED)
    return None if asked.strict else _assumed(backend, iri)


def _stater(row: Row) -> str:
    source = shorten(row["source"])
    return f"{source} (your own, from {shorten(row['overlay'])})" if "overlay" in row else source


def _assumed(backend: Backend, iri: NamedNode) -> Membership | None:
    """Return the one class that a licensing source prints for the aligned family, if it is one."""
    rows = backend.select(query_text("classes_of_aligned_families"), {"checkpoint": iri})
    if len({row["class"] for row in rows}) != 1:
        return None
    first = rows[0]
    mapping = named(first["mapping"])
    paths = [named(row["path"]) for row in rows if row["aligned"] == first["aligned"]]
    return Membership(
        name=shorten(first["class"]),
        basis=ClassBasis.ASSUMED,
        stated_by=tuple(sorted({_stater(row) for row in rows})),
        family=named(first["family"]),
        aligned=named(first["aligned"]),
        mapping=mapping,
        mapping_places=backend.places(mapping),
        witnesses=tuple(Witness(path, backend.places(path)) for path in dict.fromkeys(paths)),
    )


def _variant(backend: Backend, model: str, iri: NamedNode) -> str | None:
    """Say why a checkpoint does not inherit from its class: it is quantised, or an adapter."""
    for row in backend.select(query_text("lineage_of_checkpoint"), {"checkpoint": iri}):
        if row["predicate"] in (RA.quantizedFrom, RA.adapterOf):
            return f"it is stated to be {shorten(row['predicate'])} {shorten(row['parent'])}"
    known = [shorten(row["word"]) for row in backend.select(query_text("variant_words"), {})]
    words = re.split(r"[^a-z0-9]+", model.rpartition("/")[2].lower())
    marks = [word for word in words if any(re.fullmatch(pattern, word) for pattern in known)]
    return f"its name marks a quantised or adapter upload ({marks[0]})" if marks else None


def may_work(facts: ClassFacts, target: Named, asked: Configuration) -> MayWork | None:
    """Return the derivation that answers a question, if one does.

    It speaks of a class on a platform with a stack: of no product, precision, feature or count.
    """
    if not facts.membership or facts.variant_of or asked.narrows:
        return None
    for inference in facts.inferences:
        made = inference.made is None or inference.made <= asked.as_of
        if made and inference.platform == target.iri and _stack_allows(inference, asked):
            return MayWork(facts.membership, inference)
    return None


def _stack_allows(inference: Inference, asked: Configuration) -> bool:
    if asked.stack is None:
        return True
    return asked.stack.component.iri in inference.components and asked.stack.version is None


def hints(facts: ClassFacts, target: Named, asked: Configuration) -> Iterator[str]:
    """Say what would help where nothing answers."""
    known = facts.derived_classes.get(target.iri, ())
    if not known:
        return
    if facts.variant_of:
        yield f"A class-level answer is not lent to it: {facts.variant_of}."
    elif facts.membership is None:
        yield _class_hint(facts)
    elif facts.membership.name not in known:
        yield _unknown_class_hint(facts.membership.name, known, target)
    elif asked.narrows:
        parts = (
            ("precision", asked.precision),
            ("features", asked.features),
            ("a number of devices", asked.count),
        )
        silent = " or ".join(name for name, given in parts if given)
        yield f"A class-level answer exists; its licence says nothing of {silent}."
    elif asked.stack:
        yield "A class-level answer exists, but not for this stack or release."


def _class_hint(facts: ClassFacts) -> str:
    if facts.refused:
        name = facts.refused.name
        return f"The class {name} is only assumed from its family, which --strict refuses."
    return "Its class is not stated here: give it with --architecture CLASS or --config FILE."


def _unknown_class_hint(name: str, known: tuple[str, ...], target: Named) -> str:
    folded = {class_.casefold(): class_ for class_ in known}
    near = [folded[match] for match in get_close_matches(name.casefold(), folded, n=2)]
    alike = f" {' and '.join(near)} look alike, but a class is matched exactly." if near else ""
    return f"Nothing is derived for the class {name} on {target.id}.{alike}"
