"""Write files that are not there yet: one, or a source of an overlay, whole or not at all."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kg.errors import UsageError
from mappings.source_text import show_path


def place_fault(path: Path) -> str | None:
    """Say why a new file cannot be called so; None if it can."""
    shown = show_path(path)
    if not path.name or path.is_dir():
        return f"{shown} is a folder: name a file that is not there yet."
    if os.path.lexists(path):
        return f"{shown} is there already, and nothing was written."
    if not path.parent.is_dir():
        return f"{shown}: cannot be written: there is no folder {show_path(path.parent)}."
    return None


def write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet, whole or not at all.

    Raises:
        UsageError: there is such a file already, or it cannot be written.
    """
    if message := place_fault(path):
        raise UsageError(message)
    unfinished = _unfinished(path)
    with _said(path):
        try:
            unfinished.write_text(text, encoding="utf-8")
            os.link(unfinished, path)  # unlike a rename, it replaces nothing
        finally:
            unfinished.unlink(missing_ok=True)


def overlay_faults(overlay: Path, source: str) -> Iterator[str]:
    """Say why a source cannot be put into an overlay, which may be new."""
    if not os.path.lexists(overlay):
        if not overlay.parent.is_dir():
            yield f"{show_path(overlay)}: there is no folder {show_path(overlay.parent)}."
        return
    for folder in (overlay, overlay / "sources", overlay / "curated"):
        if os.path.lexists(folder) and not folder.is_dir():
            yield f"{show_path(folder)} is no folder."
            return
    if os.path.lexists(overlay / "sources" / source):
        yield (
            f"{show_path(overlay / 'sources' / source)} is there already: add the report to the "
            "list in its document, or give --out for a file to take it from."
        )


def write_source(
    overlay: Path, source: str, files: Mapping[str, str], tables: Mapping[str, str]
) -> tuple[Path, ...]:
    """Put a source, and curated tables that are not there, into an overlay; return the files.

    A new overlay appears whole. In one that is there, the tables come first and the source appears
    whole after them: a row of a table that no source speaks of breaks nothing, and when it is all
    written again it is found there.

    Raises:
        UsageError: it cannot be written; what was begun is taken away.
    """
    folder = overlay / "sources" / source
    written = [overlay / "curated" / name for name in tables]
    with _said(overlay):
        if not overlay.exists():
            with _whole(overlay) as unfinished:
                _fill(unfinished / "sources" / source, files)
                _fill(unfinished / "curated", tables)
        else:
            folder.parent.mkdir(exist_ok=True)
            with _whole(folder) as unfinished:
                _fill(unfinished, files)
                _add_tables(overlay / "curated", tables)
    return (*(folder / name for name in files), *written)


def _add_tables(folder: Path, tables: Mapping[str, str]) -> None:
    for name, text in tables.items():
        folder.mkdir(exist_ok=True)
        write_new(folder / name, text)


def _fill(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """Give a folder to fill; it takes its name when it is full, and goes if it cannot be."""
    unfinished = _unfinished(folder)
    unfinished.mkdir()
    try:
        yield unfinished
        unfinished.rename(folder)
    except BaseException:  # whatever stops it, an interrupt too, half a folder goes
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


def _unfinished(path: Path) -> Path:
    # A name with a dot before it: no reader of an overlay looks at what a killed process left.
    return path.with_name(f".{path.name}.unfinished-{os.getpid()}")


@contextmanager
def _said(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        at = error.filename2 or error.filename
        raise UsageError(f"{show_path(Path(at))} is there already.") from error
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a text is not UTF-8"
        raise UsageError(f"{show_path(path)}: cannot be written: {reason}") from error
