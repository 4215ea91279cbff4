"""The curated tables: their columns, what a cell may hold, and what it becomes.

Every table also has the columns ``why`` and ``read_in``: each row says why it holds and where that
was read. Two kinds of table stand here: a *registry* row defines a thing of its own (a product, a
feature); a *reading* row says something about statements of a source, and is mapped in mapper.py.
"""

import re
from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode

from kg.vocab import PREFIXES, RA, RDFS, SCHEMA, SKOS

SLUG: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
PARALLELISM: Final = re.compile(
    r"(?:tensor|pipeline|data|expert|context|decode-context|sequence)=[1-9][0-9]{0,8}"
)
TOPOLOGY: Final = re.compile(r"[1-9][0-9]{0,4}(?:x[1-9][0-9]{0,4}){1,3}")
COUNT: Final = re.compile(r"[1-9][0-9]{0,8}")
ADDRESS: Final = re.compile(r"https?://[^\s<>\"{}|\\^`]+")
REPOSITORY_ID: Final = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
RULE_ID: Final = re.compile(r"R[0-9]{2}b?")
CURIE: Final = re.compile(rf"({'|'.join(PREFIXES)}):[A-Za-z][A-Za-z0-9]*")
PROVENANCE: Final = ("why", "read_in")

PRODUCT_KINDS: Final = {
    "chip": RA.Chip,
    "board": RA.Board,
    "node": RA.Node,
    "instance": RA.Instance,
}
ROLES: Final = {
    "weights": RA.Weights,
    "compute": RA.Compute,
    "kv-cache": RA.KVCache,
    "unstated": RA.RoleUnstated,
}
OUTCOMES: Final = {
    "supported": RA.Supported,
    "limited": RA.Limited,
    "failing": RA.Failing,
    "unsupported": RA.Unsupported,
    "untested": RA.Untested,
    "planned": RA.Planned,
    "negative-unspecified": RA.NegativeUnspecified,
}
LEVELS: Final = {
    "documented_recipe": RA.DocumentedRecipe,
    "upstream_verified": RA.UpstreamVerified,
    "vendor_reported": RA.VendorReported,
    "independently_tested": RA.IndependentlyTested,
    "integration_only": RA.IntegrationOnly,
}
MATURITIES: Final = {
    "stable": RA.Stable,
    "beta": RA.Beta,
    "preview": RA.Preview,
    "experimental": RA.Experimental,
    "deprecated": RA.Deprecated,
    "unstated": RA.MaturityUnstated,
}
BASES: Final = {
    "ran": RA.Ran,
    "listed": RA.Listed,
    "by-parity": RA.ByParity,
    "modelled": RA.Modelled,
    "unstated": RA.BasisUnstated,
}
EXCLUSION_KINDS: Final = {
    "out-of-scope": RA.OutOfScopeExclusion,
    "unsupported": RA.UnsupportedExclusion,
    "tier-differs": RA.TierDiffersExclusion,
}
DOCUMENT_KINDS: Final = {
    "tutorial": RA.TutorialDocument,
    "recipe": RA.RecipeDocument,
    "guide": RA.GuideDocument,
    "quick-start": RA.QuickStartDocument,
    "table": RA.TableDocument,
    "page": RA.PageDocument,
}
GRANULARITIES: Final = {"exact-repository": RA.ExactRepository, "model-name": RA.ModelName}
READINGS: Final = {"stated": RA.StatedReading, "ambiguous": RA.AmbiguousReading}
ALIASED: Final = {
    "component": "components",
    "generation": "generations",
    "platform": "platforms",
    "product": "products",
}
# What people name: the tables of one space share it, and a name means one thing there.
NAME_SPACES: Final = (
    {"platform": "platforms", "generation": "generations", "product": "products"},
    {"component": "components"},
    {"feature": "features"},
    {"precision": "precisions"},
)
HARDWARE: Final = {kind: ALIASED[kind] for kind in ("generation", "platform", "product")}
EXCLUDED: Final = {
    "checkpoint": RA.excludesCheckpoint,
    "component": RA.excludesComponent,
    "feature": RA.excludesFeature,
    "generation": RA.excludesGeneration,
    "label": RA.excludesLabel,
    "precision": RA.excludesPrecision,
    "product": RA.excludesProduct,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: what its cells may hold, and the predicate that they become (if any).

    A ``names_thing`` cell is what people know a thing of the registry by.
    """

    name: str
    optional: bool = False
    choices: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    refers_to: str | None = None
    many: bool = False
    predicate: NamedNode | None = None
    terms: dict[str, NamedNode] | None = None
    names_thing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table; rows of a registry become a thing of ``kind`` and ``types``, keyed by ``id``."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    kind: str | None = None
    types: tuple[NamedNode, ...] = ()
    scheme: NamedNode | None = None

    @property
    def header(self) -> tuple[str, ...]:
        """The columns as the file's first line names them."""
        return (*(column.name for column in self.columns), *PROVENANCE)


def _choice(
    name: str,
    terms: dict[str, NamedNode],
    predicate: NamedNode | None = None,
    *,
    optional: bool = False,
) -> Column:
    return Column(
        name=name, choices=tuple(terms), terms=terms, predicate=predicate, optional=optional
    )


def _text(name: str, predicate: NamedNode | None = None, *, optional: bool = False) -> Column:
    return Column(name=name, predicate=predicate, optional=optional)


def _ref(
    name: str,
    table: str,
    predicate: NamedNode | None = None,
    *,
    optional: bool = False,
    many: bool = False,
) -> Column:
    return Column(name=name, refers_to=table, predicate=predicate, optional=optional, many=many)


_ID: Final = Column(name="id", pattern=SLUG, predicate=SKOS.notation)
_LABEL: Final = Column(name="label", predicate=RDFS.label, names_thing=True)
_PREF_LABEL: Final = Column(name="label", predicate=SKOS.prefLabel, names_thing=True)
_SOURCE: Final = Column(name="source", pattern=SLUG)
_ANY_SOURCE: Final = Column(name="source", pattern=SLUG, optional=True)
_ROW: Final = Column(name="row")

REGISTRY: Final = (
    Table(
        name="organisations",
        kind="organisation",
        types=(RA.Organisation,),
        key=("id",),
        columns=(_ID, _LABEL, _ref("part_of", "organisations", RA.partOf, optional=True)),
    ),
    Table(
        name="platforms",
        kind="platform",
        types=(RA.Platform,),
        key=("id",),
        columns=(_ID, _LABEL, _ref("vendor", "organisations", RA.vendor)),
    ),
    Table(
        name="generations",
        kind="generation",
        types=(RA.Generation,),
        key=("id",),
        columns=(_ID, _LABEL, _ref("platform", "platforms", RA.ofPlatform)),
    ),
    Table(
        name="products",
        kind="product",
        types=(RA.Product, SCHEMA.ProductModel),
        key=("id",),
        columns=(
            _ID,
            _LABEL,
            _choice("kind", PRODUCT_KINDS, RA.productKind),
            _ref("platform", "platforms", RA.ofPlatform),
            _ref("generation", "generations", RA.ofGeneration, optional=True),
            _ref("contains", "products", RA.contains, optional=True, many=True),
        ),
    ),
    Table(
        name="components",
        kind="component",
        types=(RA.Component, SCHEMA.SoftwareApplication),
        key=("id",),
        columns=(
            _ID,
            _LABEL,
            Column(name="versions", choices=("pep440", "none"), predicate=RA.versionOrdering),
        ),
    ),
    Table(
        name="integrations",
        kind="integration",
        types=(RA.Integration,),
        key=("id",),
        columns=(
            _ID,
            _LABEL,
            _ref("platform", "platforms", RA.ofPlatform),
            _ref("components", "components", RA.integrates, many=True),
        ),
    ),
    Table(
        name="features",
        kind="feature",
        types=(RA.Feature, SKOS.Concept),
        scheme=RA.Features,
        key=("id",),
        columns=(_ID, _PREF_LABEL, _ref("broader", "features", SKOS.broader, optional=True)),
    ),
    Table(
        name="precisions",
        kind="precision",
        types=(RA.Precision, SKOS.Concept),
        scheme=RA.Precisions,
        key=("id",),
        columns=(_ID, _PREF_LABEL, _ref("broader", "precisions", SKOS.broader, optional=True)),
    ),
    Table(
        name="family_lines",
        kind="family",
        types=(RA.Family, SKOS.Concept),
        scheme=RA.Families,
        key=("id",),
        columns=(_ID, _PREF_LABEL, _ref("publisher", "organisations", RA.publisher)),
    ),
)

READING_TABLES: Final = (
    Table(
        name="aliases",
        key=("alias",),
        columns=(
            Column(name="kind", choices=tuple(ALIASED)),
            _text("id"),
            Column(name="alias", names_thing=True),
        ),
    ),
    Table(
        name="status_words",
        key=("source", "token"),
        columns=(
            _ANY_SOURCE,
            _text("token"),
            _choice("outcome", OUTCOMES),
            _choice("level", LEVELS, optional=True),
            _choice("maturity", MATURITIES),
            _choice("basis", BASES),
        ),
    ),
    Table(
        name="stacks",
        key=("source", "stack_text", "component"),
        columns=(
            _ANY_SOURCE,
            _text("stack_text"),
            _ref("component", "components"),
            Column(name="bound", choices=("exact", "minimum", "maximum"), optional=True),
            _text("version", optional=True),
        ),
    ),
    Table(
        name="feature_names",
        key=("source", "token"),
        columns=(_ANY_SOURCE, _text("token"), _ref("feature", "features")),
    ),
    Table(
        name="feature_kinds",
        key=("feature",),
        columns=(
            _ref("feature", "features"),
            Column(name="kind", choices=("packaging", "runtime")),
        ),
    ),
    Table(
        name="precision_names",
        key=("source", "token"),
        columns=(
            _ANY_SOURCE,
            _text("token"),
            _ref("precision", "precisions", optional=True),
            _choice("role", ROLES),
        ),
    ),
    Table(name="variant_words", key=("word",), columns=(_text("word"),)),
    Table(
        name="path_generations",
        key=("source", "row", "generation"),
        columns=(_SOURCE, _ROW, _ref("generation", "generations")),
    ),
    Table(
        name="named_products",
        key=("source", "row", "product"),
        columns=(_SOURCE, _ROW, _ref("product", "products")),
    ),
    Table(
        name="target_granularity",
        key=("source", "row"),
        columns=(_SOURCE, _ROW, _choice("granularity", GRANULARITIES)),
    ),
    Table(
        name="tested_variants",
        key=("source", "row", "role", "label"),
        columns=(_SOURCE, _ROW, Column(name="role", choices=("tested", "draft")), _text("label")),
    ),
    Table(
        name="configuration_cells",
        key=("source", "row", "precision", "role", "hardware_kind", "hardware"),
        columns=(
            _SOURCE,
            _ROW,
            _ref("precision", "precisions"),
            _choice("role", ROLES),
            Column(name="hardware_kind", choices=tuple(HARDWARE)),
            _text("hardware"),
        ),
    ),
    Table(
        name="deployments",
        key=("source", "row", "deployment"),
        columns=(
            _SOURCE,
            _ROW,
            Column(name="deployment", pattern=SLUG),
            Column(name="devices", pattern=COUNT, optional=True),
            Column(name="nodes", pattern=COUNT, optional=True),
            _choice("unit", PRODUCT_KINDS),
            Column(name="parallelism", pattern=PARALLELISM, optional=True),
            Column(name="topology", pattern=TOPOLOGY, optional=True),
        ),
    ),
    Table(
        name="exclusions",
        key=("source", "row", "exclusion", "target_kind", "target"),
        columns=(
            _SOURCE,
            _ROW,
            Column(name="exclusion", pattern=SLUG),
            _choice("kind", EXCLUSION_KINDS),
            Column(name="target_kind", choices=tuple(EXCLUDED)),
            _text("target"),
            _text("text"),
        ),
    ),
    Table(
        name="unstated_modes",
        key=("source", "row", "mode"),
        columns=(_SOURCE, _ROW, _text("mode")),
    ),
    Table(
        name="reviewed",
        key=("rule", "subject", "value"),
        columns=(
            Column(name="rule", pattern=RULE_ID),
            _text("subject"),
            _text("value", optional=True),
        ),
    ),
    Table(
        name="documents",
        key=("url",),
        columns=(
            Column(name="url", pattern=ADDRESS),
            _choice("kind", DOCUMENT_KINDS, RA.documentKind),
            _ref("components", "components", RA.confinedToComponent, optional=True, many=True),
            _ref("products", "products", RA.confinedToHardware, optional=True, many=True),
            _ref("generations", "generations", RA.confinedToHardware, optional=True, many=True),
            _ref("platforms", "platforms", RA.confinedToHardware, optional=True, many=True),
        ),
    ),
    Table(
        name="family_hierarchy",
        key=("source", "family"),
        columns=(_SOURCE, _text("family"), _ref("line", "family_lines")),
    ),
    Table(
        name="family_alignment",
        key=("subject_source", "subject_label", "object_source", "object_label"),
        columns=(
            Column(name="subject_source", pattern=SLUG),
            _text("subject_label"),
            _choice("predicate_id", {"skos:exactMatch": SKOS.exactMatch}),
            Column(name="object_source", pattern=SLUG),
            _text("object_label"),
            Column(name="mapping_justification", choices=("semapv:ManualMappingCuration",)),
            Column(name="in_use", choices=("true", "false")),
        ),
    ),
    Table(
        name="lineage",
        key=("source", "checkpoint", "predicate_id", "parent"),
        columns=(
            _SOURCE,
            Column(name="checkpoint", pattern=REPOSITORY_ID),
            Column(name="predicate_id", pattern=CURIE),
            Column(name="parent", pattern=REPOSITORY_ID),
        ),
    ),
    Table(
        name="runtime_requirements",
        key=("source", "family", "platform", "component", "setting"),
        columns=(
            _SOURCE,
            _text("family"),
            _ref("platform", "platforms"),
            _ref("component", "components"),
            _text("setting"),
            _choice("reading", READINGS),
        ),
    ),
)

TABLES: Final = {table.name: table for table in (*REGISTRY, *READING_TABLES)}
