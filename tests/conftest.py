"""Fixtures that many tests share: the graph of the two documents, built once."""

from collections import Counter
from pathlib import Path

import pytest

from kg.backend import StoreBackend
from kg.build import Built, build
from kg.snapshot import Snapshot, open_snapshot

DOCUMENTS = ("cloud-ai-100", "model-support")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A build of the two original documents alone."""
    return build(out=tmp_path_factory.mktemp("build"), only=DOCUMENTS)


@pytest.fixture(scope="session")
def snapshot(built: Built) -> Snapshot:
    """The snapshot of that build, opened."""
    assert isinstance(built.snapshot, Path), built.report.text
    return open_snapshot(built.snapshot)


@pytest.fixture(scope="session")
def backend(snapshot: Snapshot) -> StoreBackend:
    """That snapshot, answering."""
    return StoreBackend(snapshot)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests counted by ``record_property``, summed over all of them."""
    totals: Counter[str] = Counter()
    for report in [r for key in ("passed", "failed") for r in terminalreporter.stats.get(key, ())]:
        for name, value in report.user_properties:
            totals[name] += value
    if totals:
        counted = ", ".join(f"{name}: {totals[name]:,}" for name in sorted(totals))
        terminalreporter.write_line(counted)
