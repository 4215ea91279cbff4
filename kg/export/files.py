"""Tables as the bytes of files: CSV with a description, one SQLite database, Parquet."""

import csv
import io
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from importlib import import_module
from typing import Any, Final

from kg.errors import UsageError
from kg.export.tables import Cell, Column, Filled, Kind, Table

DESCRIPTION: Final = "tables.json"
_FORMAT: Final = "runatlas-tables-1"
_NOTES: Final = (
    "A table is asserted (a source, curator or user states it) or derived (a rule does); no table "
    "is both.",
    "The values of a list are in alphabetical order. Two lists of a row are not paired with each "
    "other.",
    "CSV is UTF-8 with a header, after RFC 4180. An empty cell is a value that is not stated; a "
    "list is a JSON array, [] if it has no values; a boolean is true or false; a date is "
    "YYYY-MM-DD.",
    "A cell that begins with =, +, - or @ is text from a source and is written as it is: import "
    "the columns as text rather than letting a spreadsheet read them as formulas.",
)
_SQL_TYPES: Final = {
    Kind.TEXT: "TEXT",
    Kind.INTEGER: "INTEGER",
    Kind.BOOLEAN: "INTEGER",
    Kind.DATE: "TEXT",
    Kind.LIST: "TEXT",
}


def csv_files(snapshot: str, tables: Sequence[Filled]) -> dict[str, bytes]:
    """Write one CSV file per table, and the description of all."""
    files = {f"{filled.table.name}.csv": _csv(filled) for filled in tables}
    return {**files, DESCRIPTION: _description(snapshot, tables, ".csv")}


def _csv(filled: Filled) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)  # its own dialect: RFC 4180, lines end in CRLF
    writer.writerow([column.name for column in filled.table.columns])
    writer.writerows([_csv_cell(cell) for cell in row] for row in filled.rows)
    return text.getvalue().encode()


def _csv_cell(cell: Cell) -> str:
    if cell is None:
        return ""
    return ("false", "true")[cell] if isinstance(cell, bool) else str(_plain(cell))


def _plain(cell: Cell) -> str | int | None:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, tuple) else cell


def _description(snapshot: str, tables: Sequence[Filled], suffix: str) -> bytes:
    described = {
        "format": _FORMAT,
        "snapshot": snapshot,
        "notes": _NOTES,
        "tables": [
            {
                "name": filled.table.name,
                "file": filled.table.name + suffix,
                "meaning": filled.table.meaning,
                "asserted": filled.table.asserted,
                "rows": len(filled.rows),
                "key": filled.table.key,
                "columns": [_described(column) for column in filled.table.columns],
            }
            for filled in tables
        ],
    }
    return (json.dumps(described, indent=2, ensure_ascii=False) + "\n").encode()


def _described(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.kind.value,
        "meaning": column.meaning,
        "required": column.required,
        "refers_to": column.refers_to,
    }


def sqlite_file(snapshot: str, tables: Sequence[Filled]) -> bytes:
    """Write one SQLite database: keys, references, and each meaning as a comment of the schema.

    The table ``about`` names the snapshot. A database made at one go holds no time and no free
    page, so equal tables give equal bytes under one version of SQLite.
    """
    keys = {filled.table.name: filled.table.key[0] for filled in tables}
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.execute("BEGIN")
        database.execute('CREATE TABLE "about" ("name" TEXT NOT NULL PRIMARY KEY, "value" TEXT)')
        about = {"format": _FORMAT, "snapshot": snapshot, "notes": "\n".join(_NOTES)}
        database.executemany('INSERT INTO "about" VALUES (?, ?)', about.items())
        for filled in tables:
            columns = filled.table.columns
            database.execute("\n".join(_definition(filled.table, keys)))
            marks = ", ".join("?" * len(columns))
            insert = " ".join(["INSERT INTO", _quoted(filled.table.name), f"VALUES ({marks})"])
            database.executemany(insert, [[_plain(cell) for cell in row] for row in filled.rows])
        database.execute("COMMIT")
        return database.serialize()


def _definition(table: Table, keys: Mapping[str, str]) -> Iterator[str]:
    yield f"CREATE TABLE {_quoted(table.name)} ("
    yield f"  -- {table.meaning}"
    for column in table.columns:
        null = " NOT NULL" if column.required else ""
        yield f"  {_quoted(column.name)} {_SQL_TYPES[column.kind]}{null}, -- {column.meaning}"
    for column in table.columns:
        if column.refers_to:
            other = f"{_quoted(column.refers_to)} ({_quoted(keys[column.refers_to])})"
            yield f"  FOREIGN KEY ({_quoted(column.name)}) REFERENCES {other},"
    yield f"  PRIMARY KEY ({', '.join(map(_quoted, table.key))})"
    yield ")"


def _quoted(name: str) -> str:
    return f'"{name}"'


def load_parquet() -> tuple[Any, Any]:
    """Import the optional package that writes Parquet.

    Raises:
        UsageError: it is not installed.
    """
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise UsageError(
            "The format 'parquet' needs pyarrow: pip install 'runatlas[parquet]'"
        ) from error


def parquet_files(snapshot: str, tables: Sequence[Filled]) -> dict[str, bytes]:
    """Write one Parquet file per table, lists as lists, and the description of all."""
    files = {f"{filled.table.name}.parquet": _parquet(filled) for filled in tables}
    return {**files, DESCRIPTION: _description(snapshot, tables, ".parquet")}


def _parquet(filled: Filled) -> bytes:
    pyarrow, parquet = load_parquet()
    types = {
        Kind.TEXT: pyarrow.string(),
        Kind.INTEGER: pyarrow.int64(),
        Kind.BOOLEAN: pyarrow.bool_(),
        Kind.DATE: pyarrow.date32(),
        Kind.LIST: pyarrow.list_(pyarrow.string()),
    }
    columns = filled.table.columns
    fields = [
        pyarrow.field(
            column.name,
            types[column.kind],
            nullable=not column.required,
            metadata={"description": column.meaning},
        )
        for column in columns
    ]
    values = [
        [_parquet_cell(column, row[number]) for row in filled.rows]
        for number, column in enumerate(columns)
    ]
    schema = pyarrow.schema(fields, metadata={"description": filled.table.meaning})
    content = io.BytesIO()
    parquet.write_table(pyarrow.table(values, schema=schema), content)
    return content.getvalue()


def _parquet_cell(column: Column, cell: Cell) -> Any:
    return date.fromisoformat(cell) if column.kind is Kind.DATE and isinstance(cell, str) else cell
