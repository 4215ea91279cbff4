"""What check says of test runs, most of which contradict one another."""

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from kg.backend import StoreBackend
from kg.build import build
from kg.check.engine import Request, check
from kg.check.text import as_text
from kg.snapshot import open_snapshot
from tests.conftest import DOCUMENTS
from tests.test_check import TODAY

FOLDER: Final = Path(__file__).parent
OVERLAY: Final = FOLDER.parent / "examples" / "our-runs"
CASES: Final[list[dict[str, Any]]] = tomllib.loads(
    (FOLDER / "cases" / "check" / "runs.toml").read_text(encoding="utf-8")
)["case"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> StoreBackend:
    """The two documents with the runs of every case, each case's of a model of its own."""
    folder = tmp_path_factory.mktemp("runs")
    overlay = shutil.copytree(OVERLAY, folder / "our-runs")
    path = overlay / "sources" / "lab-runs" / "reports.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    base = document["reports"][1]
    document["reports"] += [
        {**base, "id": f"case-{number}-{letter}", "checkpoint": _model(number), **_unchecked(run)}
        for number, case in enumerate(CASES)
        for letter, run in zip("abc", case["runs"], strict=False)
    ]
    path.write_text(json.dumps(document), encoding="utf-8")
    built = build(out=folder / "build", only=DOCUMENTS, overlays=(overlay,))
    assert built.snapshot, built.report.text
    return StoreBackend(open_snapshot(built.snapshot))


def _unchecked(run: dict[str, Any]) -> dict[str, Any]:
    """Take the answers' check off a run that failed: the example's holds."""
    return {"correctness": None, **run} if run.get("outcome") == "fail" else run


def _model(number: int) -> str:
    return f"example-org/case-{number}"


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: CASES[number]["why"])
def test_runs(number: int, runs: StoreBackend) -> None:
    case = CASES[number]
    request = Request(model=_model(number), targets=(case["on"],), count=case.get("count"))
    answer = check(runs, request, as_of=TODAY)
    text = as_text(answer)
    assert answer.targets[0].verdict.value == case["verdict"], text
    assert f"  {case['headline']}  " in text.splitlines()[2], text
    assert case.get("shows", "") in " ".join(text.split()), text
