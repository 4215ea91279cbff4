"""Exports: what goes out comes back, asserted and derived apart, whole or not at all."""

import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pyarrow
import pytest
from pyarrow import parquet
from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from kg.backend import StoreBackend
from kg.build import build
from kg.check.facts import Path as SupportPath
from kg.check.facts import read_paths
from kg.errors import ExportError, UsageError
from kg.export import FORMATS, export
from kg.export.facts import Facts, Said
from kg.export.schema import REQUIREMENTS, TABLES
from kg.export.tables import Kind, Table, fill
from kg.iris import keys_of, mint_checkpoint, mint_iri
from kg.resources import DATA
from kg.snapshot import GRAPH, Snapshot, open_snapshot
from kg.store import is_overlay, named_quads
from kg.vocab import CATALOG_GRAPH, RA, RDF
from tests.conftest import DOCUMENTS

DOCUMENTATION: Final = Path(__file__).parent.parent / "docs" / "export.md"
RDF_FORMATS: Final = {
    "nquads": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "jsonld": RdfFormat.JSON_LD,
}
FOLDERS: Final = ("csv", "parquet")
DERIVED_KINDS: Final = {"inference"}
ROWS: Final = {
    "models": 78,
    "paths": 86,
    "evidence": 86,
    "model_statements": 79,
    "requirements": 4,
    "derived": 28,
}

Rows = list[dict[str, Any]]


@pytest.fixture(scope="session")
def tables(snapshot: Snapshot, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    """The tables of the two documents, read back from CSV."""
    out = tmp_path_factory.mktemp("export") / "csv"
    export(snapshot, "csv", out)
    return read_csv(out)


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """The two documents with an overlay: a source of the user's own.

    The source licenses inference, so that derivations follow from it too.
    """
    overlay = tmp_path_factory.mktemp("overlays") / "my-notes"
    shutil.copytree(DATA / "sources" / "cloud-ai-100", overlay / "sources" / "my-page")
    (overlay / "curated").mkdir()
    for table in ("status_words", "precision_names", "feature_names", "runtime_requirements"):
        header, *rows = (DATA / "curated" / f"{table}.csv").read_text(encoding="utf-8").splitlines()
        mine = [row.replace("cloud-ai-100,", "my-page,", 1) for row in rows]
        kept = [row for row in mine if row.startswith("my-page,")]
        (overlay / "curated" / f"{table}.csv").write_text("\n".join([header, *kept, ""]))
    out = tmp_path_factory.mktemp("build")
    built = build(out=out, only=DOCUMENTS, overlays=(overlay,))
    assert built.snapshot, built.report.text
    return open_snapshot(built.snapshot)


def read_csv(folder: Path) -> dict[str, Rows]:
    return {table.name: list(_csv_rows(folder / f"{table.name}.csv", table)) for table in TABLES}


def _csv_rows(path: Path, table: Table) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, strict=True):
            yield {column.name: _value(row[column.name], column.kind) for column in table.columns}


def _value(cell: str, kind: Kind) -> Any:
    if kind is Kind.LIST:
        return json.loads(cell)
    if kind is Kind.BOOLEAN:
        return {"true": True, "false": False}[cell]
    if cell == "":
        return None
    return int(cell) if kind is Kind.INTEGER else cell


def read_sqlite(path: Path) -> dict[str, Rows]:
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        return {
            table.name: [
                {
                    column.name: _sqlite_value(row[column.name], column.kind)
                    for column in table.columns
                }
                for row in database.execute(f"SELECT * FROM {table.name}")  # noqa: S608
            ]
            for table in TABLES
        }


def _sqlite_value(value: Any, kind: Kind) -> Any:
    if kind is Kind.LIST:
        return json.loads(value)
    return bool(value) if kind is Kind.BOOLEAN else value


def read_parquet(folder: Path) -> dict[str, Rows]:
    found = {}
    for table in TABLES:
        days = {column.name for column in table.columns if column.kind is Kind.DATE}
        rows = parquet.read_table(folder / f"{table.name}.parquet").to_pylist()
        found[table.name] = [
            {
                name: value.isoformat() if name in days and value else value
                for name, value in row.items()
            }
            for row in rows
        ]
    return found


READERS: Final = {"csv": read_csv, "parquet": read_parquet, "sqlite": read_sqlite}


def _contents(files: tuple[Path, ...]) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in files}


# RDF


@pytest.mark.parametrize("format", RDF_FORMATS)
def test_rdf_comes_back_with_its_graphs(format: str, snapshot: Snapshot, tmp_path: Path) -> None:
    (path,) = export(snapshot, format, tmp_path / "out")
    back = list(parse(path.read_bytes(), format=RDF_FORMATS[format]))
    assert len(back) == len(set(back))
    assert set(back) == set(named_quads(snapshot.store))
    assert all(isinstance(quad.graph_name, NamedNode) for quad in back)


def test_nquads_are_the_snapshots_own(snapshot: Snapshot, tmp_path: Path) -> None:
    (path,) = export(snapshot, "nquads", tmp_path / "out.nq")
    assert path.read_bytes() == (snapshot.folder / GRAPH).read_bytes()


def test_trig_is_written_with_prefixes(snapshot: Snapshot, tmp_path: Path) -> None:
    (path,) = export(snapshot, "trig", tmp_path / "out.trig")
    lines = path.read_text(encoding="utf-8").splitlines()
    prefixes = [line for line in lines if line.startswith("@prefix ")]
    assert prefixes == sorted(prefixes) == lines[: len(prefixes)]
    assert any(line.startswith("@prefix ra: ") for line in prefixes)


# Determinism


@pytest.mark.parametrize("format", FORMATS)
def test_equal_snapshots_give_equal_bytes(format: str, snapshot: Snapshot, tmp_path: Path) -> None:
    first = export(snapshot, format, tmp_path / "first")
    code = (
        "import sys; from pathlib import Path; from kg.export import export; "
        "from kg.snapshot import open_snapshot; "
        "export(open_snapshot(Path(sys.argv[1])), sys.argv[2], Path(sys.argv[3]))"
    )
    second = tmp_path / "second"
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    arguments = [sys.executable, "-c", code, str(snapshot.folder), format, str(second)]
    subprocess.run(arguments, check=True, env=environment)
    again = tuple(second.iterdir()) if second.is_dir() else (second,)
    assert sorted(_contents(first).values()) == sorted(_contents(again).values())


# Tables


def test_rows_are_counted(tables: dict[str, Rows]) -> None:
    assert {name: len(tables[name]) for name in ROWS} == ROWS
    assert Counter(row["source"] for row in tables["paths"]) == {
        "cloud-ai-100": 74,
        "model-support": 12,
    }
    assert sum(row["premises"] for row in tables["derived"]) == len(tables["derived_premises"])


@pytest.mark.parametrize("format", ["parquet", "sqlite"])
def test_formats_agree(
    format: str, tables: dict[str, Rows], snapshot: Snapshot, tmp_path: Path
) -> None:
    export(snapshot, format, tmp_path / "out")
    assert READERS[format](tmp_path / "out") == tables


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_keys_tell_rows_apart_and_required_cells_are_filled(
    table: Table, tables: dict[str, Rows]
) -> None:
    rows = tables[table.name]
    assert rows
    assert len({tuple(row[name] for name in table.key) for row in rows}) == len(rows)
    required = [column.name for column in table.columns if column.required]
    assert all(row[name] is not None for row in rows for name in required)


def test_a_path_is_one_row_with_its_lists_side_by_side(tables: dict[str, Rows]) -> None:
    (row,) = [r for r in tables["paths"] if r["row_key"] == "nvidia-trtllm-deepseek-r1-0528"]
    assert row["generations"] == ["blackwell", "hopper"]
    assert row["products"] == []
    assert {"b200", "h100", "h200"} <= set(row["products_named_not_mapped"])
    assert len(row["printed_precisions"]) > 1
    cells = [cell for cell in tables["cells"] if cell["path"] == row["iri"]]
    assert [(cell["precision"], cell["hardware_kind"], cell["hardware"]) for cell in cells] == [
        ("nvfp4", "generation", "blackwell")
    ]


def test_a_variant_and_a_draft_keep_their_labels(tables: dict[str, Rows]) -> None:
    (row,) = [r for r in tables["paths"] if r["row_key"] == "amd-mi355x-llama31-405b-fly"]
    assert row["repository_id"] == "meta-llama/Llama-3.1-405B-Instruct"
    assert row["tested_variants"] == ["Llama-3.1-405B-Instruct-FP8-KV"]
    assert row["draft_models"] == ["Llama-3.1-8B-Instruct"]
    assert (row["outcome"], row["level"]) == ("Supported", "UpstreamVerified")
    assert row["places"] == ["sources/model-support/model-support.json#/support_paths/3"]


def test_releases_carry_their_component_and_bound(tables: dict[str, Rows]) -> None:
    releases = {release for row in tables["paths"] for release in row["releases"]}
    assert releases
    components = {component for row in tables["paths"] for component in row["components"]}
    assert {release.partition("==")[0].rstrip("<>=") for release in releases} <= components


def test_exclusions_name_each_target(tables: dict[str, Rows]) -> None:
    targets = {
        (row["target_kind"], row["target"])
        for row in tables["exclusions"]
        if keys_of(NamedNode(row["exclusion"]))[-1] in ("nvfp4-hopper", "other-models", "thinking")
    }
    assert targets == {
        ("checkpoint", "Qwen/Qwen3-235B-A22B-Thinking-2507"),
        ("generation", "hopper"),
        ("label", "Llama 4 Maverick"),
        ("precision", "nvfp4"),
    }


def test_a_requirement_names_what_needs_it_where_and_why(tables: dict[str, Rows]) -> None:
    (row,) = [row for row in tables["requirements"] if row["family"] == "CodeGemma"]
    assert row["iri"].startswith("https://w3id.org/runatlas/id/requirement/cloud-ai-100/CodeGemma/")
    del row["iri"], row["why"]
    assert row == {
        "setting": "disable_sliding_window",
        "reading": "AmbiguousReading",
        "source": "cloud-ai-100",
        "family": "CodeGemma",
        "repository_id": None,
        "platform": "cloud-ai-100",
        "component": "vllm",
        "read_in": "cloud-ai-100 snapshot-1 line 103",
        "overlay": None,
    }
    printed = {(row["source"], row["printed_family"]) for row in tables["model_statements"]}
    assert {(row["source"], row["family"]) for row in tables["requirements"]} <= printed


def test_a_requirement_of_a_checkpoint_names_its_repository_id() -> None:
    requirement, model = mint_iri("requirement", "one"), mint_checkpoint("a/b")
    said: dict[NamedNode, dict[NamedNode, Said]] = {
        requirement: {
            RDF.type: {RA.RuntimeRequirement: {CATALOG_GRAPH}},
            RA.forCheckpoint: {model: {CATALOG_GRAPH}},
            RA.requiresSetting: {Literal("x=1"): {CATALOG_GRAPH}},
        },
        model: {RA.repositoryId: {Literal("a/b"): {CATALOG_GRAPH}}},
    }
    (row,) = fill(REQUIREMENTS, Facts(said, {})).rows
    cells = dict(zip((column.name for column in REQUIREMENTS.columns), row, strict=True))
    assert (cells["setting"], cells["repository_id"]) == ("x=1", "a/b")
    assert (cells["source"], cells["family"]) == (None, None)


def test_the_tables_say_what_check_says(tables: dict[str, Rows], backend: StoreBackend) -> None:
    rows = {row["iri"]: row for row in tables["paths"]}
    models = {row["repository_id"] for row in rows.values()}
    found = {p.iri: p for model in models for p in read_paths(backend, mint_checkpoint(model))}
    assert {iri.value for iri in found} == set(rows)
    for iri, path in found.items():
        assert _said(path) == {name: rows[iri.value][name] for name in _said(path)}
        assert len(path.citations) == sum(r["path"] == iri.value for r in tables["evidence"])
        assert len(path.cells) == sum(r["path"] == iri.value for r in tables["cells"])
        assert len(path.deployments) == sum(r["path"] == iri.value for r in tables["deployments"])


def _said(path: SupportPath) -> dict[str, Any]:
    return {
        "release": path.release,
        "raw_status": path.raw_status,
        "stack": path.stack,
        "compile_mode": path.compile_mode,
        "generations": _ids(path.generations),
        "products": _ids(path.products),
        "products_named_not_mapped": _ids(path.named_products),
        "components": _ids(path.components),
        "features": _ids(path.features),
        "precisions": _ids(path.precisions),
        "printed_precisions": sorted(path.printed_precisions),
        "printed_modes": sorted(path.printed_modes),
        "tested_variants": sorted(path.tested_variants),
        "quantization": path.quantization,
        "hardware_scope": path.hardware_scope,
        "limitations": sorted(path.limitations),
        "places": sorted(str(place) for place in path.places),
    }


def _ids(things: frozenset[NamedNode]) -> list[str]:
    return sorted("/".join(keys_of(thing)[1:]) for thing in things)


def test_what_is_one_cell_is_one_value(snapshot: Snapshot) -> None:
    subjects = Counter(
        (quad.subject, quad.predicate, quad.graph_name)
        for quad in named_quads(snapshot.store)
        if isinstance(quad.subject, NamedNode)
        and quad.predicate.value.endswith(
            (
                *("#note", "#hardwareScope", "#quantizationText", "#stackText"),
                *("#topology", "#command", "#requiresSetting", "#requirementReading"),
                *("#forFamily", "#forCheckpoint", "#neededOn", "#neededWith"),
            )
        )
        and "/id/source/" not in quad.subject.value
    )
    assert set(subjects.values()) == {1}


# Asserted is not derived


@pytest.mark.parametrize("format", READERS)
def test_asserted_and_derived_stay_apart(format: str, own: Snapshot, tmp_path: Path) -> None:
    export(own, format, tmp_path / "out", overlays=True)
    read = READERS[format](tmp_path / "out")
    for table in TABLES:
        iris = [
            row[column] for row in read[table.name] for column in ("iri", "path") if column in row
        ]
        kinds = {keys_of(NamedNode(iri))[0] for iri in iris}
        if table.asserted:
            assert not kinds & DERIVED_KINDS
            assert "/id/inference/" not in json.dumps(read[table.name])
        elif table.name == "derived":
            assert kinds == DERIVED_KINDS


def test_derived_rows_have_no_level_outcome_or_evidence() -> None:
    columns = {column.name for table in TABLES if not table.asserted for column in table.columns}
    assert not columns & {"level", "outcome", "evidence", "repository_id", "products"}


# Overlays


@pytest.mark.parametrize("format", RDF_FORMATS)
def test_overlay_graphs_are_left_out(format: str, own: Snapshot, tmp_path: Path) -> None:
    assert any(_of_overlay(quad.graph_name) for quad in named_quads(own.store))
    (path,) = export(own, format, tmp_path / "out")
    back = set(parse(path.read_bytes(), format=RDF_FORMATS[format]))
    assert back == {q for q in named_quads(own.store) if not _of_overlay(q.graph_name)}


@pytest.mark.parametrize("format", RDF_FORMATS)
def test_overlay_graphs_are_written_if_asked_for(
    format: str, own: Snapshot, tmp_path: Path
) -> None:
    (path,) = export(own, format, tmp_path / "out", overlays=True)
    back = set(parse(path.read_bytes(), format=RDF_FORMATS[format]))
    assert back == set(named_quads(own.store))


def _of_overlay(graph: object) -> bool:
    return isinstance(graph, NamedNode) and is_overlay(graph)


@pytest.mark.parametrize("format", FORMATS)
def test_without_overlays_nothing_tells_of_them(
    format: str, own: Snapshot, snapshot: Snapshot, tmp_path: Path
) -> None:
    with_, without = (
        _contents(export(s, format, tmp_path / name)) for s, name in ((own, "a"), (snapshot, "b"))
    )
    for contents in (with_.values(), without.values()):
        for content in contents:
            assert b"my-page" not in content
            assert b"my-notes" not in content
    if format not in READERS:
        assert list(with_.values()) == list(without.values())
    else:
        assert READERS[format](tmp_path / "a") == READERS[format](tmp_path / "b")


def test_overlays_are_marked(own: Snapshot, tmp_path: Path, tables: dict[str, Rows]) -> None:
    export(own, "csv", tmp_path / "out", overlays=True)
    read = read_csv(tmp_path / "out")
    for name in ("paths", "evidence", "cells", "model_statements", "requirements"):
        mine = [row for row in read[name] if row["overlay"]]
        assert mine
        assert {row["overlay"] for row in mine} == {"my-notes"}
        assert len(read[name]) - len(mine) == len(tables[name])
    assert all((row["source"] == "my-page") == bool(row["overlay"]) for row in read["paths"])
    assert not any(row["overlay"] for row in read["models"])  # the page's own ids, all known
    assert Counter(row["needs_overlay"] for row in read["derived"]) == {False: 28, True: 28}
    assert {row["needs_overlay"] for row in read["derived_premises"]} == {False, True}


# SQLite, Parquet, CSV


def test_sqlite_keys_hold(own: Snapshot, tmp_path: Path) -> None:
    (path,) = export(own, "sqlite", tmp_path / "out.db", overlays=True)
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        references = database.execute("PRAGMA foreign_key_list(paths)").fetchall()
        assert [(row[2], row[3], row[4]) for row in references] == [
            ("models", "repository_id", "repository_id")
        ]
        about = dict(database.execute("SELECT name, value FROM about"))
        assert about["snapshot"] == own.name
        lists = database.execute(
            "SELECT count(*) FROM paths, json_each(paths.components) WHERE value = 'vllm'"
        )
        assert lists.fetchone()[0] > 74


def test_parquet_lists_are_lists(snapshot: Snapshot, tmp_path: Path) -> None:
    export(snapshot, "parquet", tmp_path / "out")
    for table in TABLES:
        schema = parquet.read_schema(tmp_path / "out" / f"{table.name}.parquet")
        for column in table.columns:
            field = schema.field(column.name)
            assert pyarrow.types.is_list(field.type) == (column.kind is Kind.LIST)
            assert pyarrow.types.is_date32(field.type) == (column.kind is Kind.DATE)
            if column.kind is Kind.LIST:
                assert field.type.value_type == pyarrow.string()
            assert field.metadata[b"description"].decode() == column.meaning


def test_parquet_without_its_package(
    snapshot: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'runatlas\[parquet\]'"):
        export(snapshot, "parquet", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_csv_is_described_in_full(
    snapshot: Snapshot, tables: dict[str, Rows], tmp_path: Path
) -> None:
    files = export(snapshot, "csv", tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {path.name for path in files}
    described = json.loads((tmp_path / "out" / "tables.json").read_bytes())
    assert described["snapshot"] == snapshot.name
    assert "formulas" in " ".join(described["notes"])
    for entry, table in zip(described["tables"], TABLES, strict=True):
        header = (tmp_path / "out" / entry["file"]).read_text(encoding="utf-8").splitlines()[0]
        assert header.split(",") == [column["name"] for column in entry["columns"]]
        assert entry["rows"] == len(tables[table.name])
        assert all(column["meaning"] for column in entry["columns"])


def test_meanings_fit_one_line() -> None:
    meanings = [table.meaning for table in TABLES]
    meanings += [column.meaning for table in TABLES for column in table.columns]
    assert all(meaning and "\n" not in meaning for meaning in meanings)


# Writing


def test_an_unknown_format_is_refused(snapshot: Snapshot, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'xlsx'.*nquads, trig, jsonld, csv, parquet, sqlite"):
        export(snapshot, "xlsx", tmp_path / "out")


@pytest.mark.parametrize("format", FORMATS)
def test_an_earlier_export_is_replaced(format: str, snapshot: Snapshot, tmp_path: Path) -> None:
    first = _contents(export(snapshot, format, tmp_path / "out"))
    for path in (tmp_path / "out").iterdir() if format in FOLDERS else [tmp_path / "out"]:
        path.write_bytes(b"old")
    assert _contents(export(snapshot, format, tmp_path / "out")) == first
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("format", FOLDERS)
def test_an_empty_folder_is_filled(format: str, snapshot: Snapshot, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert all(path.is_file() for path in export(snapshot, format, tmp_path / "out"))


@pytest.mark.parametrize("format", FOLDERS)
def test_a_folder_with_other_things_is_left_alone(
    format: str, snapshot: Snapshot, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    (out / f"paths.{format}").mkdir(parents=True)
    (out / "thesis.docx").write_text("mine")
    with pytest.raises(UsageError, match=rf"paths\.{format}, thesis\.docx"):
        export(snapshot, format, out)
    assert {path.name for path in out.iterdir()} == {f"paths.{format}", "thesis.docx"}


def test_a_long_list_of_other_things_is_cut(snapshot: Snapshot, tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(UsageError, match=r"4\.txt and 3 more"):
        export(snapshot, "csv", tmp_path)


@pytest.mark.parametrize("format", FORMATS)
def test_the_wrong_kind_of_place_is_refused(
    format: str, snapshot: Snapshot, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    if format in FOLDERS:
        out.write_text("mine")
    else:
        out.mkdir()
    with pytest.raises(UsageError, match="folder"):
        export(snapshot, format, out)


def test_a_device_is_not_replaced(snapshot: Snapshot, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a regular file"):
        export(snapshot, "nquads", tmp_path / "pipe")


@pytest.mark.parametrize("format", FORMATS)
def test_the_snapshot_itself_is_never_written_to(format: str, snapshot: Snapshot) -> None:
    before = {path: path.read_bytes() for path in snapshot.folder.iterdir()}
    for out in (snapshot.folder / "graph.nq", snapshot.folder / "new"):
        with pytest.raises(UsageError, match="never changes"):
            export(snapshot, format, out)
    assert {path: path.read_bytes() for path in snapshot.folder.iterdir()} == before


@pytest.mark.parametrize("format", FORMATS)
def test_a_missing_folder_is_named(format: str, snapshot: Snapshot, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=rf"there is no folder {tmp_path}/missing"):
        export(snapshot, format, tmp_path / "missing" / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", FORMATS)
def test_a_place_that_cannot_be_is_named(format: str, snapshot: Snapshot, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("n" * 255, "loop", "nul\0"):
        with pytest.raises(ExportError, match="cannot be written"):
            export(snapshot, format, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_failed_export_leaves_the_old_one(
    format: str, snapshot: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _contents(export(snapshot, format, tmp_path / "out"))

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExportError, match="out: cannot be written: No space left on device"):
        export(snapshot, format, tmp_path / "out")
    out = tmp_path / "out"
    assert _contents(tuple(out.iterdir()) if format in FOLDERS else (out,)) == before
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("format", FOLDERS)
def test_a_folder_that_cannot_be_moved_in_leaves_the_old_one(
    format: str, snapshot: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    before = _contents(export(snapshot, format, out))
    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if "unfinished" in path.name:
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(ExportError, match="Input/output error"):
        export(snapshot, format, out)
    assert _contents(tuple(out.iterdir())) == before
    assert list(tmp_path.iterdir()) == [out]


def test_a_link_stays_a_link(snapshot: Snapshot, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    export(snapshot, "nquads", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == (snapshot.folder / GRAPH).read_bytes()


# Documentation


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_is_documented(format: str) -> None:
    assert f"| `{format}` |" in DOCUMENTATION.read_text(encoding="utf-8")


def test_the_flag_that_adds_overlays_is_documented() -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    usage, _, rest = text.partition("```\n\n")
    assert "[--overlays]" in usage
    assert "`--overlays`" in rest
    done = subprocess.run(
        [sys.executable, "-m", "kg.cli", "export", "--help"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "--overlays" in done.stdout


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_each_table_and_column_is_documented(table: Table) -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    section = text.partition(f"### `{table.name}`\n")[2].partition("\n### ")[0]
    assert f"{table.meaning}." in section
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    assert lines == [f"| `{c.name}` | {c.kind.value} | {c.meaning} |" for c in table.columns]


@pytest.mark.parametrize(
    "place", ["snapshots/other/graph.nq", "snapshots/new.nq", ".lock", "current", "current/x.nq"]
)
def test_no_place_that_belongs_to_snapshots_is_written(
    place: str, snapshot: Snapshot, tmp_path: Path
) -> None:
    out = tmp_path / "build"
    other = out / "snapshots" / "other"
    other.mkdir(parents=True)
    (other / "manifest.json").write_text("{}", encoding="utf-8")
    (other / "graph.nq").write_text("", encoding="utf-8")
    (out / ".lock").touch()
    (out / "current").symlink_to(other)
    with pytest.raises(UsageError, match=r"snapshot"):
        export(snapshot, "nquads", out / place)
    assert (other / "graph.nq").read_bytes() == b""
