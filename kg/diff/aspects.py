"""What is compared of each kind of record: aspects, each with the predicates that it is read from.

Where a part of a path (a cell, a deployment, an exclusion) is compared, it is compared by what it
says: its IRI holds the release of its source.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode

from kg.diff.facts import Facts
from kg.diff.records import Aspects, Value
from kg.vocab import DCTERMS, PAV, RA, RDFS, SCHEMA, SKOS


@dataclass(frozen=True, slots=True)
class Aspect:
    """One aspect of a record; one that ``claims`` says what the record is support for.

    Where a supporting path loses a value of such an aspect, support for it is withdrawn.
    """

    name: str
    predicates: tuple[NamedNode, ...]
    claims: bool = False
    part: Callable[[Facts, NamedNode], str] | None = None


def read_aspects(facts: Facts, iri: NamedNode, aspects: Sequence[Aspect]) -> Aspects:
    """Read the aspects of which something is said."""
    read = {aspect.name: _values(facts, iri, aspect) for aspect in aspects}
    return {name: values for name, values in read.items() if values}


def _values(facts: Facts, iri: NamedNode, aspect: Aspect) -> frozenset[Value]:
    if aspect.part is None:
        return facts.values(iri, *aspect.predicates)
    found: dict[str, Value] = {}
    for predicate in aspect.predicates:
        for part in facts.iris(iri, predicate):
            text = f"{_BOUNDS.get(predicate, '')}{aspect.part(facts, part)}"
            # A release of software is named by many rows: where it stands says nothing of this one.
            places = () if aspect.part is _release else facts.places(part)
            found.setdefault(text, Value(text, places, facts.overlay(part)))
    return frozenset(found.values())


_BOUNDS: Final = {RA.minRelease: "at least ", RA.maxRelease: "at most "}
_TARGETS: Final = (
    RA.excludesProduct,
    RA.excludesGeneration,
    RA.excludesComponent,
    RA.excludesFeature,
    RA.excludesPrecision,
    RA.excludesCheckpoint,
    RA.excludesLabel,
)


def _release(facts: Facts, part: NamedNode) -> str:
    return " ".join(facts.texts(part, RA.ofComponent, RA.version))


def _cell(facts: Facts, part: NamedNode) -> str:
    role = facts.text(part, RA.cellRole)
    said = "" if role == "RoleUnstated" else f" ({role})"
    hardware = facts.text(part, RA.cellHardware)
    return f"{facts.text(part, RA.cellPrecision)}{said} on {hardware}"


def _deployment(facts: Facts, part: NamedNode) -> str:
    counts = [
        (facts.text(part, RA.deviceCount), facts.text(part, RA.deploymentUnit) or "device"),
        (facts.text(part, RA.nodeCount), "node"),
    ]
    said = [f"{count} x {unit}" for count, unit in counts if count]
    unit = facts.text(part, RA.deploymentUnit)
    said += [f"unit {unit}"] if unit and not counts[0][0] else []
    said += facts.texts(part, RA.parallelism, RA.topology, RA.flag, RA.command)
    return ", ".join(" ".join(text.split()) for text in said)


def _exclusion(facts: Facts, part: NamedNode) -> str:
    kind = facts.text(part, RA.exclusionKind).removesuffix("Exclusion")
    targets = ", ".join(facts.texts(part, *_TARGETS))
    return f"{kind} of {targets}: {facts.text(part, RA.exclusionText)}"


PATH: Final = (
    Aspect("model", (RA.checkpoint, RA.modelLabel), claims=True),
    Aspect("outcome", (RA.outcome,)),
    Aspect("status", (RA.rawStatus,)),
    Aspect("level", (RA.level,)),
    Aspect("maturity", (RA.maturity,)),
    Aspect("basis", (RA.basis,)),
    Aspect("platform", (RA.onPlatform,), claims=True),
    Aspect("generations", (RA.onGeneration,), claims=True),
    Aspect("products", (RA.onProduct,), claims=True),
    Aspect("named products", (RA.namesProduct,)),
    Aspect("hardware scope", (RA.hardwareScope,)),
    Aspect("stack", (RA.stackText,)),
    Aspect("components", (RA.component,), claims=True),
    Aspect("releases", (RA.release, RA.minRelease, RA.maxRelease), part=_release),
    Aspect("integrations", (RA.integration,)),
    Aspect("compile mode", (RA.compileMode,), claims=True),
    Aspect("precisions", (RA.precision,), claims=True),
    Aspect("printed precisions", (RA.printedPrecision,)),
    Aspect("quantization", (RA.quantizationText,)),
    Aspect("cells", (RA.cell,), claims=True, part=_cell),
    Aspect("features", (RA.feature,), claims=True),
    Aspect("printed modes", (RA.printedMode,)),
    Aspect("deployments", (RA.deployment,), part=_deployment),
    Aspect("exclusions", (RA.excludes,), part=_exclusion),
    Aspect("limitations", (RA.limitation,)),
    Aspect("granularity", (RA.targetGranularity,)),
    Aspect("tested model", (RA.testedCheckpoint, RA.testedLabel)),
    Aspect("tested on", (RA.testedOnProduct,)),
    Aspect("draft model", (RA.draftCheckpoint, RA.draftLabel)),
    Aspect("section", (RA.section,)),
)
EVIDENCE: Final = (
    Aspect("url", (SCHEMA.url,)),
    Aspect("publisher", (DCTERMS.publisher,)),
    Aspect("type", (RA.evidenceType,)),
    Aspect("published", (DCTERMS.issued,)),
    Aspect("claim", (RA.claim,)),
)
EVIDENCE_FRESH: Final = (Aspect("checked", (PAV.sourceLastAccessedOn,)),)
DOCUMENT_FRESH: Final = (Aspect("copy SHA-256", (RA.contentSha256,)),)
WORDS: Final = (
    Aspect("class", (RA.printedArchitecture,)),
    Aspect("family", (RA.printedFamily,)),
    Aspect("name", (RA.printedName,)),
    Aspect("parameters", (RA.printedParameters,)),
    Aspect("modality", (RA.printedModality,)),
    Aspect("architecture kind", (RA.printedArchitectureKind,)),
    Aspect("note", (RA.note,)),
    Aspect("section", (RA.section,)),
)
# By kind of thing: its class, the predicates of its key, and its aspects.
MODELS: Final[Mapping[str, tuple[NamedNode, tuple[NamedNode, ...], tuple[Aspect, ...]]]] = {
    "checkpoint": (RA.Checkpoint, (RA.repositoryId,), ()),
    "label": (RA.ModelLabel, (RDFS.label,), ()),
}
REGISTRY: Final[Mapping[str, tuple[NamedNode, tuple[NamedNode, ...], tuple[Aspect, ...]]]] = {
    "platform": (RA.Platform, (SKOS.notation,), ()),
    "generation": (RA.Generation, (SKOS.notation,), (Aspect("platform", (RA.ofPlatform,)),)),
    "product": (
        RA.Product,
        (SKOS.notation,),
        (
            Aspect("kind", (RA.productKind,)),
            Aspect("platform", (RA.ofPlatform,)),
            Aspect("generation", (RA.ofGeneration,)),
            Aspect("contains", (RA.contains,)),
        ),
    ),
    "family": (RA.Family, (SKOS.notation,), ()),
    "class": (RA.Architecture, (SKOS.notation,), ()),
}
