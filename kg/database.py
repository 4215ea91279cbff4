"""Keep graphs on disk that do not fit into memory: one folder of RocksDB each, never changed."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final

from pyoxigraph import Store

from kg import __version__
from kg.errors import SnapshotError
from kg.store import Fill

LOCK: Final = ".lock"
_UNFINISHED: Final = ".unfinished-"


class OnDisk:
    """Keeps graphs in databases below a folder; ``path`` is where the last one is."""

    def __init__(self, folder: Path) -> None:
        """Keep below a folder, which need not be there yet."""
        self._folder = folder
        self.path = folder

    def __call__(self, name: str, fill: Fill) -> Store:
        """Return the store of a graph, which is only read; fill it first if it is not there."""
        self.path = make_database(self._folder, name, fill)
        return open_database(self.path)


def make_database(folder: Path, name: str, fill: Fill) -> Path:
    """Return the database of a graph below a folder; fill it first if it is not there.

    One process at a time fills; one that is killed leaves nothing that could be opened. The name
    of the database says what wrote it, too, as another version may read or fill it otherwise.

    Raises:
        SnapshotError: it cannot be written.
    """
    path = folder / f"{name}-{__version__}-oxigraph-{version('pyoxigraph')}"
    try:
        with _filling(folder):
            if not path.exists():
                unfinished = folder / f"{_UNFINISHED}{path.name}"
                _fill(unfinished, fill)
                unfinished.rename(path)
    except OSError as error:
        reason = error.strerror or error
        raise SnapshotError(f"{folder}: cannot hold a database: {reason}") from error
    return path


def open_database(path: Path) -> Store:
    """Open a database to read; any number of processes may, each in itself and never before a fork.

    Raises:
        SnapshotError: it cannot be opened.
    """
    try:
        return Store.read_only(str(path))
    except OSError as error:
        raise SnapshotError(f"{path}: cannot be opened: {error}") from error


@contextmanager
def _filling(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in folder.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(left)
        yield


def _fill(path: Path, fill: Fill) -> None:
    store = Store(str(path))
    fill(store)
    store.optimize()
    store.flush()
