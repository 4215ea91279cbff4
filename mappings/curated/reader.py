"""Read curated tables: strict CSV, every problem of every table in one run."""

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from kg.errors import Problem, SourceError
from mappings.curated.checks import (
    ambiguous_names,
    circles,
    dangling,
    of_others,
    repeated,
    unusable_patterns,
)
from mappings.curated.naming import name_fault
from mappings.curated.rows import CuratedTables, Row
from mappings.curated.tables import PROVENANCE, TABLES, Column, Table
from mappings.source_text import (
    ProblemList,
    list_folder,
    read_source_text,
    says_something,
    shorten,
    show_path,
)


def read_curated_tables(
    folder: Path,
    overlays: Mapping[str, Path] = MappingProxyType({}),
    *,
    owners: Mapping[str, str | None] = MappingProxyType({}),
) -> CuratedTables:
    """Read the tables of a folder and of a user's overlays, by name, as one set.

    A table that no folder holds has no rows. ``owners`` gives the overlay of every source, None
    for the project's: an overlay's rows speak of its own.

    Raises:
        SourceError: with every fault of every table: unknown file or column, blank or unknown
            value, a key twice, an id that no table defines, a name that means two things, an
            overlay's row about a source that is not its own.
    """
    problems = ProblemList(folder)
    rows: dict[str, list[Row]] = {name: [] for name in TABLES}
    for overlay, place in [(None, folder), *overlays.items()]:
        for path in _table_files(place, problems):
            rows[path.stem].extend(_read_table(path, TABLES[path.stem], overlay, problems))
    tables = CuratedTables({name: tuple(found) for name, found in rows.items()})
    for check in (repeated, dangling, circles, ambiguous_names, unusable_patterns):
        problems.extend(check(tables))
    problems.extend(of_others(tables, owners))
    problems.raise_if_any()
    return tables


def _table_files(folder: Path, problems: ProblemList) -> Iterator[Path]:
    try:
        found = list_folder(folder)
    except SourceError as error:
        problems.extend(error.problems)
        return
    for path in found:
        if path.suffix != ".csv":
            message = f"not a curated table: {shorten(path.name)!r} does not end in .csv"
            problems.extend([Problem(show_path(path), 1, message)])
        elif path.stem not in TABLES:
            message = f"no curated table is called {shorten(path.stem)!r}"
            problems.extend([Problem(show_path(path), 1, message)])
        else:
            yield path


def _read_table(
    path: Path, table: Table, overlay: str | None, problems: ProblemList
) -> Iterator[Row]:
    try:
        text = read_source_text(path)
    except SourceError as error:
        problems.extend(error.problems)
        return
    lines = csv.reader(io.StringIO(text), strict=True)
    try:
        if tuple(next(lines, ())) != table.header:
            message = f"expected the columns {','.join(table.header)}"
            problems.extend([Problem(str(path), 1, message)])
            return
        start = lines.line_num + 1
        for values in lines:
            line, start = start, lines.line_num + 1
            if len(values) != len(table.header):
                message = f"expected {len(table.header)} cells, found {len(values)}"
                problems.extend([Problem(str(path), line, message)])
                continue
            cells = dict(zip(table.header, values, strict=True))
            row = Row(table.name, str(path), line, cells, overlay)
            faults = [row.problem(message) for message in _cell_faults(table, row)]
            problems.extend(faults)
            if not faults:
                yield row
    except csv.Error as error:
        problems.extend([Problem(str(path), lines.line_num, f"not CSV: {error}")])


def _cell_faults(table: Table, row: Row) -> Iterator[str]:
    for column in table.columns:
        value = row[column.name]
        if message := _cell_fault(column, value):
            said = f"{shorten(value)!r} " if value else ""
            yield f"{column.name} {said}{message}"
    for name in PROVENANCE:
        if not row[name].strip():
            yield f"{name} is blank"
        elif not says_something(row[name]):
            yield f"{name} {shorten(row[name])!r} says nothing: it holds no letter and no digit"
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
    return name_fault(value) if column.names_thing else None
