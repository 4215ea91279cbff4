"""Put a finished export in its place: whole or not at all, and over nothing of anybody else's."""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from kg.errors import ExportError, UsageError
from kg.snapshot import CURRENT, LOCK, MANIFEST

_SHOWN: Final = 5


@contextmanager
def _reporting(out: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a name that is none
        reason = error.strerror if isinstance(error, OSError) else None
        raise ExportError(f"{out}: cannot be written: {reason or error}") from error


def refuse_file(out: Path, snapshot: Path) -> None:
    """Refuse to write one file where something else than a file stands, or into a snapshot.

    Raises:
        UsageError: it would replace or change something that is not ours.
        ExportError: there is no folder to write it in.
    """
    with _reporting(out):
        target = out.resolve()
        _refuse_place(out, target, snapshot)
        if target.is_dir():
            raise UsageError(f"{out}: is a folder; this format writes one file.")
        if target.exists() and not target.is_file():
            raise UsageError(f"{out}: is not a regular file.")


def refuse_folder(out: Path, snapshot: Path, names: Collection[str]) -> None:
    """Refuse to replace a folder that holds anything but the files that are to be written.

    Raises:
        UsageError: it would replace or change something that is not ours.
        ExportError: there is no folder to write it in.
    """
    with _reporting(out):
        target = out.resolve()
        _refuse_place(out, target, snapshot)
        if not target.exists():
            return
        if not target.is_dir():
            raise UsageError(f"{out}: is not a folder; this format writes a folder of files.")
        ours = {target / name for name in names}
        other = sorted(p.name for p in target.iterdir() if p not in ours or not p.is_file())
        if other:
            more = f" and {len(other) - _SHOWN} more" if len(other) > _SHOWN else ""
            held = ", ".join(other[:_SHOWN]) + more
            raise UsageError(f"{out}: holds what this export does not write: {held}.")


def _refuse_place(out: Path, target: Path, snapshot: Path) -> None:
    for folder in (target, *target.parents):
        if folder == snapshot.resolve() or (folder / MANIFEST).is_file():
            raise UsageError(f"{out}: lies in the snapshot {folder}, which never changes.")
        if folder != target and folder.name == "snapshots" and (folder.parent / LOCK).exists():
            raise UsageError(f"{out}: lies among the snapshots of {folder.parent}.")
    if target.name in {LOCK, CURRENT} and (target.parent / "snapshots").is_dir():
        raise UsageError(f"{out}: belongs to the snapshots of {target.parent}.")
    if not target.parent.is_dir():
        raise ExportError(f"{out}: cannot be written: there is no folder {target.parent}")


def write_file(out: Path, content: bytes) -> Path:
    """Write one file beside its place, then move it there; what stood there is replaced.

    Raises:
        ExportError: it cannot be written.
    """
    with _reporting(out):
        target = out.resolve()
        unfinished = _beside(target, "unfinished")
        unfinished.unlink(missing_ok=True)  # of a process that was killed
        try:
            _write(unfinished, content)
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    return out


def write_folder(out: Path, files: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Write a folder beside its place, then move it there; what stood there is replaced.

    Raises:
        ExportError: it cannot be written.
    """
    with _reporting(out):
        target = out.resolve()
        unfinished = _beside(target, "unfinished")
        _remove(unfinished, files)  # of a process that was killed
        try:
            unfinished.mkdir()
            for name, content in files.items():
                _write(unfinished / name, content)
            _replace_folder(unfinished, target, files)
        finally:
            _remove(unfinished, files)
    return tuple(out / name for name in files)


def _beside(target: Path, state: str) -> Path:
    return target.with_name(f".{target.name}.{state}-{os.getpid()}")


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _replace_folder(unfinished: Path, target: Path, names: Collection[str]) -> None:
    if not target.exists():
        unfinished.rename(target)
        return
    aside = _beside(target, "replaced")
    target.rename(aside)
    try:
        unfinished.rename(target)
    except BaseException:  # whatever stops it, an interrupt too, what stood there comes back
        aside.rename(target)
        raise
    _remove(aside, names)


def _remove(folder: Path, names: Collection[str]) -> None:
    """Remove a folder of ours, and from it only what we write."""
    for name in names:
        (folder / name).unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        folder.rmdir()
