"""Write, check, open and switch snapshots: immutable folders named by their content.

A build writes into a hidden folder beside the others and renames it when it is whole, so a build
that is killed at any moment leaves nothing that can be opened; ``current`` is a link, replaced in
one step. A lock lets one build at a time write, and dies with its process.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pyoxigraph import NamedNode, RdfFormat, Store

from kg.errors import SnapshotError
from kg.resources import ROOT, SNAPSHOT
from kg.store import Keep, fill_default_graph, in_memory, is_asserted

FORMAT: Final = "runatlas-snapshot-1"
GRAPH: Final = "graph.nq"
MANIFEST: Final = "manifest.json"
LOCK: Final = ".lock"
CURRENT: Final = "current"
PLACES: Final = "places.tsv"
REPORT: Final = "report.ttl"
REPORT_TEXT: Final = "report.txt"
_UNFINISHED: Final = ".unfinished-"
_FILE: Final = re.compile(r"[a-z]+\.[a-z]+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a subject is stated: a source or table, its file, and a line or JSON pointer."""

    source: str
    path: str
    place: str

    def __str__(self) -> str:
        """Write it as editors read it: ``path:line`` or ``path#/pointer``."""
        return f"{self.path}{'#' if self.place.startswith('/') else ':'}{self.place}"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An opened snapshot: its name, manifest, quads, and the places of its subjects."""

    name: str
    folder: Path
    manifest: Mapping[str, Any]
    store: Store
    places: Mapping[str, tuple[Place, ...]]


def snapshot_name(version: str, content: bytes) -> str:
    """Name a snapshot: the data's version and the first 12 digits of its content's SHA-256."""
    return f"{version}-{hashlib.sha256(content).hexdigest()[:12]}"


def write_snapshot(
    out: Path, version: str, files: Mapping[str, bytes], manifest: dict[str, Any]
) -> Path:
    """Write a snapshot's files below ``out`` and make it the current one; return its folder.

    Raises:
        SnapshotError: the folder cannot be written.
    """
    content = files[GRAPH]
    manifest = {
        "format": FORMAT,
        "version": version,
        "sha256": hashlib.sha256(content).hexdigest(),
        "files": {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)},
        **manifest,
    }
    text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    everything = {**files, MANIFEST: text.encode()}
    try:
        with _writing(out):
            folder = _free_folder(out / "snapshots" / snapshot_name(version, content), everything)
            if not folder.exists():
                _write_whole(folder, everything)
            _switch(out / CURRENT, folder)
    except OSError as error:
        where = error.filename or out
        raise SnapshotError(
            f"{where}: cannot write a snapshot: {error.strerror or error}"
        ) from error
    return folder


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    (out / "snapshots").mkdir(parents=True, exist_ok=True)
    with (out / LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in (out / "snapshots").glob(f"{_UNFINISHED}*"):
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left)
            else:
                left.unlink()
        yield


def _free_folder(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Return where a snapshot goes: a folder that holds just it already, or one that is free.

    A snapshot is never changed, because others may be reading it. The same graph with other places
    or another report, and a graph whose folder has been damaged, get a folder with a longer name.
    """
    digest = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()[:6]
    names = [folder.name, f"{folder.name}-{digest}"]
    candidates = [folder.with_name(name) for name in names]
    candidates += [folder.with_name(f"{names[1]}.{number}") for number in range(1, 1000)]
    for candidate in candidates:
        if not candidate.exists() or _holds(candidate, files):
            return candidate
    raise SnapshotError(f"{folder.parent}: holds too many damaged copies of {folder.name}")


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    if not folder.is_dir():
        return False
    names = {path.name for path in folder.iterdir()}
    return names == set(files) and all(
        (folder / name).read_bytes() == content for name, content in files.items()
    )


def _write_whole(folder: Path, files: Mapping[str, bytes]) -> None:
    unfinished = folder.with_name(_UNFINISHED + folder.name)
    unfinished.mkdir()
    for name, content in files.items():
        with (unfinished / name).open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    open_snapshot(unfinished)  # what cannot be opened is never finished
    unfinished.rename(folder)
    _sync_folder(folder.parent)


def _switch(link: Path, folder: Path) -> None:
    new = link.with_name(".current-new")
    new.unlink(missing_ok=True)
    new.symlink_to(folder.relative_to(link.parent), target_is_directory=True)
    new.replace(link)
    _sync_folder(link.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def default_snapshot(out: Path = Path("build")) -> Path:
    """Return the folder that is read when none is named.

    That is the last build here, else the packaged one, else the last build of the checkout.

    Raises:
        SnapshotError: there is neither.
    """
    for folder in (out / CURRENT, SNAPSHOT, ROOT / "build" / CURRENT):
        if (folder / MANIFEST).is_file():
            return folder
    raise SnapshotError(f"No snapshot at {out / 'current'}: run 'runatlas build' first.")


def open_snapshot(folder: Path, keep: Keep | None = None) -> Snapshot:
    """Open a snapshot after checking it against its manifest.

    ``keep`` gives the store; without it, that is in memory.

    Raises:
        SnapshotError: it is no snapshot, or not whole.
    """
    folder = folder.resolve()
    manifest = _read_manifest(folder)
    contents = {name: _read_checked(folder / name, sha) for name, sha in manifest["files"].items()}
    name = snapshot_name(manifest["version"], contents[GRAPH])
    try:
        store = (keep or in_memory)(name, lambda store: _fill(store, contents[GRAPH]))
        places = _read_places(contents[PLACES])
    except (SyntaxError, ValueError) as error:
        raise SnapshotError(f"{folder}: cannot be read: {error}") from error
    return Snapshot(name, folder, manifest, store, places)


def _fill(store: Store, content: bytes) -> None:
    store.bulk_load(content, format=RdfFormat.N_QUADS)
    asserted = [
        graph
        for graph in store.named_graphs()
        if isinstance(graph, NamedNode) and is_asserted(graph)
    ]
    fill_default_graph(store, asserted)


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes()) if path.is_file() else None
    except (OSError, ValueError, RecursionError) as error:
        raise SnapshotError(f"{folder}: not a snapshot: {MANIFEST} cannot be read") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise SnapshotError(f"{folder}: not a snapshot of the format {FORMAT}")
    if not _is_whole(manifest):
        raise SnapshotError(f"{folder}: {MANIFEST} is not whole")
    return manifest


def _is_whole(manifest: dict[str, Any]) -> bool:
    files, version = manifest.get("files"), manifest.get("version")
    if not isinstance(files, dict) or not isinstance(version, str):
        return False
    plain = all(isinstance(sha, str) and _FILE.fullmatch(name) for name, sha in files.items())
    return plain and {GRAPH, PLACES} <= set(files) and manifest.get("sha256") == files[GRAPH]


def _read_checked(path: Path, sha256: str) -> bytes:
    if not path.is_file():
        raise SnapshotError(f"{path}: cannot be read: no such file")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SnapshotError(f"{path}: cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise SnapshotError(f"{path}: does not have the hash that its manifest gives")
    return content


def write_places(places: Mapping[str, set[Place]]) -> bytes:
    """Write where each subject is stated: subject, source, file and place, separated by tabs."""
    lines = sorted(
        f"{subject}\t{place.source}\t{place.path}\t{place.place}\n"
        for subject, found in places.items()
        for place in found
    )
    return "".join(lines).encode()


def _read_places(content: bytes) -> dict[str, tuple[Place, ...]]:
    places: dict[str, tuple[Place, ...]] = {}
    for line in content.decode().split("\n")[:-1]:
        subject, source, path, place = line.split("\t")
        places[subject] = (*places.get(subject, ()), Place(source, path, place))
    return places
