"""Start a fork server: ``python -P -m kg.workers SETTINGS``, as the pool does.

``-P`` keeps a folder ``kg`` in the user's directory from taking the place of ours.
"""

import json
import os
import resource
import socket
import sys
from pathlib import Path
from typing import Final

from pyoxigraph import Store

from kg.dataset import open_dataset
from kg.snapshot import open_snapshot
from kg.workers.fork_server import serve
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
    source = settings["source"]

    def load() -> Store:
        if isinstance(source, str):
            return open_snapshot(Path(source)).store
        return open_dataset([*map(Path, source)]).store

    try:
        return serve(control, load, Limits(**settings["limits"]))
    except OSError:  # the pool is gone
        return 0


if __name__ == "__main__":
    sys.exit(main())
