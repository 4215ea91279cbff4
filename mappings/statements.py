"""What the mappers of all sources share: the release they speak in, and how a path is written."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from kg.iris import keys_of, local_name, mint_checkpoint, mint_iri, mint_part, source_graph
from kg.quads import describe
from kg.vocab import DCAT, DCTERMS, FAIR4ML, PROV, RA, RDF, RDFS, SKOS, XSD
from mappings.curated.registry import PrecisionReading, Registry, StackPart, Status
from mappings.source_description import ABSENCES, INFERENCES, SourceDescription


@dataclass(frozen=True, slots=True)
class Placed:
    """The quads that one record gives, and its place in the document (a line, or a pointer)."""

    place: int | str
    quads: tuple[Quad, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """One release of a source: where its statements go, and the names that it may use."""

    source: str
    version: str
    graph: NamedNode
    iri: NamedNode
    registry: Registry

    def mint(self, kind: str, *keys: str) -> NamedNode:
        """Mint the IRI of something that this release states."""
        return mint_iri(kind, self.source, self.version, *keys)


def release_of(source: str, version: str, registry: Registry, overlay: str | None) -> Release:
    """Name one release of a source; an overlay's release has a graph of its own."""
    return Release(
        source,
        version,
        source_graph(source, version, overlay),
        mint_iri("source", source, version),
        registry,
    )


def map_release(
    release: Release, description: SourceDescription, overlay: str | None
) -> Iterator[Quad]:
    """Describe the release itself: its source, what absence means there, what it licenses."""
    source = mint_iri("source", release.source)
    yield from describe(
        release.graph,
        source,
        (RDF.type, (RA.Source, DCAT.DatasetSeries)),
        (RDFS.label, description.title),
        (SKOS.notation, release.source),
    )
    yield from describe(
        release.graph,
        release.iri,
        (RDF.type, (RA.SourceRelease, DCAT.Dataset, PROV.Entity)),
        (RDFS.label, f"{description.title}, {release.version}"),
        (RA.ofSource, source),
        (DCAT.inSeries, source),
        (DCAT.version, release.version),
        (RA.absenceMeans, ABSENCES[description.absence]),
        (RA.licensesInference, INFERENCES[description.licenses_inference]),
        (RA.fromOverlay, overlay),
        (PROV.generatedAtTime, registered_at(description)),
    )


def registered_at(description: SourceDescription) -> Literal | None:
    """Return when a document without dates of its own was registered, as a time."""
    if description.registered is None:
        return None
    day = description.registered.isoformat()
    return Literal(f"{day}T00:00:00Z", datatype=XSD.dateTime)


def checkpoint_quads(graph: NamedNode, repository_id: str) -> Iterator[Quad]:
    """State that a source names a repository id."""
    yield from describe(
        graph,
        mint_checkpoint(repository_id),
        (RDF.type, (RA.Checkpoint, FAIR4ML.MLModel)),
        (RDFS.label, repository_id),
        (RA.repositoryId, repository_id),
    )


def map_family(release: Release, label: str) -> Iterator[Quad]:
    """State that a source prints a family's label."""
    yield from describe(
        release.graph,
        family_iri(release.source, label),
        (RDF.type, (RA.Family, SKOS.Concept)),
        (SKOS.prefLabel, label),
        (RA.foldedLabel, fold(label)),
        (SKOS.notation, f"{release.source}/{label}"),
        (SKOS.inScheme, RA.Families),
        (RA.ofSource, mint_iri("source", release.source)),
    )


def fold(label: str) -> str:
    """Return a label without case and punctuation; labels that then agree may mean the same."""
    return "".join(filter(str.isalnum, label.casefold()))


def family_iri(source: str, label: str) -> NamedNode:
    """Mint the IRI of one source's family; the labels of two sources never meet here."""
    return mint_iri("family", source, label)


def map_path(release: Release, row_key: tuple[str, ...], status: Status) -> Iterator[Quad]:
    """State a support path: its row, the release it belongs to, and what its status token says."""
    key = "/".join(row_key)
    yield from describe(
        release.graph,
        release.mint("path", *row_key),
        (RDF.type, (RA.SupportPath, PROV.Entity)),
        (RA.rowKey, key),
        (RA.statementKey, f"{release.source}/{key}"),
        (DCTERMS.isPartOf, release.iri),
        (PROV.wasDerivedFrom, release.iri),
        (RA.rawStatus, status.token),
        (RA.outcome, status.outcome),
        (RA.level, status.level),
        (RA.maturity, status.maturity),
        (RA.basis, status.basis),
    )


_BOUNDS: Final = {"exact": RA.release, "minimum": RA.minRelease, "maximum": RA.maxRelease}


def map_stack(
    release: Release, path: NamedNode, text: str, parts: Iterable[StackPart]
) -> Iterator[Quad]:
    """State the components of a path's stack, with the releases that its text prints."""
    yield from describe(release.graph, path, (RA.stackText, text))
    for part in parts:
        component = mint_iri("component", part.component)
        yield from describe(release.graph, path, (RA.component, component))
        if part.bound and part.version:
            software = mint_iri("release", part.component, part.version)
            yield from describe(release.graph, path, (_BOUNDS[part.bound], software))
            yield from describe(
                release.graph,
                software,
                (RDF.type, RA.Release),
                (RDFS.label, f"{part.component} {part.version}"),
                (RA.ofComponent, component),
                (RA.version, part.version),
            )


def map_cell(
    graph: NamedNode, path: NamedNode, reading: PrecisionReading, hardware: NamedNode
) -> Iterator[Quad]:
    """State a precision, in a role, that a path's source pairs with a piece of hardware."""
    if reading.precision is None:
        return
    cell = mint_part(
        "cell", path, local_name(reading.precision), local_name(reading.role), *keys_of(hardware)
    )
    yield from describe(graph, path, (RA.cell, cell))
    yield from describe(
        graph,
        cell,
        (RDF.type, RA.ConfigurationCell),
        (RA.cellPrecision, reading.precision),
        (RA.cellRole, reading.role),
        (RA.cellHardware, hardware),
    )
