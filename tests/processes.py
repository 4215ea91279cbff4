"""A process with all that it has started, and the memory that they have together."""

from pathlib import Path


def tree_of(process: int) -> list[int]:
    """Return the numbers of a process and of all below it, each before those that it started."""
    children = [
        child
        for task in Path(f"/proc/{process}/task").iterdir()
        for child in (task / "children").read_text(encoding="ascii").split()
    ]
    return [process, *(number for child in children for number in tree_of(int(child)))]


def memory_of(process: int) -> int:
    """Return the bytes that a process and all below it have, what they share counted once."""
    return sum(map(_memory, tree_of(process)))


def _memory(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) * 1024
