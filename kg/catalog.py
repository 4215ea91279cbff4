"""Describe a build: its sources (DCAT), its graphs and counts (VoID), its derivations (PROV)."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, Store

from kg.iris import mint_iri, mint_part
from kg.quads import describe
from kg.rules import Rule
from kg.store import is_overlay
from kg.vocab import (
    CATALOG_GRAPH,
    CC0,
    DCAT,
    DCTERMS,
    PROV,
    RDF,
    SPDX,
    VOID,
    XSD,
)
from mappings.formats import MappedSource

TITLE = "Runatlas"


def describe_build(
    store: Store, sources: Sequence[MappedSource], rules: Sequence[Rule], version: str
) -> Iterator[Quad]:
    """Yield the catalog of a build that holds no user's own statements yet.

    It depends on the quads and documents alone: no clock, no path of this machine, and not the
    snapshot's own hash.
    """
    dataset = mint_iri("dataset", "runatlas")
    graphs = sorted(
        (graph for graph in store.named_graphs() if isinstance(graph, NamedNode)),
        key=lambda graph: graph.value,
    )
    yield from describe(
        CATALOG_GRAPH,
        dataset,
        (RDF.type, (VOID.Dataset, DCAT.Dataset)),
        (DCTERMS.title, TITLE),
        (DCTERMS.license, CC0),
        (DCAT.version, version),
        (VOID.triples, _count(store.quads_for_pattern(None, None, None, DefaultGraph()))),
        (VOID.subset, [graph for graph in graphs if not is_overlay(graph)]),
    )
    yield from _class_partitions(store, dataset)
    for graph in graphs:
        yield from describe(
            CATALOG_GRAPH,
            graph,
            (RDF.type, VOID.Dataset),
            (VOID.triples, _count(store.quads_for_pattern(None, None, None, graph))),
        )
    for source in sources:
        yield from _distribution(source)
    for rule in rules:
        yield from _derivation(rule, [source.release.graph for source in sources])


def _count(quads: Iterable[Quad]) -> int:
    return sum(1 for _ in quads)


def _class_partitions(store: Store, dataset: NamedNode) -> Iterator[Quad]:
    members: dict[NamedNode, int] = {}
    for quad in store.quads_for_pattern(None, RDF.type, None, DefaultGraph()):
        if isinstance(quad.object, NamedNode):
            members[quad.object] = members.get(quad.object, 0) + 1
    for class_, count in members.items():
        partition = mint_part("partition", dataset, class_.value)
        yield from describe(CATALOG_GRAPH, dataset, (VOID.classPartition, partition))
        yield from describe(
            CATALOG_GRAPH,
            partition,
            (RDF.type, VOID.Dataset),
            (VOID.class_, class_),
            (VOID.entities, count),
        )


def _distribution(source: MappedSource) -> Iterator[Quad]:
    release, description = source.release.iri, source.description
    distribution = mint_part("distribution", release)
    checksum = mint_part("checksum", release)
    content = source.document.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    yield from describe(
        CATALOG_GRAPH,
        release,
        (RDF.type, DCAT.Dataset),
        (DCTERMS.title, description.title),
        (DCTERMS.description, (description.licence, description.attribution)),
        (DCAT.version, source.release.version),
        (DCAT.distribution, distribution),
    )
    yield from describe(
        CATALOG_GRAPH,
        distribution,
        (RDF.type, DCAT.Distribution),
        (DCTERMS.title, source.document.name),
        (DCAT.byteSize, len(content)),
        (SPDX.checksum, checksum),
    )
    yield from describe(
        CATALOG_GRAPH,
        checksum,
        (RDF.type, SPDX.Checksum),
        (SPDX.algorithm, SPDX.checksumAlgorithm_sha256),
        (SPDX.checksumValue, Literal(digest, datatype=XSD.hexBinary)),
    )


def _derivation(rule: Rule, used: list[NamedNode]) -> Iterator[Quad]:
    activity = mint_iri("activity", "derive", rule.name)
    yield from describe(CATALOG_GRAPH, rule.graph, (PROV.wasGeneratedBy, activity))
    yield from describe(
        CATALOG_GRAPH, activity, (RDF.type, PROV.Activity), (PROV.used, [rule.iri, *used])
    )
    yield from describe(CATALOG_GRAPH, rule.iri, (RDF.type, PROV.Plan))
