"""Export a snapshot: as RDF with its named graphs, or as tables for people without RDF.

The same snapshot gives the same bytes. What a user's overlays state, and what follows from it, is
left out unless it is asked for (decision D12); derived rows stand in tables of their own.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from kg.errors import UsageError
from kg.export.facts import read_asserted, read_derived
from kg.export.files import DESCRIPTION, csv_files, load_parquet, parquet_files, sqlite_file
from kg.export.rdf import exported_quads, jsonld, nquads, trig
from kg.export.schema import TABLES
from kg.export.tables import Filled, fill
from kg.export.writing import refuse_file, refuse_folder, write_file, write_folder
from kg.snapshot import Snapshot

_RDF: Final = {"nquads": nquads, "trig": trig, "jsonld": jsonld}
_FOLDERS: Final[dict[str, Callable[[str, tuple[Filled, ...]], Mapping[str, bytes]]]] = {
    "csv": csv_files,
    "parquet": parquet_files,
}
FORMATS: Final = (*_RDF, *_FOLDERS, "sqlite")


def export(
    snapshot: Snapshot, format: str, out: Path, *, overlays: bool = False
) -> tuple[Path, ...]:
    """Write a snapshot to a file, or for ``csv`` and ``parquet`` to a folder; return the files.

    An existing file is replaced whole; a folder only if it holds nothing else than such an export.

    Raises:
        UsageError: an unknown format, a missing package, or something of the user's in the way.
        ExportError: it cannot be written; nothing is left behind.
    """
    if format not in FORMATS:
        raise UsageError(f"There is no format {format!r}: take one of {', '.join(FORMATS)}.")
    if format == "parquet":
        load_parquet()
    if format in _FOLDERS:
        suffix = "." + format
        refuse_folder(out, snapshot.folder, _names(suffix))
        return write_folder(out, _FOLDERS[format](snapshot.name, _tables(snapshot, overlays)))
    refuse_file(out, snapshot.folder)
    if format in _RDF:
        content = _RDF[format](exported_quads(snapshot.store, overlays=overlays))
    else:
        content = sqlite_file(snapshot.name, _tables(snapshot, overlays))
    return (write_file(out, content),)


def _tables(snapshot: Snapshot, overlays: bool) -> tuple[Filled, ...]:
    layers = {
        True: read_asserted(snapshot, overlays=overlays),
        False: read_derived(snapshot, overlays=overlays),
    }
    return tuple(fill(table, layers[table.asserted]) for table in TABLES)


def _names(suffix: str) -> frozenset[str]:
    return frozenset({DESCRIPTION, *(table.name + suffix for table in TABLES)})
