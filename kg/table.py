"""Write the rows of a stored question as a table, JSON or CSV, each with its place."""

import csv
import io
from collections.abc import Iterator
from typing import Final

from kg.ask import Asked
from kg.printable import json_text, printable
from kg.terms import shorten

READ_AT: Final = "read_at"


def as_table(asked: Asked, width: int | None = None) -> str:
    """Return rows under the question's title: in columns, or one cell a line if that is too wide.

    ``width`` is that of the terminal; None is no bound.
    """
    columns = (*asked.columns, READ_AT)
    cells = [[printable(text) for text in row] for row in _cells(asked)]
    lines = _in_columns(columns, cells)
    if width is not None and max(map(len, lines)) > width:
        lines = _one_below_the_other(columns, cells)
    count = f"{len(cells)} row{'' if len(cells) == 1 else 's'}"
    return "\n".join([asked.question.title, "", *lines, "", count]) + "\n"


def _in_columns(columns: tuple[str, ...], cells: list[list[str]]) -> list[str]:
    widths = [
        max(len(name), *(len(row[index]) for row in cells), 0) for index, name in enumerate(columns)
    ]
    rows = [list(columns), ["-" * width for width in widths], *cells]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _one_below_the_other(columns: tuple[str, ...], cells: list[list[str]]) -> list[str]:
    indent = max(map(len, columns))
    lines = []
    for row in cells:
        lines += [
            f"{name:<{indent}}  {cell}".rstrip() for name, cell in zip(columns, row, strict=True)
        ]
        lines.append("")
    return lines[:-1]


def as_json_rows(asked: Asked) -> str:
    """Return rows as a JSON array of objects: each value as text, the places as a list."""
    rows = [
        {**dict(zip(asked.columns, cells[:-1], strict=True)), READ_AT: list(map(str, places))}
        for cells, places in zip(_cells(asked), asked.places, strict=True)
    ]
    return json_text(rows) + "\n"


def as_csv(asked: Asked) -> str:
    """Return rows as CSV (RFC 4180, with line feeds)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*asked.columns, READ_AT))
    writer.writerows(_cells(asked))
    return out.getvalue()


def _cells(asked: Asked) -> Iterator[list[str]]:
    for row, places in zip(asked.rows, asked.places, strict=True):
        cells = [shorten(row.get(column)) for column in asked.columns]
        yield [*cells, ", ".join(map(str, places))]
