"""Find a snapshot by what people type: a folder, or the name or hash of one beside the last."""

from difflib import get_close_matches
from pathlib import Path

from kg.errors import SnapshotError, UnknownNameError, UsageError
from kg.snapshot import MANIFEST, default_snapshot


def find_snapshot(text: str) -> Path:
    """Return the folder of a snapshot: a folder, or a name or the start of a name or of a hash.

    Names are those of the snapshots that lie beside the one that is read when none is named.

    Raises:
        UnknownNameError: neither a folder nor such a name; with near misses.
        UsageError: the start of several names.
    """
    if text and Path(text).is_dir():
        return Path(text)
    folders = _beside()
    if text in folders:
        return folders[text]
    found = [name for name in folders if text and text in _starts(name, len(text))]
    if len(found) > 1:
        raise UsageError(f"{text!r} is the start of several snapshots: {', '.join(found)}.")
    if not found:
        near = get_close_matches(text, folders, cutoff=0.5) or list(folders)[-3:]
        raise UnknownNameError("snapshot", text, near, "Give a folder, a name or a hash.")
    return folders[found[0]]


def _starts(name: str, length: int) -> set[str]:
    """Return the start of a name and the starts of what follows each hyphen: its hash is one."""
    parts = name.split("-")
    return {"-".join(parts[number:])[:length] for number in range(len(parts))}


def _beside() -> dict[str, Path]:
    try:
        parent = default_snapshot().resolve().parent
    except SnapshotError:
        return {}
    found = sorted(folder for folder in parent.iterdir() if (folder / MANIFEST).is_file())
    return {folder.name: folder for folder in found}
