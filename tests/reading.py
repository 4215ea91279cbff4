"""What the tests of the readers share."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from kg.errors import SourceError

ROOT = Path(__file__).parents[1]
SEEDS = ROOT.parent / "shared" / "seeds"

# A process of its own: the peak of its memory is that of one read. Linux tells it as VmHWM;
# getrusage's ru_maxrss would start from the peak of the test run that forked it.
_READ_ALONE = """
import importlib, re, sys
from pathlib import Path
from kg.errors import SourceError
module, name, path = sys.argv[1:]
read = getattr(importlib.import_module(module), name)
try:
    read(Path(path))
except SourceError as error:
    problems = error.problems
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
print(peak // 1024, len(problems), str(problems[-1])[:200])
"""


def problems_of(read: Callable[[Path], object], path: Path) -> list[tuple[int | str, str]]:
    """Return the place and message of each problem a reader finds, after checking their path."""
    try:
        read(path)
    except SourceError as error:
        assert {problem.path for problem in error.problems} == {str(path)}
        assert "\n".join(map(str, error.problems)) == str(error)
        str(error).encode()
        return [(problem.place, problem.message) for problem in error.problems]
    return []


def read_alone(read: Callable[[Path], object], path: Path) -> tuple[int, int, str]:
    """Return the megabytes a failing read takes at its peak, its problems' count, the last one."""
    command = [sys.executable, "-X", "utf8", "-c", _READ_ALONE]
    command += [read.__module__, read.__qualname__, str(path)]
    answer = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    peak, count, last = answer.stdout.decode().split(" ", 2)
    return int(peak), int(count), last
