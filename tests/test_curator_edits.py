"""What a curator might try: the build names rule, file and line, and the old snapshot serves on."""

import json
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from kg.backend import StoreBackend
from kg.build import build
from kg.snapshot import open_snapshot
from tests.conftest import DOCUMENTS
from tests.http_server import serving
from tests.mutants import Mutant, copy_edited

ROOT: Final = Path(__file__).parents[1]
TEXT: Final = (Path(__file__).parent / "cases" / "curator_edits.toml").read_text(encoding="utf-8")
EDITS: Final = tomllib.loads(TEXT)["edit"]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the snapshot of a good build."""
    folder = tmp_path_factory.mktemp("out")
    assert build(out=folder, only=DOCUMENTS).snapshot
    return folder


@pytest.fixture(scope="module")
def server(out: Path) -> Iterator[str]:
    """A server of that folder's current snapshot."""
    with serving(StoreBackend(open_snapshot(out / "current"))) as address:
        yield address


def _served(address: str) -> Any:
    with urllib.request.urlopen(f"{address}/healthz", timeout=20) as response:  # noqa: S310
        return json.load(response)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit["name"])
def test_an_edit_stops_the_build(edit: Any, out: Path, server: str, tmp_path: Path) -> None:
    changes = tuple(edit.get("edit", ())), tuple(edit.get("row", ()))
    slip = Mutant(file="", number=0, shape="", focus="", edit=changes[0], row=changes[1])
    data, _ = copy_edited(slip, tmp_path)
    before = (out / "current").resolve(), _served(server), sorted(out.rglob("*"))
    command = [sys.executable, "-m", "kg.cli", "build", "--data", str(data), "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    said = done.stdout + done.stderr
    assert edit["place"] in _below(said, f"Violation of {edit['rule']}: "), said
    assert ((out / "current").resolve(), _served(server), sorted(out.rglob("*"))) == before


def _below(report: str, heading: str) -> str:
    """Return what stands below each heading that begins so, up to the next blank line."""
    blocks = report.split("\n\n")
    return "\n".join(block for block in blocks if heading in block)
