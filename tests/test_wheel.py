"""The wheel works outside the checkout, with everything inside: a fresh environment proves it."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as pip builds it: with nothing but what its build requires."""
    out = tmp_path_factory.mktemp("dist")
    build = ["build", "--quiet", "--wheel", "--python", sys.executable, "--out-dir", str(out)]
    subprocess.run([str(UV), *build], cwd=ROOT, check=True, capture_output=True)
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the locked dependencies and the wheel; its ``runatlas``."""
    venv = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / "bin" / "python"
    install = [str(UV), "pip", "install", "--quiet", "--python", str(python)]
    locked = ["--require-hashes", "-r", str(ROOT / "requirements.txt")]
    subprocess.run([*install, *locked], check=True, capture_output=True)
    subprocess.run([*install, "--no-deps", str(wheel)], check=True, capture_output=True)
    return venv / "bin" / "runatlas"


def _run(command: Path, *arguments: str, cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [command, *arguments], cwd=cwd, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_ontology_shapes_queries_data_and_snapshot_are_inside(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    resources = {name.removeprefix("kg/resources/") for name in names if "/resources/" in name}
    for folder in ("data", "ontology", "shapes"):
        files = {str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*.*")}
        assert files <= resources
    assert {str(p.relative_to(ROOT)) for p in (ROOT / "kg" / "queries").glob("*.rq")} <= names
    assert {"snapshot/graph.nq", "snapshot/manifest.json", "snapshot/places.tsv"} <= resources
    assert "mappings/test_report/schema.json" in names
    assert {"kg/py.typed", "api/py.typed", "mappings/py.typed"} <= names
    assert not [name for name in names if name.startswith("tests")]


def test_check_answers_at_once_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    text = _run(
        installed, "check", "deepseek-ai/DeepSeek-R1-0528", "--on", "mi300x", "--format", "json",
        cwd=tmp_path,
    )  # fmt: skip
    assert json.loads(text)["targets"][0]["verdict"] == "excluded"
    assert not list(tmp_path.iterdir())


def test_the_installed_package_builds_the_same_snapshot(installed: Path, tmp_path: Path) -> None:
    name = Path(_run(installed, "build", cwd=tmp_path).strip()).name
    packaged = next((installed.parents[1] / "lib").glob("*/site-packages/kg/resources/snapshot"))
    manifest = json.loads((packaged / "manifest.json").read_bytes())
    assert name == f"{manifest['version']}-{manifest['sha256'][:12]}"
    graph = tmp_path / "build" / "current" / "graph.nq"
    assert graph.read_bytes() == (packaged / "graph.nq").read_bytes()
