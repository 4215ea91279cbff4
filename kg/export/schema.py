"""The tables of an export, in the order in which one refers to another.

What is asserted fills the first eight, what is derived the last two; ``docs/export.md`` names each
table and column, and ``tables.json`` beside the files gives these meanings.
"""

from typing import Final

from kg.export.tables import (
    Column,
    Kind,
    Read,
    Table,
    bounds,
    count,
    each,
    iri,
    kind_of,
    needs_overlay,
    number,
    overlay,
    places,
    reference,
    text,
    texts,
    written,
)
from kg.vocab import DCAT, DCTERMS, PAV, RA, RDFS, SCHEMA, SKOS


def _required(name: str, meaning: str, read: Read) -> Column:
    return Column(name, meaning, read, required=True)


def _optional(name: str, meaning: str, read: Read) -> Column:
    return Column(name, meaning, read)


def _list(name: str, meaning: str, read: Read) -> Column:
    return Column(name, meaning, read, Kind.LIST, required=True)


def _number(name: str, meaning: str, read: Read) -> Column:
    return Column(name, meaning, read, Kind.INTEGER)


def _day(name: str, meaning: str, read: Read) -> Column:
    return Column(name, meaning, read, Kind.DATE)


def _key_of(table: str, name: str, meaning: str, read: Read, *, required: bool = True) -> Column:
    return Column(name, meaning, read, required=required, refers_to=table)


_PATH: Final = _key_of("paths", "path", "IRI of the support path", iri())
_OVERLAY: Final = _optional(
    "overlay",
    "The user's overlay that alone states this row (the first by name if several do); empty if a "
    "source or curated table states it, and so in every export without overlays",
    overlay,
)

MODELS: Final = Table(
    name="models",
    meaning="One row per repository id that a source names, also one that it only excludes",
    asserted=True,
    of=RA.Checkpoint,
    key=("repository_id",),
    columns=(
        _required("repository_id", "The repository id, exactly", text(RA.repositoryId)),
        _required("iri", "IRI of the checkpoint", iri()),
        _list(
            "publishers",
            "Who publishes it, where a source says so; never read from the repository id",
            each(RA.publisher, RDFS.label),
        ),
        _OVERLAY,
    ),
)

PATHS: Final = Table(
    name="paths",
    meaning="One row per asserted support path: one source's statement about one configuration. "
    "Its lists stand side by side and are not paired: what the source pairs is in cells",
    asserted=True,
    of=RA.SupportPath,
    key=("iri",),
    columns=(
        _required("iri", "IRI of the support path", iri()),
        _required("source", "The source", text(DCTERMS.isPartOf, RA.ofSource)),
        _required("release", "The source's release", text(DCTERMS.isPartOf, DCAT.version)),
        _required("row_key", "The row within the source's release", text(RA.rowKey)),
        _required(
            "statement_key",
            "The same for the same row of every release of the source",
            text(RA.statementKey),
        ),
        _key_of(
            "models",
            "repository_id",
            "The model's repository id; empty if the source names the model without one",
            text(RA.checkpoint, RA.repositoryId),
            required=False,
        ),
        _optional(
            "model_label",
            "The model as printed, if the source gives no repository id",
            text(RA.modelLabel),
        ),
        _required(
            "outcome",
            "What the source says: Supported, Limited, Failing, Unsupported, Untested, Planned or "
            "NegativeUnspecified",
            text(RA.outcome),
        ),
        _required("raw_status", "The word that the outcome was read from", text(RA.rawStatus)),
        _optional(
            "level",
            "The evidence level, if the outcome is Supported or Limited; levels have no rank",
            text(RA.level),
        ),
        _required("maturity", "Maturity, or MaturityUnstated", text(RA.maturity)),
        _required("basis", "What the statement rests on, or BasisUnstated", text(RA.basis)),
        _required("platform", "The platform's id", text(RA.onPlatform)),
        _list("generations", "Ids of the generations it is mapped to", texts(RA.onGeneration)),
        _list("products", "Ids of the products it is mapped to", texts(RA.onProduct)),
        _list(
            "products_named_not_mapped",
            "Ids of products that its prose names; it is not stated for them",
            texts(RA.namesProduct),
        ),
        _required("stack", "The software stack as printed", text(RA.stackText)),
        _list("components", "Ids of the stack's components", texts(RA.component)),
        _list(
            "releases",
            "Releases that the stack prints: == exactly, >= at least, <= at most",
            bounds,
        ),
        _list(
            "integrations", "Ids of the integrations that the source names", texts(RA.integration)
        ),
        _optional("compile_mode", "How the model is compiled", text(RA.compileMode)),
        _list("printed_precisions", "Precisions as printed", texts(RA.printedPrecision)),
        _list("precisions", "Ids of the precisions read from them", texts(RA.precision)),
        _list("printed_modes", "Execution modes as printed", texts(RA.printedMode)),
        _list("features", "Ids of the features read from them", texts(RA.feature)),
        _list(
            "tested_variants",
            "What was really tested, if it is another than the model named",
            texts(RA.testedCheckpoint, RA.testedLabel),
        ),
        _list(
            "tested_on_products",
            "Ids of the products on which it was tested",
            texts(RA.testedOnProduct),
        ),
        _list(
            "draft_models",
            "Draft models of speculative decoding",
            texts(RA.draftCheckpoint, RA.draftLabel),
        ),
        _optional(
            "target_granularity",
            "ModelName if the evidence names a model and no repository; ExactRepository if it "
            "names the repository; empty if nobody has looked",
            text(RA.targetGranularity),
        ),
        _optional(
            "quantization", "What the source says of quantization", text(RA.quantizationText)
        ),
        _optional("hardware_scope", "The hardware in the source's words", text(RA.hardwareScope)),
        _list("limitations", "Limitations that the source states", texts(RA.limitation)),
        _list("places", "File and line, or file and JSON pointer, of the statement", places),
        _OVERLAY,
    ),
)

CELLS: Final = Table(
    name="cells",
    meaning="One row per pairing of a precision with hardware that the source itself makes",
    asserted=True,
    of=RA.SupportPath,
    parts=((RA.cell,),),
    key=("path", "precision", "role", "hardware_kind", "hardware"),
    columns=(
        _PATH,
        _required("precision", "The precision's id", text(RA.cellPrecision, of=1)),
        _required("role", "Weights, Compute, KVCache or RoleUnstated", text(RA.cellRole, of=1)),
        _required(
            "hardware_kind", "platform, generation or product", kind_of(RA.cellHardware, of=1)
        ),
        _required("hardware", "The hardware's id", text(RA.cellHardware, of=1)),
        _OVERLAY,
    ),
)

DEPLOYMENTS: Final = Table(
    name="deployments",
    meaning="One row per deployment that a path is documented with: never a minimum or a limit",
    asserted=True,
    of=RA.SupportPath,
    parts=((RA.deployment,),),
    key=("path", "deployment"),
    columns=(
        _PATH,
        _required("deployment", "IRI of the deployment", iri(1)),
        _number("devices", "Number of devices", number(RA.deviceCount, of=1)),
        _number("nodes", "Number of nodes", number(RA.nodeCount, of=1)),
        _optional(
            "unit", "What is counted: Chip, Board, Node or Instance", text(RA.deploymentUnit, of=1)
        ),
        _list("parallelism", "Kinds of parallelism with their sizes", texts(RA.parallelism, of=1)),
        _optional("topology", "The topology as printed", text(RA.topology, of=1)),
        _optional("command", "The command as printed", text(RA.command, of=1)),
        _list("flags", "The command's flags", texts(RA.flag, of=1)),
        _OVERLAY,
    ),
)

EXCLUSIONS: Final = Table(
    name="exclusions",
    meaning="One row per target of what a path's source says it does not establish. Rows of one "
    "exclusion belong together: targets of different kinds must all be met, and of the targets of "
    "one kind any",
    asserted=True,
    of=RA.SupportPath,
    parts=(
        (RA.excludes,),
        (
            RA.excludesCheckpoint,
            RA.excludesComponent,
            RA.excludesFeature,
            RA.excludesGeneration,
            RA.excludesLabel,
            RA.excludesPrecision,
            RA.excludesProduct,
        ),
    ),
    key=("path", "exclusion", "target_kind", "target"),
    columns=(
        _PATH,
        _required("exclusion", "IRI of the exclusion", iri(1)),
        _required(
            "kind",
            "OutOfScopeExclusion, UnsupportedExclusion or TierDiffersExclusion",
            text(RA.exclusionKind, of=1),
        ),
        _required("text", "What the source says", text(RA.exclusionText, of=1)),
        _required(
            "target_kind",
            "checkpoint, component, feature, generation, label, precision or product",
            kind_of(of=2),
        ),
        _required("target", "The target's id, or the label as printed", written(2)),
        _OVERLAY,
    ),
)

EVIDENCE: Final = Table(
    name="evidence",
    meaning="One row per path and citation under it; one citation can stand under many paths",
    asserted=True,
    of=RA.SupportPath,
    parts=((RA.evidence,),),
    key=("path", "evidence"),
    columns=(
        _PATH,
        _required("evidence", "IRI of the citation", iri(1)),
        _required(
            "type",
            "VendorDocs, VendorReport, UpstreamDocs or IndependentTestReport",
            text(RA.evidenceType, of=1),
        ),
        _required(
            "document", "IRI of the document: equal for one page", reference(RA.document, of=1)
        ),
        _optional("url", "Address, if the source gives one", text(SCHEMA.url, of=1)),
        _optional("publisher", "Publisher", text(DCTERMS.publisher, RDFS.label, of=1)),
        _day("published", "Day of publication; empty if unknown", text(DCTERMS.issued, of=1)),
        _day("checked", "Day of the last check", text(PAV.sourceLastAccessedOn, of=1)),
        _required("claim", "What the document says", text(RA.claim, of=1)),
        _optional(
            "content_sha256",
            "SHA-256 of the document, if the source pins it",
            text(RA.document, RA.contentSha256, of=1),
        ),
        _OVERLAY,
    ),
)

MODEL_STATEMENTS: Final = Table(
    name="model_statements",
    meaning="One row per row of a source about a model: the words of that source alone",
    asserted=True,
    of=RA.ModelStatement,
    key=("iri",),
    columns=(
        _required("iri", "IRI of the statement", iri()),
        _required("source", "The source", text(DCTERMS.isPartOf, RA.ofSource)),
        _required("release", "The source's release", text(DCTERMS.isPartOf, DCAT.version)),
        _key_of(
            "models",
            "repository_id",
            "The model's repository id; empty if the source names the model without one",
            text(RA.ofCheckpoint, RA.repositoryId),
            required=False,
        ),
        _optional(
            "model_label",
            "The model as printed, if the source gives no repository id",
            text(RA.ofLabel),
        ),
        _required("row_key", "The row within the source's release", text(RA.rowKey)),
        _optional("printed_name", "The name as printed", text(RA.printedName)),
        _optional("printed_architecture", "The class as printed", text(RA.printedArchitecture)),
        _optional("printed_family", "The family as printed", text(RA.printedFamily)),
        _optional("printed_parameters", "Parameters as printed", text(RA.printedParameters)),
        _optional("printed_modality", "The modality as printed", text(RA.printedModality)),
        _optional(
            "printed_architecture_kind",
            "The kind of architecture as printed",
            text(RA.printedArchitectureKind),
        ),
        _optional("section", "The section that the row stands in", text(RA.section)),
        _number("row", "The row's number in its table", number(RA.row)),
        _number("position", "The model's place in its row, or in the list", number(RA.position)),
        _optional("note", "The source's note", text(RA.note)),
        _OVERLAY,
    ),
)

REQUIREMENTS: Final = Table(
    name="requirements",
    meaning="One row per setting that a family or a checkpoint needs on a platform with a "
    "component; it is no statement of support",
    asserted=True,
    of=RA.RuntimeRequirement,
    key=("iri",),
    columns=(
        _required("iri", "IRI of the requirement", iri()),
        _required(
            "setting", "The setting, with its value where there is one", text(RA.requiresSetting)
        ),
        _required(
            "reading",
            "StatedReading if the source names what needs it; AmbiguousReading if its words may or "
            "may not include it",
            text(RA.requirementReading),
        ),
        _optional(
            "source",
            "The source whose family needs it; empty if a checkpoint does",
            text(RA.forFamily, RA.ofSource),
        ),
        _optional(
            "family",
            "The family that needs it, as its source prints it; empty if a checkpoint does",
            text(RA.forFamily, SKOS.prefLabel),
        ),
        _key_of(
            "models",
            "repository_id",
            "The repository id that needs it; empty if a family does",
            text(RA.forCheckpoint, RA.repositoryId),
            required=False,
        ),
        _required("platform", "The platform's id", text(RA.neededOn)),
        _required("component", "The component's id", text(RA.neededWith)),
        _required("why", "Why the curated row is right", text(RA.justification)),
        _required("read_in", "Where the curator read it", text(RA.readIn)),
        _OVERLAY,
    ),
)

_NEEDS_OVERLAY: Final = Column(
    "needs_overlay",
    "True if this follows only with the user's own statements; false in every export without them",
    needs_overlay,
    Kind.BOOLEAN,
    required=True,
)

DERIVED: Final = Table(
    name="derived",
    meaning="One row per derivation: a class of models may work. No source states it; it has no "
    "level and no evidence",
    asserted=False,
    of=RA.CompatibilityInference,
    key=("iri",),
    columns=(
        _required("iri", "IRI of the inference", iri()),
        _required("class", "The class that may run", text(RA.mayRunArchitecture)),
        _required("platform", "The platform's id", text(RA.mayRunOnPlatform)),
        _list("components", "Ids of the components, all together", texts(RA.mayRunComponent)),
        _optional("compile_mode", "How the model is compiled", text(RA.compileMode)),
        Column(
            "premises",
            "Number of support paths that it follows from",
            count(RA.premise),
            Kind.INTEGER,
            required=True,
        ),
        _required("licence", "IRI of the source's grant to infer", reference(RA.licence)),
        _required("rule", "IRI of the rule", reference(RA.byRule)),
        _NEEDS_OVERLAY,
    ),
)

DERIVED_PREMISES: Final = Table(
    name="derived_premises",
    meaning="One row per derivation and support path that it follows from",
    asserted=False,
    of=RA.CompatibilityInference,
    parts=((RA.premise,),),
    key=("inference", "path"),
    columns=(
        _key_of("derived", "inference", "IRI of the inference", iri()),
        _key_of("paths", "path", "IRI of the support path that is a premise", iri(1)),
        _NEEDS_OVERLAY,
    ),
)

TABLES: Final = (
    MODELS,
    PATHS,
    CELLS,
    DEPLOYMENTS,
    EXCLUSIONS,
    EVIDENCE,
    MODEL_STATEMENTS,
    REQUIREMENTS,
    DERIVED,
    DERIVED_PREMISES,
)
