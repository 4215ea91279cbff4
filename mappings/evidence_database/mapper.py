"""Map the evidence database: each of its entries, under the release that the document names."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from kg.iris import mint_checkpoint, mint_part
from kg.quads import describe
from kg.vocab import DCTERMS, OA, PAV, RA, RDF, SCHEMA, XSD
from mappings.addresses import mint_document
from mappings.curated.tables import LEVELS
from mappings.evidence_database.records import EvidenceDatabase, EvidenceItem, Model, SupportPath
from mappings.source_text import NUMBER, shorten
from mappings.statements import (
    Placed,
    Release,
    checkpoint_quads,
    family_iri,
    map_cell,
    map_family,
    map_path,
    map_stack,
)

EVIDENCE_TYPES: Final = {
    "vendor_docs": RA.VendorDocs,
    "vendor_report": RA.VendorReport,
    "upstream_docs": RA.UpstreamDocs,
    "independent_test": RA.IndependentTestReport,
}
MODALITIES: Final = {"text": RA.Text, "text + vision": RA.TextAndVision}
ARCHITECTURE_KINDS: Final = {
    "Dense decoder-only transformer": RA.DenseDecoderOnly,
    "Mixture-of-Experts": RA.MixtureOfExperts,
}
_SCALE: Final = {"B": 10**9, "M": 10**6}
_COUNTS: Final = {
    "total": RA.totalParameters,
    "": RA.totalParameters,
    "active": RA.activeParameters,
    "experts": RA.expertCount,
}
_COUNT: Final = re.compile(rf"({NUMBER})([BM]?)(?: (total|active|experts))?")


def unknown_tokens(document: EvidenceDatabase, release: Release) -> Iterator[tuple[str, str]]:
    """Yield the pointer of each value that no curated table or value table knows, and why."""
    registry = release.registry
    for model in document.models:
        yield from _fault(model.pointer, "publisher", registry.organisations.fault, model.publisher)
        for field, value, known in (
            ("modality", model.modality, MODALITIES),
            ("architecture", model.architecture, ARCHITECTURE_KINDS),
        ):
            if value not in known:
                message = f"{field} {shorten(value)!r} is not one of {', '.join(map(repr, known))}"
                yield f"{model.pointer}/{field}", message
        if read_parameter_count(model.parameter_count) is None:
            printed = shorten(model.parameter_count)
            message = f"parameter_count {printed!r} does not have a known form"
            yield f"{model.pointer}/parameter_count", message
    for path in document.support_paths:
        yield from _unknown_in_path(path, release)


def _unknown_in_path(path: SupportPath, release: Release) -> Iterator[tuple[str, str]]:
    registry = release.registry
    single = (
        ("platform_id", registry.platforms.fault, path.platform_id),
        ("software_stack", registry.stacks.fault, path.software_stack),
        ("support_level", registry.statuses.fault, path.support_level),
    )
    for field, fault, value in single:
        yield from _fault(path.pointer, field, fault, value)
    several = (
        ("product_ids", registry.products.fault, path.product_ids),
        ("integration_ids", registry.integrations.fault, path.integration_ids),
        ("precision_modes", registry.precisions.fault, path.precision_modes),
        ("execution_modes", registry.features.fault, path.execution_modes),
    )
    for field, fault, values in several:
        for index, value in enumerate(values):
            yield from _fault(path.pointer, f"{field}/{index}", fault, value)
    for item in path.evidence:
        yield from _fault(item.pointer, "publisher", registry.organisations.fault, item.publisher)


def _fault(
    pointer: str, field: str, fault: Callable[[str, str], str | None], value: str
) -> Iterator[tuple[str, str]]:
    message = fault(field.partition("/")[0], value)
    if message:
        yield f"{pointer}/{field}", message


def map_evidence_database(document: EvidenceDatabase, release: Release) -> Iterator[Placed]:
    """Map every entry of a document in which ``unknown_tokens`` finds nothing."""
    yield Placed("", tuple(_map_document(document, release)))
    checkpoints = {model.id: mint_checkpoint(model.model_id) for model in document.models}
    for position, model in enumerate(document.models, 1):
        yield Placed(model.pointer, tuple(_map_model(model, position, release)))
    for path in document.support_paths:
        checkpoint = checkpoints[path.model_id]
        yield Placed(path.pointer, tuple(_map_support_path(path, checkpoint, release)))
        for number, item in enumerate(path.evidence, 1):
            yield Placed(item.pointer, tuple(_map_evidence(item, number, path.id, release)))


def _map_document(document: EvidenceDatabase, release: Release) -> Iterator[Quad]:
    yield from describe(
        release.graph,
        release.iri,
        (RA.schemaVersion, document.schema_version),
        (RA.lastReviewed, document.last_reviewed),
        (RA.scopeText, document.scope),
    )
    for level, text in document.support_levels.items():
        yield from describe(
            release.graph,
            release.mint("level-definition", level),
            (RDF.type, RA.LevelDefinition),
            (DCTERMS.isPartOf, release.iri),
            (RA.definedLevel, LEVELS[level]),
            (RA.definitionText, text),
        )


def _map_model(model: Model, position: int, release: Release) -> Iterator[Quad]:
    checkpoint = mint_checkpoint(model.model_id)
    kind = ARCHITECTURE_KINDS[model.architecture]
    yield from checkpoint_quads(release.graph, model.model_id)
    yield from map_family(release, model.family)
    yield from describe(
        release.graph,
        checkpoint,
        (RA.publisher, release.registry.organisations[model.publisher]),
        (RA.family, family_iri(release.source, model.family)),
        (RA.modality, MODALITIES[model.modality]),
        (RA.architectureKind, kind),
        *(read_parameter_count(model.parameter_count) or ()),
    )
    yield from describe(
        release.graph,
        release.mint("statement", model.id),
        (RDF.type, RA.ModelStatement),
        (DCTERMS.isPartOf, release.iri),
        (RA.ofCheckpoint, checkpoint),
        (RA.rowKey, model.id),
        (RA.position, position),
        (RA.printedName, model.display_name),
        (RA.printedFamily, model.family),
        (RA.printedParameters, model.parameter_count),
        (RA.printedModality, model.modality),
        (RA.printedArchitectureKind, model.architecture),
        (RA.architectureKind, kind),
        (RA.note, model.notes),
    )


def read_parameter_count(text: str) -> tuple[tuple[NamedNode, int], ...] | None:
    """Read a count such as ``235B total / 22B active``; None if it has another form."""
    counts = []
    for part in text.split(" / "):
        match = _COUNT.fullmatch(part)
        if not match or (match[3] == "experts") == bool(match[2]):
            return None
        scaled = float(match[1]) * _SCALE.get(match[2], 1)
        counts.append((_COUNTS[match[3] or ""], round(scaled)))
    return tuple(counts)


def _map_support_path(path: SupportPath, checkpoint: NamedNode, release: Release) -> Iterator[Quad]:
    registry = release.registry
    iri = release.mint("path", path.id)
    readings = [registry.precisions[token] for token in path.precision_modes]
    products = [registry.products[product] for product in path.product_ids]
    yield from map_path(release, (path.id,), registry.statuses[path.support_level])
    yield from map_stack(release, iri, path.software_stack, registry.stacks[path.software_stack])
    yield from describe(
        release.graph,
        iri,
        (RA.checkpoint, checkpoint),
        (RA.onPlatform, registry.platforms[path.platform_id]),
        (RA.onProduct, products),
        (RA.integration, [registry.integrations[name] for name in path.integration_ids]),
        (RA.printedPrecision, path.precision_modes),
        (RA.precision, [r.precision for r in readings if r.precision]),
        (RA.quantizationText, path.quantization),
        (RA.printedMode, path.execution_modes),
        (RA.feature, [registry.features[token] for token in path.execution_modes]),
        (RA.hardwareScope, path.hardware_scope),
        (RA.limitation, path.limitations),
        (RA.evidence, [mint_part("evidence", iri, str(n + 1)) for n in range(len(path.evidence))]),
    )
    # One product leaves nothing to pair, and one precision goes with each product that is listed.
    if len(products) == 1 or len(readings) == 1:
        for reading in readings:
            for product in products:
                yield from map_cell(release.graph, iri, reading, product)


def _map_evidence(
    item: EvidenceItem, number: int, path_id: str, release: Release
) -> Iterator[Quad]:
    path = release.mint("path", path_id)
    document = mint_document(item.url)
    url = Literal(item.url, datatype=XSD.anyURI)
    yield from describe(
        release.graph,
        mint_part("evidence", path, str(number)),
        (RDF.type, (RA.Evidence, OA.Annotation)),
        (OA.hasTarget, path),
        (RA.evidenceType, EVIDENCE_TYPES[item.type]),
        (RA.document, document),
        (SCHEMA.url, url),
        (DCTERMS.publisher, release.registry.organisations[item.publisher]),
        (DCTERMS.issued, item.published_at),
        (PAV.sourceLastAccessedOn, item.checked_at),
        (RA.claim, item.claim),
    )
    yield from describe(release.graph, document, (RDF.type, RA.Document), (SCHEMA.url, url))
