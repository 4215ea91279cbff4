"""Start a fork server: ``python -P -m kg.workers SETTINGS``, as the pool does.

``-P`` keeps a folder ``kg`` in the user's directory from taking the place of ours.
"""

import json
import os
import resource
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pyoxigraph import Store

from kg.database import open_database
from kg.dataset import open_dataset
from kg.errors import SnapshotError
from kg.snapshot import open_snapshot
from kg.workers.fork_server import serve
from kg.workers.graph import Kind
from kg.workers.limits import Limits

# The engine recurses: on a stack of 8 MiB, a few thousand terms of a chain would end it. The memory
# is only reserved until it is used, and a stack has its size from the start of its process.
STACK: Final = 512 << 20


def main() -> int:
    """Serve with the settings of the command line; return the exit code."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if soft not in (resource.RLIM_INFINITY, STACK) and soft < STACK:
        wanted = STACK if hard == resource.RLIM_INFINITY else min(STACK, hard)
        if wanted > soft:
            resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
            os.execv(sys.executable, sys.orig_argv)  # noqa: S606 - this command once more
    settings = json.loads(sys.argv[1])
    control = socket.socket(fileno=settings["control"])
    control.set_inheritable(False)
    try:
        return serve(control, lambda: _load(settings), Limits(**settings["limits"]))
    except OSError:  # the pool is gone
        return 0


def _load(settings: Mapping[str, Any]) -> Callable[[], Store]:
    """Return how a worker gets the store: one that is in memory already, or one that it opens."""
    paths = [*map(Path, settings["paths"])]
    if settings["kind"] == Kind.DATABASE:
        return lambda: open_database(paths[0])  # it has threads, which a fork would lose
    is_files = settings["kind"] == Kind.FILES
    snapshot = open_dataset(paths) if is_files else open_snapshot(paths[0])
    if snapshot.name != settings["name"]:
        raise SnapshotError(f"{paths[0]}: holds {snapshot.name}, no longer {settings['name']}")
    return lambda: snapshot.store


if __name__ == "__main__":
    sys.exit(main())
