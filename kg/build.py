"""Build the graph, end to end: read, map, derive, describe, validate, write a snapshot."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version as package_version
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pyoxigraph import NamedNode, Quad, RdfFormat, Store, parse

from kg import __version__
from kg.catalog import describe_build
from kg.errors import Problem, SourceError
from kg.inputs import Inputs, read_inputs
from kg.resources import DATA, ONTOLOGY
from kg.rules import Rule, derive, read_rules
from kg.snapshot import GRAPH, PLACES, REPORT, REPORT_TEXT, Place, write_places, write_snapshot
from kg.store import fill_default_graph, is_asserted, is_overlay, named_quads, sorted_nquads
from kg.turtle_lines import subject_lines
from kg.validation import Report, validate
from kg.vocab import ONTOLOGY_GRAPH, RA
from mappings.formats import MappedSource
from mappings.source_text import show_path
from mappings.toml_text import read_toml

_TERMS: Final = ONTOLOGY / "runatlas.ttl"
TOOLS = ("oxrdflib", "pydantic", "pyoxigraph", "pyshacl", "rdflib")


@dataclass(frozen=True, slots=True)
class Graph:
    """Everything that a build states and derives, before it is written."""

    version: str
    store: Store
    inputs: Inputs
    places: Mapping[str, set[Place]]

    @property
    def counts(self) -> dict[str, int]:
        """What the build is made of, and what it holds."""
        return {
            "sources": len(self.inputs.sources),
            "records": sum(len(source.records) for source in self.inputs.sources),
            "curated rows": len(self.inputs.rows),
            "quads": sum(1 for _ in named_quads(self.store)),
        }


@dataclass(frozen=True, slots=True)
class Built:
    """A build's outcome; ``snapshot`` is None when violations kept it from being written."""

    graph: Graph
    report: Report
    snapshot: Path | None


def build(
    *,
    data: Path = DATA,
    out: Path = Path("build"),
    documents: Mapping[str, Path] = MappingProxyType({}),
    only: tuple[str, ...] | None = None,
    overlays: tuple[Path, ...] = (),
) -> Built:
    """Build a data folder into a snapshot below ``out`` and make it the current one.

    With a violation nothing is written and the current snapshot stays.

    Raises:
        SourceError: with every fault of every input file.
        SnapshotError: the snapshot cannot be written.
    """
    try:
        graph = assemble(data=data, documents=documents, only=only, overlays=overlays)
    except SourceError as error:
        error.add_note("Nothing was written.")
        raise
    report = validate(graph.store, graph.places)
    if not report.conforms:
        return Built(graph, report, None)
    files = {
        GRAPH: sorted_nquads(named_quads(graph.store)),
        PLACES: write_places(graph.places),
        REPORT: report.turtle,
        REPORT_TEXT: report.text.encode(),
    }
    return Built(graph, report, write_snapshot(out, graph.version, files, _manifest(graph)))


def assemble(
    *,
    data: Path = DATA,
    documents: Mapping[str, Path] = MappingProxyType({}),
    only: tuple[str, ...] | None = None,
    overlays: tuple[Path, ...] = (),
) -> Graph:
    """Read, map and derive; nothing is validated or written.

    A user's own statements come last, so that neither the catalog nor the derived graphs of the
    data depend on them.

    Raises:
        SourceError: with every fault of every input file.
    """
    inputs = read_inputs(data, documents=documents, only=only, overlays=overlays)
    version = _read_version(data / "dataset.toml")
    store, rules = Store(), read_rules()
    quads = [quad for quads in _mapped(inputs) for quad in quads]
    store.extend(quad for quad in quads if not _of_overlay(quad))
    store.extend(_ontology())
    _fill(store)
    for rule in rules:
        store.extend(derive(store, rule, rule.graph))
    own = [source for source in inputs.sources if not is_overlay(source.release.graph)]
    store.extend(describe_build(store, own, rules, version))
    if inputs.overlays:
        store.extend(quad for quad in quads if _of_overlay(quad))
        _fill(store)
        for rule in rules:
            _derive_more(store, rule)
    return Graph(version, store, inputs, _places(inputs, data, rules, store))


def _mapped(inputs: Inputs) -> list[tuple[Quad, ...]]:
    records = [record.quads for source in inputs.sources for record in source.records]
    about = [source.about for source in inputs.sources]
    return [*about, *records, *(row.quads for row in inputs.rows)]


def _of_overlay(quad: Quad) -> bool:
    return isinstance(quad.graph_name, NamedNode) and is_overlay(quad.graph_name)


def _ontology() -> list[Quad]:
    text = _TERMS.read_bytes()
    return [
        Quad(quad.subject, quad.predicate, quad.object, ONTOLOGY_GRAPH)
        for quad in parse(text, format=RdfFormat.TURTLE)
    ]


def _fill(store: Store) -> None:
    graphs = [graph for graph in store.named_graphs() if isinstance(graph, NamedNode)]
    fill_default_graph(store, [graph for graph in graphs if is_asserted(graph)])


def _derive_more(store: Store, rule: Rule) -> None:
    known = {(q.subject, q.predicate, q.object) for q in derive(store, rule, rule.graph)}
    for quad in store.quads_for_pattern(None, None, None, rule.graph):
        known.discard((quad.subject, quad.predicate, quad.object))
    store.extend(Quad(*triple, rule.overlay_graph) for triple in known)


_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]*")


def _read_version(path: Path) -> str:
    toml = read_toml(path)
    version = toml.entries.get("version")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        message = f"the key 'version' does not have the form {_VERSION.pattern}"
        raise SourceError([Problem(show_path(path), toml.line("version"), message)])
    return version


def _places(
    inputs: Inputs, data: Path, rules: tuple[Rule, ...], store: Store
) -> dict[str, set[Place]]:
    """Note where each subject is stated: a record, a row, a line of the ontology, a rule's file."""
    places = {
        subject: {Place("ontology", "ontology/runatlas.ttl", str(line)) for line in lines}
        for subject, lines in subject_lines(_TERMS.read_text(encoding="utf-8")).items()
    }
    for place, quads in _placed(inputs, data, rules, store):
        for quad in quads:
            if isinstance(quad.subject, NamedNode):
                places.setdefault(quad.subject.value, set()).add(place)
    return places


def _placed(
    inputs: Inputs, data: Path, rules: tuple[Rule, ...], store: Store
) -> Iterator[tuple[Place, Iterable[Quad]]]:
    for source in inputs.sources:
        document = _relative(source.document, data, inputs.overlays)
        yield _licensed(source, data, inputs.overlays)
        for record in source.records:
            yield Place(source.release.source, document, str(record.place) or "/"), record.quads
    for mapped in inputs.rows:
        row = mapped.row
        path = _relative(Path(row.path), data, inputs.overlays)
        yield Place(row.table, path, str(row.line)), mapped.quads
    for rule in rules:
        place = Place(rule.name, f"ontology/rules/{rule.file}", "1")
        for graph in (rule.graph, rule.overlay_graph):
            yield place, store.quads_for_pattern(None, None, None, graph)


def _licensed(
    source: MappedSource, data: Path, overlays: Mapping[str, Path]
) -> tuple[Place, Iterable[Quad]]:
    """Place what source.toml alone says of a release: whether it licenses an inference."""
    described = source.description
    place = Place(
        source.release.source,
        _relative(described.path, data, overlays),
        str(described.lines["licenses_inference"]),
    )
    return place, [quad for quad in source.about if quad.predicate == RA.licensesInference]


def _relative(path: Path, data: Path, overlays: Mapping[str, Path]) -> str:
    """Show a file below the data folder or an overlay, whose name comes first; else its name."""
    roots = [(data.resolve(), Path()), *((o.resolve(), Path(name)) for name, o in overlays.items())]
    file = path.resolve()
    around = [
        (len(root.parts), shown / file.relative_to(root))
        for root, shown in roots
        if file.is_relative_to(root)
    ]
    return str(max(around)[1]) if around else path.name


def _manifest(graph: Graph) -> dict[str, Any]:
    sources = {}
    for source in graph.inputs.sources:
        content = source.document.read_bytes()
        quads = graph.store.quads_for_pattern(None, None, None, source.release.graph)
        sources[source.release.source] = {
            "file": source.document.name,
            "sha256": hashlib.sha256(content).hexdigest(),
            "version": source.release.version,
            "records": len(source.records),
            "quads": sum(1 for _ in quads),
        }
    return {
        "sources": sources,
        "overlays": list(graph.inputs.overlays),
        "curated_rows": len(graph.inputs.rows),
        "quads": sum(1 for _ in named_quads(graph.store)),
        "tools": {"runatlas": __version__, **{name: package_version(name) for name in TOOLS}},
    }
