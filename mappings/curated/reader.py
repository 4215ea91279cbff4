"""Read curated tables: strict CSV, every problem of every table in one run."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from kg.errors import Problem, SourceError
from mappings.curated.tables import ALIASED, HARDWARE, PROVENANCE, TABLES, Column, Table
from mappings.source_text import read_source_text


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a curated table, with the file and line that it stands on."""

    table: str
    path: str
    line: int
    cells: Mapping[str, str]
    overlay: str | None = None

    def __getitem__(self, column: str) -> str:
        """Return the cell of a column of this table."""
        return self.cells[column]

    def problem(self, message: str) -> Problem:
        """Name a fault of this row."""
        return Problem(self.path, self.line, message)


@dataclass(frozen=True, slots=True)
class CuratedTables:
    """The rows of every table, by the table's name, in file order."""

    rows: Mapping[str, tuple[Row, ...]]

    def __getitem__(self, table: str) -> tuple[Row, ...]:
        """Return the rows of a table."""
        return self.rows[table]

    def ids(self, table: str) -> frozenset[str]:
        """Return the ids that a registry table defines."""
        return frozenset(row["id"] for row in self.rows[table])


# Columns whose cell is the id of a thing in the table that another column of the row names.
_POINTED: Final = {
    "aliases": ("kind", ALIASED, "id"),
    "configuration_cells": ("hardware_kind", HARDWARE, "hardware"),
    "exclusions": (
        "target_kind",
        {**HARDWARE, "component": "components", "feature": "features", "precision": "precisions"},
        "target",
    ),
}


def read_curated_tables(
    folder: Path, overlays: Mapping[str, Path] = MappingProxyType({})
) -> CuratedTables:
    """Read the tables of a folder and of a user's overlays, by name, as one set.

    A table that no folder holds has no rows.

    Raises:
        SourceError: with every fault of every table: unknown file or column, blank or unknown
            value, a key twice, an id that no table defines.
    """
    problems: list[Problem] = []
    rows: dict[str, list[Row]] = {name: [] for name in TABLES}
    for overlay, place in [(None, folder), *overlays.items()]:
        for path in sorted(place.glob("*.csv")):
            if path.stem not in TABLES:
                message = f"no curated table is called {path.stem!r}"
                problems.append(Problem(str(path), 1, message))
                continue
            try:
                rows[path.stem].extend(_read_table(path, TABLES[path.stem], overlay, problems))
            except SourceError as error:
                problems.extend(error.problems)
    tables = CuratedTables({name: tuple(found) for name, found in rows.items()})
    problems.extend(_repeated(tables))
    problems.extend(_dangling(tables))
    problems.extend(_circles(tables))
    problems.extend(_ambiguous_names(tables))
    if problems:
        raise SourceError(sorted(problems, key=lambda p: (p.path, str(p.place).zfill(9))))
    return tables


def _read_table(
    path: Path, table: Table, overlay: str | None, problems: list[Problem]
) -> Iterator[Row]:
    lines = csv.reader(io.StringIO(read_source_text(path)), strict=True)
    try:
        if tuple(next(lines, ())) != table.header:
            problems.append(Problem(str(path), 1, f"expected the columns {','.join(table.header)}"))
            return
        start = lines.line_num + 1
        for values in lines:
            line, start = start, lines.line_num + 1
            if len(values) != len(table.header):
                message = f"expected {len(table.header)} cells, found {len(values)}"
                problems.append(Problem(str(path), line, message))
                continue
            cells = dict(zip(table.header, values, strict=True))
            row = Row(table.name, str(path), line, cells, overlay)
            faults = [row.problem(message) for message in _cell_faults(table, row)]
            problems.extend(faults)
            if not faults:
                yield row
    except csv.Error as error:
        problems.append(Problem(str(path), lines.line_num, f"not CSV: {error}"))


def _cell_faults(table: Table, row: Row) -> Iterator[str]:
    for column in table.columns:
        value = row[column.name]
        if message := _cell_fault(column, value):
            yield f"{column.name} {value!r} {message}" if value else f"{column.name} is blank"
    for name in PROVENANCE:
        if not row[name].strip():
            yield f"{name} is blank"
    if table.name == "stacks" and bool(row["bound"]) != bool(row["version"]):
        yield "bound and version go together: give both or neither"


def _cell_fault(column: Column, value: str) -> str | None:
    if not value:
        return None if column.optional else "is blank"
    if value != value.strip():
        return "has blanks around it"
    if column.choices and value not in column.choices:
        return f"is not one of {', '.join(column.choices)}"
    if column.pattern and not column.pattern.fullmatch(value):
        return f"does not have the form {column.pattern.pattern}"
    return None


def _repeated(tables: CuratedTables) -> Iterator[Problem]:
    for name, table in TABLES.items():
        seen: dict[tuple[str, ...], Row] = {}
        for row in tables[name]:
            key = tuple(row[column] for column in table.key)
            if key in seen:
                first = seen[key]
                said = ", ".join(f"{c} {v!r}" for c, v in zip(table.key, key, strict=True))
                yield row.problem(f"{said} stands already at {first.path}:{first.line}")
            seen.setdefault(key, row)


def _dangling(tables: CuratedTables) -> Iterator[Problem]:
    for name, table in TABLES.items():
        for row in tables[name]:
            for column in table.columns:
                yield from _dangling_cell(tables, row, column)
            if name in _POINTED:
                selector, targets, column_name = _POINTED[name]
                target = targets.get(row[selector])
                if target and row[column_name] not in tables.ids(target):
                    yield row.problem(f"{column_name} {row[column_name]!r} is not in {target}.csv")


def _dangling_cell(tables: CuratedTables, row: Row, column: Column) -> Iterator[Problem]:
    if not column.refers_to or not row[column.name]:
        return
    values = row[column.name].split(" ") if column.many else [row[column.name]]
    for value in values:
        if value not in tables.ids(column.refers_to):
            yield row.problem(f"{column.name} {value!r} is not in {column.refers_to}.csv")


def _circles(tables: CuratedTables) -> Iterator[Problem]:
    """Find a thing that lies above itself: broader, containing or part of itself, by any way."""
    for name, table in TABLES.items():
        for column in (column for column in table.columns if column.refers_to == name):
            above = {row["id"]: row[column.name].split() for row in tables[name]}
            for row in tables[name]:
                if row["id"] in _reached(above, above[row["id"]]):
                    message = f"{column.name} {row[column.name]!r} leads back to itself"
                    yield row.problem(message)


def _reached(above: Mapping[str, list[str]], start: list[str]) -> set[str]:
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        thing = waiting.pop()
        if thing not in reached:
            reached.add(thing)
            waiting.extend(above.get(thing, ()))
    return reached


def _ambiguous_names(tables: CuratedTables) -> Iterator[Problem]:
    """Find a name of hardware or software that means two things: ids and aliases share a space."""
    owners: dict[str, tuple[str, str]] = {}
    named = [
        (row["id"].lower(), (kind, row["id"]), row)
        for kind, table in ALIASED.items()
        for row in tables[table]
    ]
    named += [(row["alias"].lower(), (row["kind"], row["id"]), row) for row in tables["aliases"]]
    for name, owner, row in named:
        if owners.setdefault(name, owner) != owner:
            kind, id_ = owners[name]
            yield row.problem(f"the name {name!r} means the {kind} {id_!r} already")
