"""Any evidence database that the registry knows the words of survives the graph."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Quad, Store

from kg.store import fill_default_graph
from kg.vocab import RA
from mappings.curated.mapper import StatedRows, map_row
from mappings.curated.reader import read_curated_tables
from mappings.curated.registry import registry_for
from mappings.curated.rows import CuratedTables
from mappings.evidence_database import mapper
from mappings.evidence_database.reader import read_evidence_database
from mappings.source_description import read_source_description
from mappings.statements import map_release, release_of
from tests.test_round_trip import _arrays_as_sets, _database, _Graph

DATA = Path(__file__).parents[1] / "data"
TABLES: CuratedTables = read_curated_tables(DATA / "curated")
REGISTRY = registry_for("model-support", None, TABLES)
DESCRIPTION = read_source_description(
    DATA / "sources/model-support/source.toml", {"evidence-database": ()}
)
ORIGINAL = json.loads((DATA / "sources/model-support/model-support.json").read_text("utf-8"))
NOBODY = StatedRows(frozenset(), {}, frozenset(), frozenset(), {}, {})
REGISTERED = [
    quad
    for table in ("organisations", "platforms", "products", "integrations")
    for row in TABLES[table]
    for quad in map_row(row, NOBODY)
]
DAYS = st.dates().map(lambda day: day.isoformat())
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=30).map(
    lambda words: f"a{words}"
)  # a text that says nothing is refused
NAMES = st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,11}", fullmatch=True)


def _some(values: Any) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(sorted(values)), unique=True, max_size=4)


def _model(number: int) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "id": st.just(f"model-{number}"),
            "display_name": WORDS,
            "model_id": st.tuples(NAMES, NAMES).map(lambda pair: f"{pair[0]}/{pair[1]}-{number}"),
            "publisher": st.sampled_from(sorted(REGISTRY.organisations.values)),
            "family": WORDS,
            "parameter_count": st.sampled_from(["7B", "235B total / 22B active", "350M"]),
            "modality": st.sampled_from(sorted(mapper.MODALITIES)),
            "architecture": st.sampled_from(sorted(mapper.ARCHITECTURE_KINDS)),
            "notes": WORDS,
        }
    )


EVIDENCE = st.fixed_dictionaries(
    {
        "type": st.sampled_from(sorted(mapper.EVIDENCE_TYPES)),
        "url": NAMES.map(lambda name: f"https://example.org/{name}"),
        "publisher": st.sampled_from(sorted(REGISTRY.organisations.values)),
        "published_at": st.none() | DAYS,
        "checked_at": DAYS,
        "claim": WORDS,
    }
)


def _path(number: int, models: int) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "id": st.just(f"path-{number}"),
            "model_id": st.integers(0, models - 1).map(lambda n: f"model-{n}"),
            "platform_id": st.sampled_from(sorted(REGISTRY.platforms.values)),
            "product_ids": _some(REGISTRY.products.values),
            "integration_ids": _some(REGISTRY.integrations.values),
            "software_stack": st.sampled_from(sorted(REGISTRY.stacks.values)),
            "support_level": st.sampled_from(sorted(ORIGINAL["support_levels"])),
            "precision_modes": _some(REGISTRY.precisions.values),
            "quantization": WORDS,
            "execution_modes": _some(REGISTRY.features.values),
            "hardware_scope": WORDS,
            "limitations": WORDS,
            "evidence": st.lists(EVIDENCE, min_size=1, max_size=2),
        }
    )


@st.composite
def databases(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a database of up to three models and four paths, in the registry's words."""
    models = draw(st.integers(1, 3))
    paths = draw(st.integers(0, 4))
    return {
        **ORIGINAL,
        "models": [draw(_model(number)) for number in range(models)],
        "support_paths": [draw(_path(number, models)) for number in range(paths)],
    }


def _map(database: dict[str, Any], folder: Path) -> tuple[Store, list[Quad]]:
    path = folder / "database.json"
    path.write_text(json.dumps(database), encoding="utf-8")
    document = read_evidence_database(path)
    release = release_of("model-support", document.database_version, REGISTRY, None)
    assert not list(mapper.unknown_tokens(document, release))
    quads = list(map_release(release, DESCRIPTION, None))
    for placed in mapper.map_evidence_database(document, release):
        quads += placed.quads
    ontology = Path(__file__).parents[1] / "ontology" / "runatlas.ttl"
    store = Store()
    store.load(path=ontology)
    store.extend([*quads, *REGISTERED])
    graphs = [graph for graph in store.named_graphs() if isinstance(graph, NamedNode)]
    fill_default_graph(store, graphs)
    return store, quads


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(database=databases())
def test_any_database_survives_the_graph(
    database: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store, _ = _map(database, tmp_path_factory.mktemp("database"))
    for item in [item for path in database["support_paths"] for item in path["evidence"]]:
        assert item["claim"]
    assert _database(_Graph(store)) == _arrays_as_sets(database)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(database=databases())
def test_lists_are_never_multiplied_out(
    database: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Rule R55: with several products and several precisions, no pair is written."""
    _, quads = _map(database, tmp_path_factory.mktemp("database"))
    cells: dict[str, int] = {}
    for quad in quads:
        if quad.predicate == RA.cell and isinstance(quad.subject, NamedNode):
            cells[quad.subject.value] = cells.get(quad.subject.value, 0) + 1
    for path in database["support_paths"]:
        iri = f"https://w3id.org/runatlas/id/path/model-support/2026.11.09-2/{path['id']}"
        if len(path["product_ids"]) != 1 and len(path["precision_modes"]) != 1:
            assert iri not in cells
        assert cells.get(iri, 0) <= max(len(path["product_ids"]), len(path["precision_modes"]))
