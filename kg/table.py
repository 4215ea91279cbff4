"""Write the rows of a stored question as a table, JSON or CSV."""

import csv
import io
import json

from kg.ask import Asked
from kg.backend import Row
from kg.terms import shorten


def as_table(asked: Asked) -> str:
    """Return rows as columns of text, under the question's title."""
    cells = [[shorten(row.get(column)) for column in asked.columns] for row in asked.rows]
    widths = [
        max(len(name), *(len(row[index]) for row in cells), 0)
        for index, name in enumerate(asked.columns)
    ]
    lines = [asked.question.title, ""]
    for row in [list(asked.columns), ["-" * width for width in widths], *cells]:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join(padded).rstrip())
    lines += ["", f"{len(cells)} row{'' if len(cells) == 1 else 's'}"]
    return "\n".join(lines) + "\n"


def as_json_rows(asked: Asked) -> str:
    """Return rows as a JSON array of objects, each value as text."""
    rows = [_texts(row, asked.columns) for row in asked.rows]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def as_csv(asked: Asked) -> str:
    """Return rows as CSV (RFC 4180, with line feeds)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(asked.columns)
    writer.writerows(_texts(row, asked.columns).values() for row in asked.rows)
    return out.getvalue()


def _texts(row: Row, columns: tuple[str, ...]) -> dict[str, str]:
    return {column: shorten(row.get(column)) for column in columns}
