"""Map the rows of curated tables."""

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from kg.iris import curated_graph, keys_of, mint_checkpoint, mint_iri, mint_part
from kg.quads import describe
from kg.vocab import PROV, RA, RDF, RDFS, SEMAPV, SKOS, SSSOM, XSD, expand
from mappings.addresses import mint_document
from mappings.curated.registry import PrecisionReading
from mappings.curated.rows import Row
from mappings.curated.tables import (
    ALIASED,
    EXCLUDED,
    EXCLUSION_KINDS,
    GRANULARITIES,
    OUTCOMES,
    PRODUCT_KINDS,
    READINGS,
    REGISTRY,
    ROLES,
    TABLES,
    Column,
    Table,
)
from mappings.source_text import shorten
from mappings.statements import checkpoint_quads, family_iri, map_cell


@dataclass(frozen=True, slots=True)
class StatedRows:
    """What the loaded sources state, for the rows that speak of it.

    ``paths`` holds, by source and row key, the paths that a reading is about; the key
    ``section:NAME`` stands for every path of a section. ``documents`` holds which sources cite a
    document, and ``owners`` the overlay that a source comes from, None for the project's.
    """

    sources: frozenset[str]
    paths: Mapping[tuple[str, str], tuple[NamedNode, ...]]
    families: frozenset[tuple[str, str]]
    checkpoints: frozenset[tuple[str, str]]
    documents: Mapping[NamedNode, Set[str]]
    owners: Mapping[str, str | None]


def unknown_statements(row: Row, stated: StatedRows) -> Iterator[str]:
    """Yield what a reading refers to that no loaded source states."""
    columns = TABLES[row.table].header
    if "row" in columns and (row["source"], row["row"]) not in stated.paths:
        yield f"{row['source']} has no row {shorten(row['row'])!r}"
    for source, label in _families(row):
        if source in stated.sources and (source, label) not in stated.families:
            yield f"{source} prints no family {shorten(label)!r}"
    if row.table == "lineage":
        yield from _unknown_child(row, stated)
    if row.table == "documents" and row.overlay is not None:
        yield from _others_document(row, stated)


def _unknown_child(row: Row, stated: StatedRows) -> Iterator[str]:
    """Find a model that its source does not state, or that is not an overlay's to speak of."""
    source, child = row["source"], row["checkpoint"]
    if (source, child) not in stated.checkpoints:
        yield f"{source} states no checkpoint {shorten(child)!r}"
    stating = {other for other, id_ in stated.checkpoints if id_ == child}
    others = [other for other in stating if stated.owners[other] != row.overlay]
    if row.overlay is not None and others:
        yield f"an overlay speaks of its own models only; {min(others)} states {shorten(child)!r}"


def _is_loaded_whole(overlay: str | None, stated: StatedRows) -> bool:
    """Tell whether every source of an overlay could be read: else nobody knows what it cites."""
    return all(name in stated.sources for name, of in stated.owners.items() if of == overlay)


def _others_document(row: Row, stated: StatedRows) -> Iterator[str]:
    """Find a document that an overlay's own sources do not cite, or that another's cites too."""
    url = shorten(row["url"])
    citing = stated.documents.get(mint_document(row["url"]), frozenset())
    others = [source for source in citing if stated.owners[source] != row.overlay]
    if others:
        yield f"an overlay speaks of its own documents only; {min(others)} cites {url!r}"
    elif not citing and _is_loaded_whole(row.overlay, stated):
        yield f"no source of the overlay cites {url!r}"


def speaks_of_loaded(row: Row, stated: StatedRows) -> bool:
    """Tell whether every source that a row speaks of is loaded; a registry row speaks of none."""
    named = [row.cells.get(name) for name in ("source", "subject_source", "object_source")]
    return all(not source or source in stated.sources for source in named)


def _families(row: Row) -> Iterator[tuple[str, str]]:
    if "family" in row.cells:
        yield row["source"], row["family"]
    if row.table == "family_alignment":
        yield row["subject_source"], row["subject_label"]
        yield row["object_source"], row["object_label"]


def map_row(row: Row, stated: StatedRows) -> Iterator[Quad]:
    """Map one row that ``unknown_statements`` finds nothing wrong with.

    A row that says how a token is to be read (``stacks``, ``status_words``, ``feature_names``,
    ``precision_names``) is kept as such; what was read stands on the paths that use the token.
    """
    graph = curated_graph(row.table, row.overlay)
    if row.table in _REGISTRY:
        yield from _map_registry_row(_REGISTRY[row.table], row, graph)
    elif row.table in _READINGS:
        yield from _READINGS[row.table](row, stated, graph)


_REGISTRY: Final = {table.name: table for table in REGISTRY}


def _map_registry_row(table: Table, row: Row, graph: NamedNode) -> Iterator[Quad]:
    subject = registry_iri(table.name, row["id"])
    yield from describe(
        graph,
        subject,
        (RDF.type, table.types),
        (SKOS.inScheme, table.scheme),
        *(
            (column.predicate, _values(column, row[column.name]))
            for column in table.columns
            if column.predicate
        ),
        *_provenance(row),
    )
    if table.name == "platforms":
        vendor = mint_iri("organisation", row["vendor"])
        yield from describe(graph, vendor, (RDF.type, RA.Vendor))


def registry_iri(table: str, id_: str) -> NamedNode:
    """Mint the IRI of a thing that a registry table defines."""
    kind = _REGISTRY[table].kind or table
    return mint_iri(kind, "line", id_) if table == "family_lines" else mint_iri(kind, id_)


def _values(column: Column, cell: str) -> list[NamedNode | str]:
    if not cell:
        return []
    if column.refers_to:
        ids = cell.split(" ") if column.many else [cell]
        return [registry_iri(column.refers_to, id_) for id_ in ids]
    return [column.terms[cell]] if column.terms else [cell]


def _provenance(row: Row) -> tuple[tuple[NamedNode, str], ...]:
    return (RA.justification, row["why"]), (RA.readIn, row["read_in"])


def _map_curation(row: Row, graph: NamedNode, *subjects: NamedNode) -> Iterator[Quad]:
    """Record which row says something more about subjects that a source has stated."""
    keys = [row[column] for column in TABLES[row.table].key]
    yield from describe(
        graph,
        mint_iri("curated-row", row.table, *keys),
        (RDF.type, (RA.CuratedRow, PROV.Entity)),
        (RA.curates, subjects),
        *_provenance(row),
    )


def _paths(row: Row, stated: StatedRows) -> tuple[NamedNode, ...]:
    return stated.paths[row["source"], row["row"]]


def _map_alias(row: Row, _stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    subject = registry_iri(ALIASED[row["kind"]], row["id"])
    yield from describe(graph, subject, (SKOS.altLabel, row["alias"]))
    yield from _map_curation(row, graph, subject)


def _map_feature_kind(row: Row, _stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    feature = mint_iri("feature", row["feature"])
    yield from describe(graph, feature, (RA.featureKind, row["kind"]))
    yield from _map_curation(row, graph, feature)


def _map_on_paths(
    predicate: NamedNode, value: Callable[[Row], NamedNode | str]
) -> Callable[[Row, StatedRows, NamedNode], Iterator[Quad]]:
    def map_reading(row: Row, stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
        for path in _paths(row, stated):
            yield from describe(graph, path, (predicate, value(row)))
        yield from _map_curation(row, graph, *_paths(row, stated))

    return map_reading


def _map_tested_variant(row: Row, stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    label = mint_iri("label", row["source"], row["label"])
    predicate = RA.testedLabel if row["role"] == "tested" else RA.draftLabel
    yield from describe(graph, label, (RDF.type, RA.ModelLabel), (RDFS.label, row["label"]))
    for path in _paths(row, stated):
        yield from describe(graph, path, (predicate, label))
    yield from _map_curation(row, graph, *_paths(row, stated))


def _map_cell(row: Row, stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    reading = PrecisionReading(mint_iri("precision", row["precision"]), ROLES[row["role"]])
    hardware = mint_iri(row["hardware_kind"], row["hardware"])
    for path in _paths(row, stated):
        yield from map_cell(graph, path, reading, hardware)
    yield from _map_curation(row, graph, *_paths(row, stated))


def _map_deployment(row: Row, stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    for path in _paths(row, stated):
        deployment = mint_part("deployment", path, row["deployment"])
        yield from describe(graph, path, (RA.deployment, deployment))
        yield from describe(
            graph,
            deployment,
            (RDF.type, RA.Deployment),
            (RA.deviceCount, int(row["devices"]) if row["devices"] else None),
            (RA.nodeCount, int(row["nodes"]) if row["nodes"] else None),
            (RA.deploymentUnit, PRODUCT_KINDS[row["unit"]]),
            (RA.parallelism, row["parallelism"] or None),
            (RA.topology, row["topology"] or None),
            *_provenance(row),
        )


def _map_exclusion(row: Row, stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    exclusion = mint_iri("exclusion", row["source"], row["row"], row["exclusion"])
    for path in _paths(row, stated):
        yield from describe(graph, path, (RA.excludes, exclusion))
    yield from describe(
        graph,
        exclusion,
        (RDF.type, RA.Exclusion),
        (RA.exclusionKind, EXCLUSION_KINDS[row["kind"]]),
        (EXCLUDED[row["target_kind"]], _excluded_target(row)),
        (RA.exclusionText, row["text"]),
        *_provenance(row),
    )
    yield from _map_excluded_model(row, graph)


def _map_excluded_model(row: Row, graph: NamedNode) -> Iterator[Quad]:
    """State the model that a source names only to exclude it."""
    target = _excluded_target(row)
    if row["target_kind"] == "label":
        yield from describe(graph, target, (RDF.type, RA.ModelLabel), (RDFS.label, row["target"]))
    elif row["target_kind"] == "checkpoint":
        yield from checkpoint_quads(graph, row["target"])


def _excluded_target(row: Row) -> NamedNode:
    kind, target = row["target_kind"], row["target"]
    if kind == "checkpoint":
        return mint_checkpoint(target)
    return mint_iri("label", row["source"], target) if kind == "label" else mint_iri(kind, target)


def _map_document(row: Row, _stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    document = mint_document(row["url"])
    yield from describe(
        graph,
        document,
        (RDF.type, RA.Document),
        *(
            (column.predicate, _values(column, row[column.name]))
            for column in TABLES[row.table].columns
            if column.predicate
        ),
    )
    yield from _map_curation(row, graph, document)


def _map_reviewed(row: Row, _stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    yield from _map_curation(row, graph)
    yield from describe(
        graph,
        mint_iri("curated-row", row.table, *(row[name] for name in TABLES[row.table].key)),
        (RA.reviewedRule, row["rule"]),
        (RA.reviewedSubject, row["subject"]),
        (RA.reviewedValue, row["value"] or None),
    )


def _map_hierarchy(row: Row, _stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    family = family_iri(row["source"], row["family"])
    yield from describe(graph, family, (SKOS.broader, registry_iri("family_lines", row["line"])))
    yield from _map_curation(row, graph, family)


def _map_alignment(row: Row, _stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    subject = family_iri(row["subject_source"], row["subject_label"])
    object_ = family_iri(row["object_source"], row["object_label"])
    yield from describe(
        graph,
        mint_iri("mapping", *keys_of(subject), *keys_of(object_)),
        (RDF.type, SSSOM.Mapping),
        (SSSOM.subject_id, subject),
        (SSSOM.predicate_id, SKOS.exactMatch),
        (SSSOM.object_id, object_),
        (SSSOM.mapping_justification, SEMAPV.ManualMappingCuration),
        (RA.mappingInUse, Literal(row["in_use"], datatype=XSD.boolean)),
        *_provenance(row),
    )


def _map_lineage(row: Row, _stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    """State what a checkpoint was made from; shapes tell whether the predicate may say that."""
    child, parent = mint_checkpoint(row["checkpoint"]), mint_checkpoint(row["parent"])
    yield from describe(graph, child, (expand(row["predicate_id"]), parent))
    yield from checkpoint_quads(graph, row["parent"])
    yield from _map_curation(row, graph, child)


def _map_requirement(row: Row, _stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    yield from describe(
        graph,
        mint_iri("requirement", *(row[column] for column in TABLES[row.table].key)),
        (RDF.type, RA.RuntimeRequirement),
        (RA.forFamily, family_iri(row["source"], row["family"])),
        (RA.neededOn, mint_iri("platform", row["platform"])),
        (RA.neededWith, mint_iri("component", row["component"])),
        (RA.requiresSetting, row["setting"]),
        (RA.requirementReading, READINGS[row["reading"]]),
        *_provenance(row),
    )


def _map_token(
    column: str, read: Callable[[Row], tuple[NamedNode | None, NamedNode | None]]
) -> Callable[[Row, StatedRows, NamedNode], Iterator[Quad]]:
    """Keep how a token is read: as which thing of the registry, and in which role."""

    def map_token(row: Row, _stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
        thing, role = read(row)
        yield from _map_curation(row, graph)
        yield from describe(
            graph,
            mint_iri("curated-row", row.table, *(row[name] for name in TABLES[row.table].key)),
            (RA.ofSource, mint_iri("source", row["source"]) if row["source"] else None),
            (RA.token, row[column]),
            (RA.readAs, thing),
            (RA.readAsRole, role),
        )

    return map_token


def _read_precision(row: Row) -> tuple[NamedNode | None, NamedNode | None]:
    if not row["precision"]:
        return None, None  # the token names none, and so no role
    return mint_iri("precision", row["precision"]), ROLES[row["role"]]


def _map_variant_word(row: Row, _stated: StatedRows, graph: NamedNode) -> Iterator[Quad]:
    yield from _map_curation(row, graph)
    word = mint_iri("curated-row", row.table, row["word"])
    yield from describe(graph, word, (RA.variantWord, row["word"]))


_READINGS: Final[Mapping[str, Callable[[Row, StatedRows, NamedNode], Iterator[Quad]]]] = {
    "aliases": _map_alias,
    "status_words": _map_token("token", lambda row: (OUTCOMES[row["outcome"]], None)),
    "stacks": _map_token("stack_text", lambda row: (mint_iri("component", row["component"]), None)),
    "feature_names": _map_token("token", lambda row: (mint_iri("feature", row["feature"]), None)),
    "feature_kinds": _map_feature_kind,
    "precision_names": _map_token("token", _read_precision),
    "variant_words": _map_variant_word,
    "path_generations": _map_on_paths(
        RA.onGeneration, lambda row: mint_iri("generation", row["generation"])
    ),
    "named_products": _map_on_paths(
        RA.namesProduct, lambda row: mint_iri("product", row["product"])
    ),
    "target_granularity": _map_on_paths(
        RA.targetGranularity, lambda row: GRANULARITIES[row["granularity"]]
    ),
    "tested_variants": _map_tested_variant,
    "configuration_cells": _map_cell,
    "deployments": _map_deployment,
    "exclusions": _map_exclusion,
    "unstated_modes": _map_on_paths(RA.unstatedMode, lambda row: row["mode"]),
    "reviewed": _map_reviewed,
    "documents": _map_document,
    "family_hierarchy": _map_hierarchy,
    "family_alignment": _map_alignment,
    "lineage": _map_lineage,
    "runtime_requirements": _map_requirement,
}
