"""Read the tab-separated tables of a vendor's page.

CELL_RULES says what each column may hold. An empty first cell of a table of models continues the
row above; no other cell may be empty.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from mappings.source_text import NUMBER, REPOSITORY_ID, ProblemList, quote
from mappings.vendor_page.layout import Block

CONTINUED_COLUMN: Final = "Architecture"
IDS_COLUMN: Final = "Representative Models"
ID_SEPARATOR: Final = ", "
STATUSES: Final = ("Recommended",)

_CLASS_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SIZE: Final = rf"(?:[0-9]{{1,6}}x)?{NUMBER}[KMB]"
_DASH: Final = "[\N{EN DASH}-]"
_ITEM: Final = rf"(?:{NUMBER}[KMB]?{_DASH}{_SIZE}|{_SIZE}\+|{_SIZE}(?: \({_SIZE} active\))?)"
_PARAMETERS: Final = re.compile(rf"{_ITEM}(?:, {_ITEM})*")

CellRule: TypeAlias = Callable[[str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its line, and its cells by column; a table with problems may lack some."""

    line: int
    cells: Mapping[str, str]

    def repository_ids(self) -> tuple[str, ...]:
        """Return the ids in the row's cell of ids."""
        cell = self.cells.get(IDS_COLUMN, "")
        return tuple(cell.split(ID_SEPARATOR)) if cell else ()


def read_table(block: Block, columns: Sequence[str], problems: ProblemList) -> list[Row]:
    """Return the table's rows in file order, a continuation with what it continues."""
    header = block.lines[0].split("\t")
    first_row = 1
    if not set(header) & set(columns):
        problems.add(block.line, f"expected a row with the columns {', '.join(columns)}")
        header, first_row = list(columns), 0
    _check_header(block.line, header, columns, problems)
    rows: list[Row] = []
    above = ""
    for line, text in enumerate(block.lines[first_row:], block.line + first_row):
        cells = text.split("\t")
        if header[0] == CONTINUED_COLUMN:
            above = cells[0] = cells[0] or above
        if len(cells) != len(header):
            problems.add(line, f"expected {len(header)} cells, found {len(cells)}")
            continue
        row = Row(line, dict(zip(header, cells, strict=True)))
        _check_cells(row, problems)
        rows.append(row)
    if not block.lines[first_row:]:
        problems.add(block.line, "a table without rows")
    return rows


def _check_header(
    line: int, header: Sequence[str], columns: Sequence[str], problems: ProblemList
) -> None:
    for column in header:
        if column not in columns:
            problems.add(line, f"unknown column {quote(column)}")
    for column in columns:
        if column not in header:
            problems.add(line, f"missing column {quote(column)}")
    if set(header) == set(columns) and tuple(header) != tuple(columns):
        problems.add(line, f"expected the columns in the order {', '.join(columns)}")


def _check_cells(row: Row, problems: ProblemList) -> None:
    for column, cell in row.cells.items():
        if not cell and column == CONTINUED_COLUMN:
            problems.add(row.line, "a continuation row with nothing to continue")
        elif not cell.strip():
            problems.add(row.line, f"empty cell in column {quote(column)}")
        elif cell != cell.strip():
            problems.add(row.line, f"a blank before or after {quote(cell.strip())}")
        else:
            for message in CELL_RULES.get(column, _anything)(cell):
                problems.add(row.line, message)


def _anything(_cell: str) -> Iterator[str]:
    yield from ()


def _class_name(cell: str) -> Iterator[str]:
    if not _CLASS_NAME.fullmatch(cell):
        yield f"{quote(cell)} is not the name of a model class"


def _repository_ids(cell: str) -> Iterator[str]:
    for repository_id in cell.split(ID_SEPARATOR):
        if not REPOSITORY_ID.fullmatch(repository_id):
            yield f"{quote(repository_id)} is not a repository id such as Qwen/Qwen3-8B"


def _parameters(cell: str) -> Iterator[str]:
    if not _PARAMETERS.fullmatch(cell):
        yield f"{quote(cell)} is not a count of parameters such as 7B, 1.5B+ or 8x7B"


def _status(cell: str) -> Iterator[str]:
    if cell not in STATUSES:
        yield f"status {quote(cell)} is not one of {', '.join(STATUSES)}"


CELL_RULES: Final[Mapping[str, CellRule]] = MappingProxyType(
    {
        CONTINUED_COLUMN: _class_name,
        IDS_COLUMN: _repository_ids,
        "Params": _parameters,
        "Status": _status,
    }
)
