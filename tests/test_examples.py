"""The example overlay works, and docs/data.md tells of everything that a source may hold."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest

from docs.refresh import refreshed
from kg.backend import StoreBackend
from kg.build import build
from kg.check.engine import Request, check
from kg.check.verdict import Judged
from kg.errors import SourceError
from kg.snapshot import Snapshot, open_snapshot
from kg.vocab import TEST_REPORT_SCHEMA
from mappings.curated.tables import COUNT, PROVENANCE, TABLES, Column, Table
from mappings.evidence_database.mapper import ARCHITECTURE_KINDS, MODALITIES
from mappings.evidence_database.reader import EVIDENCE_TYPES, SCHEMA_VERSIONS, SUPPORT_LEVELS
from mappings.evidence_database.records import EvidenceDatabase, EvidenceItem, Model, SupportPath
from mappings.formats import FORMATS
from mappings.source_description import ABSENCES, INFERENCES, SourceDescription
from tests.conftest import DOCUMENTS
from tests.test_check import TODAY

ROOT: Final = Path(__file__).parents[1]
OVERLAY: Final = ROOT / "examples" / "our-runs"
DOCUMENTATION: Final = ROOT / "docs" / "data.md"
TEXT: Final = DOCUMENTATION.read_text(encoding="utf-8")
MODEL: Final = "example-org/demo-7b-instruct"
RECORDS: Final = {
    "The document": EvidenceDatabase,
    "A model": Model,
    "A support path": SupportPath,
    "A citation": EvidenceItem,
}
TOKENS: Final = {
    "source.toml": (*FORMATS, *ABSENCES, *INFERENCES),
    "The document": (*SCHEMA_VERSIONS, *SUPPORT_LEVELS),
    "A model": (*MODALITIES, *ARCHITECTURE_KINDS),
    "A citation": EVIDENCE_TYPES,
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """All of the project's data with the example overlay."""
    built = build(out=tmp_path_factory.mktemp("build"), overlays=(OVERLAY,))
    assert built.snapshot, built.report.text
    return open_snapshot(built.snapshot)


def _judge(snapshot: Snapshot, target: str, **more: Any) -> Judged:
    request = Request(model=MODEL, targets=(target,), **more)
    (judged,) = check(StoreBackend(snapshot), request, as_of=TODAY).targets
    return judged


# The overlay


@pytest.mark.parametrize(
    ("target", "more", "verdict"),
    [
        ("example-x1", {}, "supported"),
        ("EX1", {"stack": "Example Runtime==0.3.1", "precision": "bf16"}, "supported"),
        ("example-accelerators", {}, "supported"),
        ("example-x1", {"features": ("offline-inference",), "count": 1}, "supported"),
        ("example-x1", {"count": 8}, "other-configuration"),
        ("example-x1", {"stack": "vllm"}, "other-configuration"),
        ("h100", {"stack": "vllm==0.11.0", "precision": "fp8", "count": 2}, "supported"),
        ("h100", {"stack": "vllm==0.10.0"}, "other-configuration"),
        ("h100", {"precision": "bf16"}, "other-configuration"),
        ("h200", {}, "no-evidence"),
    ],
)
def test_the_example_answers(
    target: str, more: dict[str, Any], verdict: str, own: Snapshot
) -> None:
    judged = _judge(own, target, **more)
    assert judged.verdict.value == verdict
    assert {finding.path.overlay for finding in judged.decisive} <= {"our-runs"}
    assert bool(judged.decisive) == (verdict != "no-evidence")


def test_the_example_is_independently_tested(own: Snapshot) -> None:
    found = {finding.path.raw_status for finding in _judge(own, "example-x1").decisive}
    assert found == {"pass", "documented_recipe"}


def test_the_example_has_a_failure(own: Snapshot) -> None:
    request = Request(model="example-org/demo-70b-instruct", targets=("h100",))
    (judged,) = check(StoreBackend(own), request, as_of=TODAY).targets
    assert judged.verdict.value == "failing"


def test_without_the_overlay_the_model_is_unknown(snapshot: Snapshot) -> None:
    request = Request(model=MODEL, targets=("h100",))
    checked = check(StoreBackend(snapshot), request, as_of=TODAY)
    assert not checked.known
    assert checked.targets[0].verdict.value == "no-evidence"


def test_the_example_is_plainly_made_up() -> None:
    for path in (path for path in OVERLAY.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8").replace(TEST_REPORT_SCHEMA, "")
        assert all(
            url.startswith("https://example.org/") for url in re.findall(r"https?://\S+", text)
        )
    names = (OVERLAY / "curated" / "organisations.csv").read_text("utf-8").splitlines()[1:]
    assert all(name.startswith("example-") for name in names)


# The documentation names everything


def _section(title: str) -> str:
    found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#|\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[2]


def _rows(title: str) -> list[list[str]]:
    """Return the rows of a section's table, each as its cells; a bar stands in no cell."""
    lines = [line for line in _section(title).splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


def test_each_key_of_source_toml_is_named_and_marked() -> None:
    keys = [f for f in fields(SourceDescription) if f.name not in ("name", "path", "lines")]
    rows = {row[0].strip("`"): row[1] for row in _rows("source.toml")}
    assert set(rows) == {field.name for field in keys}
    required = {name for name, needed in rows.items() if needed == "yes"}
    text = (OVERLAY / "sources" / "lab" / "source.toml").read_text(encoding="utf-8")
    assert required == set(re.findall(r"^(\w+) =", text, re.MULTILINE))
    assert {name for name, needed in rows.items() if needed == "vendor-page"} == {
        "version",
        "platform",
    }


@pytest.mark.parametrize("title", RECORDS)
def test_each_key_of_the_json_is_named(title: str) -> None:
    keys = [field.name for field in fields(RECORDS[title]) if field.name != "pointer"]
    assert [row[0].strip("`") for row in _rows(title)] == keys


@pytest.mark.parametrize("title", TOKENS)
def test_each_value_of_a_closed_list_is_named(title: str) -> None:
    text = _section(title)
    assert [token for token in TOKENS[title] if f"`{token}`" not in text] == []


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_each_table_and_column_is_named(table: Table) -> None:
    title = f"`{table.name}`"
    assert [row[0] for row in _rows(title)] == [f"`{column.name}`" for column in table.columns]
    for (_, cell, meaning), column in zip(_rows(title), table.columns, strict=True):
        assert meaning
        assert cell.startswith("optional: ") == column.optional
        assert [part for part in _named(column) if part not in cell] == []
    keys = ", ".join(f"`{name}`" for name in table.key)
    assert f"No two rows have the same {keys}." in _section(title)


def _named(column: Column) -> list[str]:
    parts = [f"`{choice}`" for choice in column.choices]
    if column.refers_to:
        parts += [f"`{column.refers_to}`", "a blank between them" if column.many else "an id"]
    return [*parts, *(["a whole number from 1"] if column.pattern is COUNT else [])]


def test_the_columns_of_every_table_are_named() -> None:
    text = _section("The curated tables")
    assert " and ".join(f"`{name}`" for name in PROVENANCE) in text


def test_no_table_is_named_that_is_none() -> None:
    assert re.findall(r"^### `(\w+)`$", TEXT, re.MULTILINE) == list(TABLES)


def test_every_anchor_leads_to_a_heading() -> None:
    headings = re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    known = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}
    assert set(re.findall(r"\]\(#([^)]*)\)", TEXT)) <= known


def test_that_the_evidence_database_states_no_failure_is_said_and_true() -> None:
    assert "The evidence database states **positive outcomes only**" in TEXT
    words = (ROOT / "data" / "curated" / "status_words.csv").read_text("utf-8").splitlines()[1:]
    assert {word.split(",")[2] for word in words} == {"supported"}


# Its errors are the real ones


def test_each_error_that_is_told_of_happens(tmp_path: Path) -> None:
    said = "\n".join([*_token_faults(tmp_path), *_table_faults(tmp_path), *_violations(tmp_path)])
    told = [row[0].strip("`") for row in _rows("What an overlay usually needs")]
    assert len(told) > 10
    assert [error for error in told if not re.search(_pattern(error), said)] == []


def _pattern(error: str) -> str:
    return re.escape(error).replace("…", ".+")


def _copy(folder: Path, name: str) -> Path:
    return Path(shutil.copytree(OVERLAY, folder / name / "our-runs"))


def _token_faults(folder: Path) -> list[str]:
    overlay = _copy(folder, "tokens")
    document = overlay / "sources" / "lab" / "statements.json"
    database = json.loads(document.read_text(encoding="utf-8"))
    database["models"][0]["publisher"] = "Nobody"
    database["support_paths"][0] |= {
        "platform_id": "no-platform",
        "product_ids": ["no-product"],
        "integration_ids": ["no-integration"],
        "software_stack": "No stack",
        "precision_modes": ["No precision"],
        "execution_modes": ["no mode"],
    }
    document.write_text(json.dumps(database), encoding="utf-8")
    return _problems(folder, overlay)


def _table_faults(folder: Path) -> list[str]:
    overlay = _copy(folder, "tables")
    (overlay / "curated" / "components.csv").unlink()
    for table, row in (
        ("products", "h100,NVIDIA H100,chip,nvidia-gpu,,,why,here"),
        ("aliases", "product,example-x1,H200,why,here"),
    ):
        with (overlay / "curated" / f"{table}.csv").open("a", encoding="utf-8") as file:
            file.write(f"{row}\n")
    return _problems(folder, overlay)


def _problems(folder: Path, overlay: Path) -> list[str]:
    with pytest.raises(SourceError) as caught:
        build(out=folder / "out", only=DOCUMENTS, overlays=(overlay,))
    return [str(problem) for problem in caught.value.problems]


def _violations(folder: Path) -> list[str]:
    overlay = _copy(folder, "names")
    (overlay / "curated" / "documents.csv").unlink()
    document = overlay / "sources" / "lab" / "statements.json"
    text = document.read_text(encoding="utf-8").replace("H100", "other chips")
    database = json.loads(text)
    database["support_paths"][0]["support_level"] = "documented_recipe"
    database["support_paths"][0]["evidence"][0]["type"] = "vendor_docs"
    document.write_text(json.dumps(database), encoding="utf-8")
    built = build(out=folder / "out", only=DOCUMENTS, overlays=(overlay,))
    assert built.snapshot is None
    return [" ".join(built.report.text.split())]


# Its commands work


def test_every_output_is_current(own: Snapshot) -> None:
    assert refreshed(TEXT, own.folder) == TEXT


def _commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_its_commands_work_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    commands = [command for command in _commands() if not command.startswith("make ")]
    assert len(commands) > 5
    for command in commands:
        done = subprocess.run(
            command.split(),
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
    for folder, mine in (("tables", False), ("tables-with-ours", True)):
        rows = (tmp_path / folder / "paths.csv").read_text(encoding="utf-8")
        assert (MODEL in rows) == mine
    manifest = json.loads((tmp_path / "build" / "current" / "manifest.json").read_bytes())
    assert manifest["overlays"] == ["our-runs"]


def test_make_serves_with_the_overlay_or_without() -> None:
    (served,) = [command for command in _commands() if command.startswith("make ")]
    assert "plain `make serve`" in TEXT
    for command, overlays in ((served, " --overlay examples/our-runs"), ("make serve", "")):
        shown = subprocess.run(
            [*command.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        lines = [line.rstrip() for line in shown if "bin/runatlas" in line]
        assert lines == [f".venv/bin/runatlas build{overlays}", ".venv/bin/runatlas serve"]
