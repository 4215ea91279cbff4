"""The server keeps what its OpenAPI description promises, asked by Schemathesis."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from kg.backend import StoreBackend
from kg.queries import questions
from kg.workers.limits import DEFAULTS
from tests.http_server import serving_by_workers

FOLDER: Final = Path(__file__).parent / "schemathesis"
ROOT: Final = FOLDER.parent.parent
HOOKS: Final = "tests.schemathesis.hooks"
EXAMPLES: Final = 3  # of each operation and phase; any number may be asked by hand


@pytest.fixture(scope="module")
def address(backend: StoreBackend) -> Iterator[str]:
    with serving_by_workers(backend, DEFAULTS) as address:
        yield address


def test_the_server_keeps_its_description(address: str, tmp_path: Path) -> None:
    config = FOLDER / "schemathesis.toml"
    run = ["run", f"{address}/openapi.json", "--continue-on-failure", "--no-color"]
    sampling = ["--max-examples", str(EXAMPLES), "--generation-deterministic"]
    asked = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "--config-file", config, *run, *sampling],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SCHEMATHESIS_HOOKS": HOOKS},
        capture_output=True,
        encoding="utf-8",
        timeout=900,
    )
    assert asked.returncode == 0, asked.stdout + asked.stderr
    tested = re.search(r"Selected: (\d+)/\1\n +Tested: \1\n", asked.stdout)
    assert tested, asked.stdout
    assert int(tested[1]) > len(questions())
