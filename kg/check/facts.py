"""What is stated of one checkpoint, read from the graph into records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from pyoxigraph import NamedNode

from kg.backend import Backend, Row, Term
from kg.places import own_places
from kg.queries import query_text
from kg.rows import named
from kg.snapshot import Place
from kg.terms import shorten
from kg.vocab import DCAT, DCTERMS, PAV, PROV, RA, RDF, RDFS, SCHEMA

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One citation under a path; what the source does not give is None."""

    iri: NamedNode
    type: NamedNode
    url: str | None
    publisher: str | None
    issued: date | None
    checked: date | None
    claim: str
    content_sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A precision, in a role, on hardware: a pairing that the source itself makes."""

    precision: NamedNode
    role: NamedNode
    hardware: NamedNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Correctness:
    """How a run's answers were checked, against what, and what came of it."""

    holds: bool
    method: str
    reference: str
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a test report says of its run, besides what any deployment says."""

    ran: date | None
    revision: str
    environment: tuple[str, ...]
    correctness: Correctness | None
    log_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """What a source documents a path with, and ran itself or not; never a minimum or a limit."""

    iri: NamedNode
    devices: int | None
    nodes: int | None
    unit: NamedNode | None
    parallelism: tuple[str, ...]
    topology: str | None
    command: str | None
    flags: tuple[str, ...]
    run: Run | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """What a source says it does not establish; its targets by kind must all be met."""

    iri: NamedNode
    kind: NamedNode
    text: str
    products: frozenset[NamedNode]
    generations: frozenset[NamedNode]
    components: frozenset[NamedNode]
    features: frozenset[NamedNode]
    precisions: frozenset[NamedNode]
    checkpoints: frozenset[NamedNode]
    labels: frozenset[NamedNode]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A release that a path states for a component: exactly, at least, or at most."""

    component: NamedNode
    kind: NamedNode
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """One source's statement about one configuration."""

    iri: NamedNode
    checkpoint: NamedNode
    source: NamedNode
    release: str
    registered: date | None
    overlay: str | None
    outcome: NamedNode
    raw_status: str
    level: NamedNode | None
    maturity: NamedNode
    basis: NamedNode
    platform: NamedNode
    generations: frozenset[NamedNode]
    products: frozenset[NamedNode]
    named_products: frozenset[NamedNode]
    components: frozenset[NamedNode]
    bounds: tuple[Bound, ...]
    stack: str
    compile_mode: str | None
    precisions: frozenset[NamedNode]
    printed_precisions: tuple[str, ...]
    precision_unspecified: bool
    quantization: str | None
    features: frozenset[NamedNode]
    printed_modes: tuple[str, ...]
    cells: tuple[Cell, ...]
    deployments: tuple[Deployment, ...]
    exclusions: tuple[Exclusion, ...]
    tested_variants: tuple[str, ...]
    drafts: tuple[str, ...]
    model_name_only: bool
    hardware_scope: str | None
    limitations: tuple[str, ...]
    citations: tuple[Citation, ...]
    places: tuple[Place, ...]

    @property
    def hardware(self) -> frozenset[NamedNode]:
        """The narrowest hardware that the path is mapped to: products, generations, or platform."""
        return self.products or self.generations or frozenset({self.platform})

    @property
    def newest(self) -> date | None:
        """The last day on which one of its citations was checked."""
        return max((c.checked for c in self.citations if c.checked), default=None)

    @property
    def dated(self) -> date | None:
        """The day that it speaks of: its last test run, or else the last check of a citation."""
        runs = [deployment.run for deployment in self.deployments if deployment.run]
        return max((run.ran for run in runs if run.ran), default=self.newest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A setting that a family needs on a platform; an ambiguous reading is to be shown as such.

    One ``of_class`` is of a family that shares the model's class: it holds if the model is of that
    family, which is not known.
    """

    setting: str
    ambiguous: bool
    of_class: bool
    family: NamedNode
    platform: NamedNode
    component: NamedNode
    why: str
    read_in: str


class _Facts:
    """What is said of subjects: predicate by predicate, in order."""

    def __init__(self, backend: Backend, facts: Mapping[NamedNode, Mapping[NamedNode, list[Term]]]):
        self.backend, self.facts = backend, facts

    def iris(self, subject: NamedNode, predicate: NamedNode) -> tuple[NamedNode, ...]:
        values = self.facts.get(subject, {}).get(predicate, [])
        return tuple(value for value in values if isinstance(value, NamedNode))

    def iri(self, subject: NamedNode, predicate: NamedNode) -> NamedNode | None:
        return next(iter(self.iris(subject, predicate)), None)

    def texts(self, subject: NamedNode, predicate: NamedNode) -> tuple[str, ...]:
        return tuple(shorten(value) for value in self.facts.get(subject, {}).get(predicate, []))

    def text(self, subject: NamedNode, predicate: NamedNode) -> str | None:
        return next(iter(self.texts(subject, predicate)), None)

    def day(self, subject: NamedNode, predicate: NamedNode) -> date | None:
        text = self.text(subject, predicate)
        return date.fromisoformat(text[:10]) if text else None

    def number(self, subject: NamedNode, predicate: NamedNode) -> int | None:
        text = self.text(subject, predicate)
        return int(text) if text else None

    def each(
        self, subject: NamedNode, predicate: NamedNode, read: Callable[[NamedNode], Record]
    ) -> tuple[Record, ...]:
        return tuple(read(part) for part in self.iris(subject, predicate))

    def labels(self, subject: NamedNode, *predicates: NamedNode) -> tuple[str, ...]:
        parts = [part for predicate in predicates for part in self.iris(subject, predicate)]
        return tuple(self.text(part, RDFS.label) or shorten(part) for part in parts)


def read_paths(backend: Backend, checkpoint: NamedNode) -> tuple[Path, ...]:
    """Read every path of a checkpoint, and those of others that exclude it, in order of IRI."""
    facts: dict[NamedNode, dict[NamedNode, list[Term]]] = {}
    rows = backend.select(query_text("facts_about_checkpoint"), {"checkpoint": checkpoint})
    for row in rows:
        subject, predicate = row["subject"], row["predicate"]
        if isinstance(subject, NamedNode) and isinstance(predicate, NamedNode):
            facts.setdefault(subject, {}).setdefault(predicate, []).append(row["value"])
    for said in facts.values():
        for values in said.values():
            values.sort(key=str)
    read = _Facts(backend, facts)
    paths = [subject for subject, said in facts.items() if RA.rowKey in said and RA.outcome in said]
    return tuple(_path(read, path) for path in sorted(paths, key=lambda path: path.value))


def _path(facts: _Facts, iri: NamedNode) -> Path:
    release = _one(facts.iri(iri, DCTERMS.isPartOf))
    precisions = frozenset(facts.iris(iri, RA.precision))
    printed = facts.texts(iri, RA.printedPrecision)
    return Path(
        iri=iri,
        checkpoint=_one(facts.iri(iri, RA.checkpoint)),
        source=_one(facts.iri(release, RA.ofSource)),
        release=facts.text(release, DCAT.version) or "",
        registered=facts.day(release, PROV.generatedAtTime),
        overlay=facts.text(release, RA.fromOverlay),
        outcome=_one(facts.iri(iri, RA.outcome)),
        raw_status=facts.text(iri, RA.rawStatus) or "",
        level=facts.iri(iri, RA.level),
        maturity=_one(facts.iri(iri, RA.maturity)),
        basis=_one(facts.iri(iri, RA.basis)),
        platform=_one(facts.iri(iri, RA.onPlatform)),
        generations=frozenset(facts.iris(iri, RA.onGeneration)),
        products=frozenset(facts.iris(iri, RA.onProduct)),
        named_products=frozenset(facts.iris(iri, RA.namesProduct)),
        components=frozenset(facts.iris(iri, RA.component)),
        bounds=_bounds(facts, iri),
        stack=facts.text(iri, RA.stackText) or "",
        compile_mode=facts.text(iri, RA.compileMode),
        precisions=precisions,
        printed_precisions=printed,
        precision_unspecified=len(printed) > len(precisions),
        quantization=facts.text(iri, RA.quantizationText),
        features=frozenset(facts.iris(iri, RA.feature)),
        printed_modes=facts.texts(iri, RA.printedMode),
        cells=facts.each(iri, RA.cell, lambda part: _cell(facts, part)),
        deployments=facts.each(iri, RA.deployment, lambda part: _deployment(facts, part)),
        exclusions=facts.each(iri, RA.excludes, lambda part: _exclusion(facts, part)),
        tested_variants=facts.labels(iri, RA.testedLabel, RA.testedCheckpoint),
        drafts=facts.labels(iri, RA.draftLabel, RA.draftCheckpoint),
        model_name_only=RA.ModelName in facts.iris(iri, RA.targetGranularity),
        hardware_scope=facts.text(iri, RA.hardwareScope),
        limitations=facts.texts(iri, RA.limitation),
        citations=facts.each(iri, RA.evidence, lambda part: _citation(facts, part)),
        places=own_places(facts.backend, iri),
    )


def _one(term: NamedNode | None) -> NamedNode:
    if term is None:
        raise LookupError("a path lacks a part that its shapes demand")
    return term


def _bounds(facts: _Facts, path: NamedNode) -> tuple[Bound, ...]:
    return tuple(
        Bound(
            component=_one(facts.iri(release, RA.ofComponent)),
            kind=kind,
            version=facts.text(release, RA.version) or "",
        )
        for kind in (RA.release, RA.minRelease, RA.maxRelease)
        for release in facts.iris(path, kind)
    )


def _cell(facts: _Facts, iri: NamedNode) -> Cell:
    return Cell(
        precision=_one(facts.iri(iri, RA.cellPrecision)),
        role=_one(facts.iri(iri, RA.cellRole)),
        hardware=_one(facts.iri(iri, RA.cellHardware)),
    )


def _deployment(facts: _Facts, iri: NamedNode) -> Deployment:
    return Deployment(
        iri=iri,
        devices=facts.number(iri, RA.deviceCount),
        nodes=facts.number(iri, RA.nodeCount),
        unit=facts.iri(iri, RA.deploymentUnit),
        parallelism=facts.texts(iri, RA.parallelism),
        topology=facts.text(iri, RA.topology),
        command=facts.text(iri, RA.command),
        flags=facts.texts(iri, RA.flag),
        run=_run(facts, iri) if RA.TestRun in facts.iris(iri, RDF.type) else None,
    )


def _run(facts: _Facts, iri: NamedNode) -> Run:
    holds = facts.text(iri, RA.correctnessHolds)
    return Run(
        ran=facts.day(iri, DCTERMS.date),
        revision=facts.text(iri, RA.checkpointRevision) or "",
        environment=facts.texts(iri, RA.environmentText),
        correctness=None
        if holds is None
        else Correctness(
            holds=holds in ("true", "1"),
            method=facts.text(iri, RA.correctnessMethod) or "",
            reference=facts.text(iri, RA.correctnessReference) or "",
            result=facts.text(iri, RA.correctnessResult) or "",
        ),
        log_sha256=facts.text(_one(facts.iri(iri, RA.log)), RA.contentSha256) or "",
    )


def _exclusion(facts: _Facts, iri: NamedNode) -> Exclusion:
    return Exclusion(
        iri=iri,
        kind=_one(facts.iri(iri, RA.exclusionKind)),
        text=facts.text(iri, RA.exclusionText) or "",
        products=frozenset(facts.iris(iri, RA.excludesProduct)),
        generations=frozenset(facts.iris(iri, RA.excludesGeneration)),
        components=frozenset(facts.iris(iri, RA.excludesComponent)),
        features=frozenset(facts.iris(iri, RA.excludesFeature)),
        precisions=frozenset(facts.iris(iri, RA.excludesPrecision)),
        checkpoints=frozenset(facts.iris(iri, RA.excludesCheckpoint)),
        labels=frozenset(facts.iris(iri, RA.excludesLabel)),
        places=facts.backend.places(iri),
    )


def _citation(facts: _Facts, iri: NamedNode) -> Citation:
    publisher = facts.iri(iri, DCTERMS.publisher)
    document = facts.iri(iri, RA.document)
    return Citation(
        iri=iri,
        type=_one(facts.iri(iri, RA.evidenceType)),
        url=facts.text(iri, SCHEMA.url),
        publisher=(facts.text(publisher, RDFS.label) or shorten(publisher)) if publisher else None,
        issued=facts.day(iri, DCTERMS.issued),
        checked=facts.day(iri, PAV.sourceLastAccessedOn),
        claim=facts.text(iri, RA.claim) or "",
        content_sha256=facts.text(document, RA.contentSha256) if document else None,
    )


def read_requirements(backend: Backend, checkpoint: NamedNode) -> tuple[Requirement, ...]:
    """Read the settings that a checkpoint's families need, on whichever platform."""
    rows = backend.select(query_text("requirements_of_checkpoint"), {"checkpoint": checkpoint})
    return tuple(_requirement(row, of_class=False) for row in rows)


def read_requirements_of_class(
    backend: Backend, architecture: NamedNode
) -> tuple[Requirement, ...]:
    """Read the settings that the families need which a source prints under a class."""
    rows = backend.select(query_text("requirements_of_class"), {"architecture": architecture})
    return tuple(_requirement(row, of_class=True) for row in rows)


def _requirement(row: Row, *, of_class: bool) -> Requirement:
    return Requirement(
        setting=shorten(row["setting"]),
        ambiguous=row["reading"] == RA.AmbiguousReading,
        of_class=of_class,
        family=named(row["family"]),
        platform=named(row["platform"]),
        component=named(row["component"]),
        why=shorten(row["why"]),
        read_in=shorten(row["readIn"]),
    )
