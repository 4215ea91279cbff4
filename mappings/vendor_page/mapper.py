"""Map a vendor's page: each repository id of its tables is one path, each quick start another.

Decisions D1 and D2 of docs/decisions/0001-design.md. The page names a product line and no product;
it carries no address, publisher or date, and none is supplied here (rule R52): its one piece of
evidence is the copy itself, known by its hash.
"""

import re
from collections.abc import Iterator
from typing import Final

from pyoxigraph import NamedNode, Quad

from kg.iris import mint_checkpoint, mint_iri
from kg.quads import describe
from kg.vocab import DCTERMS, OA, PROV, RA, RDF, SKOS
from mappings.json_text import parse_json
from mappings.source_description import SourceDescription
from mappings.source_text import NUMBER
from mappings.statements import (
    Placed,
    Release,
    checkpoint_quads,
    family_iri,
    map_cell,
    map_family,
    map_path,
    map_stack,
    registered_at,
)
from mappings.vendor_page.records import (
    ModelRow,
    QuantizationRow,
    QuickStart,
    Section,
    Statement,
    VendorPage,
)

STACK: Final = "vLLM"
COMPILE_MODE: Final = "AOT"
LISTED: Final = "validated"
QUICK_START: Final = "Quick start"
MODALITIES: Final = {
    Section.TEXT_ONLY: RA.Text,
    Section.MULTIMODAL: RA.TextAndVision,
    Section.EMBEDDING: RA.Embedding,
    Section.AUDIO: RA.Audio,
}
_PRECISION_FLAGS: Final = ("--quantization", "--kv-cache-dtype")
_SPECULATIVE: Final = "--speculative-config"
_SCALE: Final = {"B": 10**9, "M": 10**6}
_ONE_COUNT: Final = re.compile(rf"({NUMBER})([BM])(?: \(({NUMBER})([BM]) active\))?")


def unknown_tokens(page: VendorPage, release: Release, platform: str) -> Iterator[tuple[int, str]]:
    """Yield the line of each value that no curated table knows, and why."""
    registry = release.registry
    checks = [
        (page.intro.line, registry.platforms.fault("platform", platform)),
        (page.intro.line, registry.stacks.fault("stack", STACK)),
        (page.intro.line, registry.statuses.fault("status", LISTED)),
    ]
    for row in page.quantizations:
        checks.append((row.line, registry.precisions.fault("quantization", row.quantization)))
    for start in page.quick_starts:
        checks.append((start.line, registry.statuses.fault("status", QUICK_START)))
        for token in _precision_tokens(start):
            checks.append((start.line, registry.precisions.fault("flag", token)))
        for token in _feature_tokens(start):
            checks.append((start.line, registry.features.fault("flag", token)))
    yield from ((line, message) for line, message in checks if message)


def map_vendor_page(
    page: VendorPage, release: Release, description: SourceDescription, platform: str
) -> Iterator[Placed]:
    """Map every row and command of a page in which ``unknown_tokens`` finds nothing."""
    mapper = _PageMapper(page, release, release.registry.platforms[platform])
    yield Placed(page.intro.line, tuple(mapper.map_page(description)))
    yield Placed(page.compatibility.line, tuple(mapper.map_grant(description)))
    for row in page.quantizations:
        yield Placed(row.line, tuple(mapper.map_quantization(row)))
    for model in page.models:
        yield Placed(model.line, tuple(mapper.map_model_row(model)))
    for start in page.quick_starts:
        yield Placed(start.line, tuple(mapper.map_quick_start(start)))


class _PageMapper:
    """The page around a row: its intro, notes and quantization table speak of many rows."""

    def __init__(self, page: VendorPage, release: Release, platform: NamedNode) -> None:
        self.page, self.release, self.platform = page, release, platform
        self.graph = release.graph
        self.evidence = release.mint("evidence", "page")

    def map_page(self, description: SourceDescription) -> Iterator[Quad]:
        """Describe the release and the copy that stands as its evidence."""
        page = self.page
        document = self.release.mint("document")
        notes = [page.title, *page.notes, page.reference]
        yield from describe(
            self.graph,
            self.release.iri,
            (RA.scopeText, page.intro.text),
            (RA.scopeCompileMode, COMPILE_MODE),
            (RA.note, [note.text for note in notes]),
        )
        yield from describe(
            self.graph,
            document,
            (RDF.type, (RA.Document, PROV.Entity)),
            (RA.documentKind, RA.TableDocument),
            (RA.contentSha256, description.original_sha256),
            (PROV.generatedAtTime, registered_at(description)),
        )
        yield from describe(
            self.graph,
            self.evidence,
            (RDF.type, (RA.Evidence, OA.Annotation)),
            (RA.evidenceType, RA.VendorDocs),
            (RA.document, document),
            (RA.claim, page.intro.text),
        )

    def map_grant(self, description: SourceDescription) -> Iterator[Quad]:
        """State the licence to infer, where the source gives one (decision D4)."""
        if description.licenses_inference == "none":
            return
        yield from describe(
            self.graph,
            self.release.mint("grant"),
            (RDF.type, RA.InferenceGrant),
            (DCTERMS.isPartOf, self.release.iri),
            (RA.grants, RA.SameArchitecture),
            (RA.grantText, self.page.compatibility.text),
        )

    def map_model_row(self, row: ModelRow) -> Iterator[Quad]:
        """Map one row: a model statement and a path for each of its repository ids."""
        yield from describe(
            self.graph,
            mint_iri("architecture", row.architecture),
            (RDF.type, (RA.Architecture, SKOS.Concept)),
            (SKOS.prefLabel, row.architecture),
            (SKOS.notation, row.architecture),
            (SKOS.inScheme, RA.Architectures),
        )
        yield from map_family(self.release, row.family)
        for position, repository_id in enumerate(row.repository_ids, 1):
            yield from self._map_listed(row, repository_id, position)

    def _map_listed(self, row: ModelRow, repository_id: str, position: int) -> Iterator[Quad]:
        row_key = ("listed", *repository_id.split("/"))
        checkpoint = mint_checkpoint(repository_id)
        alone = len(row.repository_ids) == 1
        yield from checkpoint_quads(self.graph, repository_id)
        yield from describe(
            self.graph,
            checkpoint,
            (RA.architecture, mint_iri("architecture", row.architecture)),
            (RA.family, family_iri(self.release.source, row.family)),
            (RA.modality, MODALITIES[row.section]),
            *(_read_parameters(row.parameters) if alone and row.parameters else ()),
        )
        yield from describe(
            self.graph,
            self.release.mint("statement", *row_key),
            (RDF.type, RA.ModelStatement),
            (DCTERMS.isPartOf, self.release.iri),
            (RA.ofCheckpoint, checkpoint),
            (RA.rowKey, "/".join(row_key)),
            (RA.section, row.section),
            (RA.row, row.row),
            (RA.position, position),
            (RA.printedArchitecture, row.architecture),
            (RA.printedFamily, row.family),
            (RA.printedParameters, row.parameters),
        )
        yield from self._map_path(row_key, LISTED, checkpoint, row.section)
        path = self.release.mint("path", *row_key)
        for quantization in self.page.quantizations:
            if quantization.section is row.section:
                reading = self.release.registry.precisions[quantization.quantization]
                yield from self._map_precision(path, quantization.quantization)
                yield from map_cell(self.graph, path, reading, self.platform)
        yield from describe(
            self.graph, path, (RA.limitation, [s.text for s in self._caveats(row.section)])
        )

    def _caveats(self, section: Section) -> Iterator[Statement]:
        yield from (note for place, note in self.page.section_notes if place is section)
        if section is Section.MULTIMODAL:
            yield from self.page.multimodal_limitations

    def map_quick_start(self, start: QuickStart) -> Iterator[Quad]:
        """Map one command: a recipe for exactly its repository id; its flags are no limits."""
        row_key = ("quick-start", *start.repository_id.split("/"))
        path = self.release.mint("path", *row_key)
        deployment = self.release.mint("deployment", *row_key, "command")
        registry = self.release.registry
        yield from checkpoint_quads(self.graph, start.repository_id)
        yield from self._map_path(
            row_key, QUICK_START, mint_checkpoint(start.repository_id), start.title
        )
        for token in _precision_tokens(start):
            yield from self._map_precision(path, token)
            yield from map_cell(self.graph, path, registry.precisions[token], self.platform)
        features = list(_feature_tokens(start))
        yield from describe(
            self.graph,
            path,
            (RA.printedMode, features),
            (RA.feature, [registry.features[token] for token in features]),
            (RA.deployment, deployment),
        )
        yield from describe(
            self.graph,
            deployment,
            (RDF.type, RA.Deployment),
            (RA.command, start.command),
            (RA.flag, [f"{name} {value}" if value else name for name, value in start.flags]),
        )

    def map_quantization(self, row: QuantizationRow) -> Iterator[Quad]:
        """Keep the table's own advice, which is neither a level nor a requirement."""
        reading = self.release.registry.precisions[row.quantization]
        yield from describe(
            self.graph,
            self.release.mint("quantization", row.section, row.quantization),
            (RDF.type, RA.QuantizationStatement),
            (DCTERMS.isPartOf, self.release.iri),
            (RA.section, row.section),
            (RA.printedPrecision, row.quantization),
            (RA.precision, reading.precision),
            (RA.scopeText, row.scope.text),
            (RA.rawStatus, row.status),
            (RA.note, row.notes),
        )

    def _map_path(
        self, row_key: tuple[str, ...], token: str, checkpoint: NamedNode, section: str
    ) -> Iterator[Quad]:
        registry = self.release.registry
        path = self.release.mint("path", *row_key)
        yield from map_path(self.release, row_key, registry.statuses[token])
        yield from map_stack(self.release, path, STACK, registry.stacks[STACK])
        yield from describe(
            self.graph,
            path,
            (RA.checkpoint, checkpoint),
            (RA.onPlatform, self.platform),
            (RA.compileMode, COMPILE_MODE),
            (RA.section, section),
            (RA.hardwareScope, self.page.intro.text),
            (RA.evidence, self.evidence),
        )
        yield from describe(self.graph, self.evidence, (OA.hasTarget, path))

    def _map_precision(self, path: NamedNode, token: str) -> Iterator[Quad]:
        reading = self.release.registry.precisions[token]
        yield from describe(
            self.graph,
            path,
            (RA.printedPrecision, token),
            (RA.precision, reading.precision),
        )


def _precision_tokens(start: QuickStart) -> Iterator[str]:
    yield from (f"{name} {value}" for name, value in start.flags if name in _PRECISION_FLAGS)


def _feature_tokens(start: QuickStart) -> Iterator[str]:
    for name, value in start.flags:
        if name == _SPECULATIVE and value:
            config = parse_json(value)
            method = config.get("method") if isinstance(config, dict) else None
            yield f"{_SPECULATIVE} method={method if isinstance(method, str) else ''}"


def _read_parameters(text: str) -> Iterator[tuple[NamedNode, int]]:
    """Read the counts of a cell that gives one number; a list, range or product gives none."""
    match = _ONE_COUNT.fullmatch(text)
    if match:
        yield RA.totalParameters, round(float(match[1]) * _SCALE[match[2]])
        if match[3]:
            yield RA.activeParameters, round(float(match[3]) * _SCALE[match[4]])
