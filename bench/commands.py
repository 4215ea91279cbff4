"""Time the commands as whole processes, in turn with what any Python tool must pay.

``make bench`` prints CPU and wall seconds and peak memory (medians of five runs), and the ratio
to a peer that runs in the same round: an interpreter that only loads the library in question.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

RUNS: Final = 5
PYTHON: Final = sys.executable


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took."""

    cpu: float
    wall: float
    memory_mb: float


def measure(command: list[str], folder: Path) -> Run:
    """Run a command to its end and return what the operating system counted for it."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Run(_cpu(usage), wall, usage.ru_maxrss / 1024)


def _cpu(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the table."""
    runatlas = [PYTHON, "-m", "kg.cli"]
    check = ["check", "meta-llama/Llama-3.1-405B-Instruct", "--on", "aws-trainium,h100"]
    peers = {
        "build, validated": (
            [*runatlas, "build", "--only", "model-support,cloud-ai-100"],
            [PYTHON, "-c", "import pyoxigraph, pyshacl, rdflib"],
        ),
        "diff": (
            [*runatlas, "diff", "build/current", "build/current"],
            [PYTHON, "-c", "import pyoxigraph, typer"],
        ),
        "check": ([*runatlas, *check], [PYTHON, "-c", "import pyoxigraph, typer"]),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure(peers["build, validated"][0], folder)
        write = sys.stdout.write
        write(f"{'':20} {'CPU s':>7} {'wall s':>7} {'MB':>5}   CPU / peer that only imports\n")
        for title, (ours, peer) in peers.items():
            rounds = [(measure(ours, folder), measure(peer, folder)) for _ in range(RUNS)]
            middle = statistics.median
            write(
                f"{title:20} {middle(r.cpu for r, _ in rounds):7.2f}"
                f" {middle(r.wall for r, _ in rounds):7.2f}"
                f" {middle(r.memory_mb for r, _ in rounds):5.0f}"
                f"   {middle(r.cpu / p.cpu for r, p in rounds):.2f}\n"
            )


if __name__ == "__main__":
    main()
