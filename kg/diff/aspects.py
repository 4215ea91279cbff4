"""What is compared of each kind of record: aspects, each with the predicates that it is read from.

Where a part of a path (a cell, a deployment, an exclusion) is compared, it is compared by what it
says: its IRI holds the release of its source. Whatever is said by a predicate that no aspect names
is an aspect too, called as the predicate is: nothing is left out but what stands in this module as
left out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode

from kg.diff.facts import Facts, in_words
from kg.diff.records import Aspects, Value
from kg.vocab import DCAT, DCTERMS, OA, PAV, PROV, RA, RDF, RDFS, SCHEMA, SKOS


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
    said = facts.said(iri).keys()
    return {
        aspect.name: _values(facts, iri, aspect)
        for aspect in aspects
        if not said.isdisjoint(aspect.predicates)
    }


@dataclass(frozen=True, slots=True)
class Reading:
    """How all that is said of something is read: by aspects, then by any predicate not named."""

    aspects: tuple[Aspect, ...]
    named: frozenset[NamedNode]


def reading(aspects: Sequence[Aspect], left_out: frozenset[NamedNode]) -> Reading:
    """Return how something is read of which some predicates are left out."""
    kept = tuple(aspect for aspect in aspects if left_out.isdisjoint(aspect.predicates))
    return Reading(kept, left_out.union(*(aspect.predicates for aspect in kept)))


def read_all(facts: Facts, iri: NamedNode, how: Reading) -> Aspects:
    """Read the aspects of which something is said, then what is said by any other predicate."""
    read = dict(read_aspects(facts, iri, how.aspects))
    for predicate in _others(facts, iri, how.named):
        name = _name(predicate)
        read[name] = read.get(name, frozenset()) | facts.values(iri, predicate)
    return read


def read_notes(facts: Facts, iri: NamedNode) -> Aspects:
    """Read why something stands here, and where that was read."""
    said = facts.said(iri).keys() & NOTES
    return {_name(predicate): facts.values(iri, predicate) for predicate in said}


def _others(facts: Facts, iri: NamedNode, named: frozenset[NamedNode]) -> list[NamedNode]:
    others = facts.said(iri).keys() - named - NOTES
    return sorted(others, key=lambda predicate: predicate.value)


def _name(predicate: NamedNode) -> str:
    return "RDF type" if predicate == RDF.type else in_words(predicate)


def _values(facts: Facts, iri: NamedNode, aspect: Aspect) -> frozenset[Value]:
    if aspect.part is None:
        return facts.values(iri, *aspect.predicates)
    found: dict[str, Value] = {}
    for predicate in aspect.predicates:
        for part in facts.iris(iri, predicate):
            text = f"{_BOUNDS.get(predicate, '')}{aspect.part(facts, part)}"
            if aspect.part is not _release:
                facts.tell(part)
            # A release of software is named by many rows: where it stands says nothing of this one.
            places = () if aspect.part is _release else facts.places(part)
            found.setdefault(text, Value(text, places, facts.overlay(part)))
    return frozenset(found.values())


_BOUNDS: Final = {RA.minRelease: "at least ", RA.maxRelease: "at most "}
# Why a curated row stands here and where that was read, and what the ontology's terms mean.
NOTES: Final = frozenset(
    (
        *(RA.curates, RA.justification, RA.readIn),
        *(RDFS.isDefinedBy, SKOS.definition, SKOS.scopeNote),
    )
)
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
    text = f"{facts.text(part, RA.cellPrecision)}{said} on {hardware}"
    named = (RA.cellPrecision, RA.cellRole, RA.cellHardware)
    return ", ".join([text, *_more(facts, part, *named)])


def _deployment(facts: Facts, part: NamedNode) -> str:
    counts = [
        (facts.text(part, RA.deviceCount), facts.text(part, RA.deploymentUnit) or "device"),
        (facts.text(part, RA.nodeCount), "node"),
    ]
    said = [f"{count} x {unit}" for count, unit in counts if count]
    unit = facts.text(part, RA.deploymentUnit)
    said += [f"unit {unit}"] if unit and not counts[0][0] else []
    texts = (RA.parallelism, RA.topology, RA.flag, RA.command)
    said += facts.texts(part, *texts)
    said += _more(facts, part, RA.deviceCount, RA.deploymentUnit, RA.nodeCount, *texts)
    return ", ".join(" ".join(text.split()) for text in said)


def _exclusion(facts: Facts, part: NamedNode) -> str:
    kind = facts.text(part, RA.exclusionKind).removesuffix("Exclusion")
    targets = ", ".join(facts.texts(part, *_TARGETS))
    text = f"{kind} of {targets}: {facts.text(part, RA.exclusionText)}"
    named = (RA.exclusionKind, RA.exclusionText, *_TARGETS)
    return ", ".join([text, *_more(facts, part, *named)])


def _more(facts: Facts, part: NamedNode, *named: NamedNode) -> Iterator[str]:
    """Write what else is said of a part: of a run, its day, its log and what was checked."""
    for predicate in _others(facts, part, frozenset((RDF.type, *named))):
        yield f"{_name(predicate)} {', '.join(facts.texts(part, predicate))}"


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
    Aspect("unstated modes", (RA.unstatedMode,)),
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
    Aspect("printed architecture kind", (RA.printedArchitectureKind,)),
    Aspect("note", (RA.note,)),
    Aspect("section", (RA.section,)),
)
_NAMED: Final = (
    Aspect("label", (RDFS.label, SKOS.prefLabel)),
    Aspect("aliases", (SKOS.altLabel,)),
    Aspect("id", (SKOS.notation, RA.repositoryId)),
    Aspect("within", (SKOS.broader,)),
    Aspect("kind", (RA.productKind, RA.featureKind, RA.documentKind)),
    Aspect("platform", (RA.ofPlatform,)),
    Aspect("generation", (RA.ofGeneration,)),
)
_READING: Final = (
    *_NAMED,
    Aspect("address", (SCHEMA.url,)),
    Aspect("absence means", (RA.absenceMeans,)),
    Aspect("licenses inference", (RA.licensesInference,)),
)
# By kind of thing: its class, and the predicates of its key.
Kinds = Mapping[str, tuple[NamedNode, tuple[NamedNode, ...]]]
MODELS: Final[Kinds] = {
    "checkpoint": (RA.Checkpoint, (RA.repositoryId,)),
    "label": (RA.ModelLabel, (RDFS.label,)),
}
REGISTRY: Final[Kinds] = {
    "platform": (RA.Platform, (SKOS.notation,)),
    "generation": (RA.Generation, (SKOS.notation,)),
    "product": (RA.Product, (SKOS.notation,)),
    "family": (RA.Family, (SKOS.notation,)),
    "class": (RA.Architecture, (SKOS.notation,)),
}

# What is left out of a difference in support, and why.
# Citations are compared as such.
PATH_LEFT_OUT: Final = frozenset((RA.evidence,))
# They name the paths that the citation is joined by, and when it was checked: how fresh it is.
EVIDENCE_LEFT_OUT: Final = frozenset((OA.hasTarget, PAV.sourceLastAccessedOn))
# Where in its document a model is named: a row that moves says the same.
WORDS_LEFT_OUT: Final = frozenset((RA.position, RA.row, RA.rowKey))
# Shortcuts of what sources print of the checkpoint, which is compared source by source.
MODEL_LEFT_OUT: Final = frozenset((RA.architecture, RA.family))
# How fresh a source or a document is.
READING_LEFT_OUT: Final[Mapping[NamedNode, frozenset[NamedNode]]] = {
    RA.Document: frozenset((RA.contentSha256, PROV.generatedAtTime)),
    RA.SourceRelease: frozenset(
        (DCAT.version, RA.lastReviewed, RA.schemaVersion, PROV.generatedAtTime, RDFS.label)
    ),
}

READ_PATH: Final = reading(PATH, PATH_LEFT_OUT)
READ_EVIDENCE: Final = reading(EVIDENCE, EVIDENCE_LEFT_OUT)
READ_WORDS: Final = reading(WORDS, WORDS_LEFT_OUT)
READ_THING: Final = reading(_NAMED, MODEL_LEFT_OUT)
READ_OTHER: Final = reading(_READING, frozenset())
READ_OF_CLASS: Final[Mapping[NamedNode, Reading]] = {
    type_: reading(_READING, left_out) for type_, left_out in READING_LEFT_OUT.items()
}
