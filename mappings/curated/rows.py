"""The rows of curated tables, as they were read."""

from collections.abc import Mapping
from dataclasses import dataclass

from kg.errors import Problem


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
