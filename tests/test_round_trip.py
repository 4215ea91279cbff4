"""Nothing is lost: each document can be written again from the graph alone.

The writers here are independent of the mappers: they read the graph by SPARQL.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import Literal, NamedNode, QuerySolutions, Store, Variable

from kg.build import Graph, assemble

DATA = Path(__file__).parents[1] / "data" / "sources"
SEEDS = Path(__file__).parents[2] / "shared" / "seeds"
PREFIXES = """
PREFIX dcat: <http://www.w3.org/ns/dcat#>
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX pav: <http://purl.org/pav/>
PREFIX ra: <https://w3id.org/runatlas/def#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX schema: <https://schema.org/>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
"""
SETS = frozenset({"product_ids", "integration_ids", "precision_modes", "execution_modes"})


def _documents(name: str) -> list[Any]:
    path = DATA / name.partition(".")[0].replace("page", "cloud-ai-100")
    original = SEEDS / name
    missing = pytest.mark.skipif(not original.is_file(), reason="../shared/seeds is not here")
    return [
        pytest.param(path.parent / path.name / name, id="data"),
        pytest.param(original, id="original", marks=missing),
    ]


def _assemble(source: str, document: Path) -> Graph:
    return assemble(only=(source,), documents={source: document})


class _Graph:
    """Asks a store for the values of properties."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def rows(self, pattern: str, **terms: NamedNode) -> Iterator[dict[str, str]]:
        variables = sorted({word.strip("?;.,)") for word in pattern.split() if word[0] == "?"})
        query = f"{PREFIXES} SELECT {' '.join('?' + v for v in variables)} WHERE {{ {pattern} }}"
        solutions = self.store.query(
            query, substitutions={Variable(name): term for name, term in terms.items()}
        )
        assert isinstance(solutions, QuerySolutions)
        for solution in solutions:
            values = {v: solution[v] for v in variables}
            yield {
                name: value.value
                for name, value in values.items()
                if isinstance(value, Literal | NamedNode)
            }

    def values(self, subject: str, path: str) -> list[str]:
        found = self.rows(f"?subject {path} ?value .", subject=NamedNode(subject))
        return sorted(row["value"] for row in found)

    def value(self, subject: str, path: str) -> str:
        (value,) = self.values(subject, path)
        return value

    def optional(self, subject: str, path: str) -> str | None:
        values = self.values(subject, path)
        assert len(values) <= 1
        return values[0] if values else None


def _database(graph: _Graph) -> dict[str, Any]:
    (release,) = [row["r"] for row in graph.rows("?r ra:schemaVersion ?v .")]
    return {
        "schema_version": graph.value(release, "ra:schemaVersion"),
        "database_version": graph.value(release, "dcat:version"),
        "last_reviewed": graph.value(release, "ra:lastReviewed"),
        "scope": graph.value(release, "ra:scopeText"),
        "support_levels": {
            row["id"]: row["text"]
            for row in graph.rows(
                "?d a ra:LevelDefinition ; ra:definedLevel/skos:notation ?id ;"
                " ra:definitionText ?text ."
            )
        },
        "models": {
            model["id"]: model
            for row in graph.rows("?s a ra:ModelStatement .")
            for model in [_model(graph, row["s"])]
        },
        "support_paths": {
            path["id"]: path
            for row in graph.rows("?p a ra:SupportPath .")
            for path in [_path(graph, row["p"])]
        },
    }


def _model(graph: _Graph, statement: str) -> dict[str, Any]:
    checkpoint = graph.value(statement, "ra:ofCheckpoint")
    return {
        "id": graph.value(statement, "ra:rowKey"),
        "display_name": graph.value(statement, "ra:printedName"),
        "model_id": graph.value(checkpoint, "ra:repositoryId"),
        "publisher": graph.value(checkpoint, "ra:publisher/rdfs:label"),
        "family": graph.value(statement, "ra:printedFamily"),
        "parameter_count": graph.value(statement, "ra:printedParameters"),
        "modality": graph.value(statement, "ra:printedModality"),
        "architecture": graph.value(statement, "ra:printedArchitectureKind"),
        "notes": graph.value(statement, "ra:note"),
    }


def _path(graph: _Graph, path: str) -> dict[str, Any]:
    return {
        "id": graph.value(path, "ra:rowKey"),
        "model_id": graph.value(path, "ra:checkpoint/^ra:ofCheckpoint/ra:rowKey"),
        "platform_id": graph.value(path, "ra:onPlatform/skos:notation"),
        "product_ids": graph.values(path, "ra:onProduct/skos:notation"),
        "integration_ids": graph.values(path, "ra:integration/skos:notation"),
        "software_stack": graph.value(path, "ra:stackText"),
        "support_level": graph.value(path, "ra:level/skos:notation"),
        "precision_modes": graph.values(path, "ra:printedPrecision"),
        "quantization": graph.value(path, "ra:quantizationText"),
        "execution_modes": graph.values(path, "ra:printedMode"),
        "hardware_scope": graph.value(path, "ra:hardwareScope"),
        "limitations": graph.value(path, "ra:limitation"),
        "evidence": [_evidence(graph, item) for item in graph.values(path, "ra:evidence")],
    }


def _evidence(graph: _Graph, item: str) -> dict[str, Any]:
    return {
        "type": graph.value(item, "ra:evidenceType/skos:notation"),
        "url": graph.value(item, "schema:url"),
        "publisher": graph.value(item, "dcterms:publisher/rdfs:label"),
        "published_at": graph.optional(item, "dcterms:issued"),
        "checked_at": graph.value(item, "pav:sourceLastAccessedOn"),
        "claim": graph.value(item, "ra:claim"),
    }


def _arrays_as_sets(document: dict[str, Any]) -> dict[str, Any]:
    def sort(entry: dict[str, Any]) -> dict[str, Any]:
        return {key: sorted(value) if key in SETS else value for key, value in entry.items()}

    return {
        **document,
        "models": {model["id"]: sort(model) for model in document["models"]},
        "support_paths": {path["id"]: sort(path) for path in document["support_paths"]},
    }


@pytest.mark.parametrize("path", _documents("model-support.json"))
def test_json_to_graph_to_json(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert _database(_Graph(_assemble("model-support", path).store)) == _arrays_as_sets(document)


Table = dict[str, list[tuple[int, str, str, tuple[str, ...], str | None]]]


def _tables_of_graph(graph: _Graph) -> Table:
    """Return each section's rows: number, architecture, family, ids in order, parameters."""
    rows: dict[tuple[str, int], dict[int, tuple[str, str, str, str | None]]] = {}
    for found in graph.rows("?s a ra:ModelStatement ; ra:section ?section ; ra:row ?row ."):
        statement = found["s"]
        ids = rows.setdefault((found["section"], int(found["row"])), {})
        ids[int(graph.value(statement, "ra:position"))] = (
            graph.value(statement, "ra:printedArchitecture"),
            graph.value(statement, "ra:printedFamily"),
            graph.value(statement, "ra:ofCheckpoint/ra:repositoryId"),
            graph.optional(statement, "ra:printedParameters"),
        )
    tables: Table = {}
    for (section, number), by_position in sorted(rows.items(), key=lambda item: item[0][1]):
        cells = [by_position[position] for position in sorted(by_position)]
        (head,) = {(architecture, family, count) for architecture, family, _, count in cells}
        ids_in_order = tuple(id_ for _, _, id_, _ in cells)
        tables.setdefault(section, []).append((number, head[0], head[1], ids_in_order, head[2]))
    return tables


def _tables_of_page(text: str) -> Table:
    """Read the page's tables by lines and tabs alone."""
    tables: Table = {}
    number, heading, architecture = 0, "", ""
    for line in text.split("\n"):
        cells = line.split("\t")
        if len(cells) == 1 and line.strip():
            heading = line.removesuffix("¶")
        if len(cells) < 3 or "/" not in cells[2]:
            continue
        if cells[0] == "mxint8 (KV cache)" or cells[0].startswith("mxfp6"):
            continue
        number += 1
        architecture = cells[0] or architecture
        parameters = cells[3] if len(cells) == 4 else None
        row = (number, architecture, cells[1], tuple(cells[2].split(", ")), parameters)
        tables.setdefault(heading, []).append(row)
    return tables


@pytest.mark.parametrize("path", _documents("cloud-ai-100.txt"))
def test_page_to_graph_to_tables(path: Path) -> None:
    expected = _tables_of_page(path.read_text(encoding="utf-8"))
    tables = {
        # The prose line above the multimodal table stands between it and its heading.
        next(h for h in expected if rows == expected[h]): rows
        for rows in _tables_of_graph(_Graph(_assemble("cloud-ai-100", path).store)).values()
    }
    assert tables == expected
    assert sum(map(len, tables.values())) == 41


def test_quick_starts_and_quantization_rows_are_kept() -> None:
    text = (DATA / "cloud-ai-100" / "cloud-ai-100.txt").read_text(encoding="utf-8")
    graph = _Graph(_assemble("cloud-ai-100", DATA / "cloud-ai-100" / "cloud-ai-100.txt").store)
    commands = [row["command"] for row in graph.rows("?d ra:command ?command .")]
    assert len(commands) == 2
    assert all(command in text for command in commands)
    printed = {
        (row["token"], row["status"], row["note"])
        for row in graph.rows(
            "?q a ra:QuantizationStatement ; ra:printedPrecision ?token ;"
            " ra:rawStatus ?status ; ra:note ?note ."
        )
    }
    rows = {tuple(line.split("\t")) for line in text.split("\n") if "\tRecommended\t" in line}
    assert printed == rows
    assert len(rows) == 2


def test_every_prose_line_of_the_page_is_kept() -> None:
    path = DATA / "cloud-ai-100" / "cloud-ai-100.txt"
    lines = path.read_text(encoding="utf-8").split("\n")
    store = _assemble("cloud-ai-100", path).store
    literals = {quad.object.value for quad in store if isinstance(quad.object, Literal)}
    prose = (3, 7, 52, 65, 66, 67, 94, 102, 103, 107)
    assert [n for n in prose if lines[n - 1] not in literals] == []
