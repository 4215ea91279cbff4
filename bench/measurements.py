"""What was measured, as a table for 100 columns and as JSON."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from bench.client import Load
from bench.synthetic import Question

# The ones of ours that others are compared with, and the heads of their columns.
OURS: Final = {
    "runatlas": "uncached",
    "runatlas-cached": "cached",
    "runatlas-304": "304",
}


@dataclass(slots=True)
class Cell:
    """One question, put over so many connections to one server, round by round."""

    question: Question
    connections: int
    server: str
    requests: Sequence[bytes]
    is_slow: bool
    loads: list[Load] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)  # seconds of the server

    @property
    def spent(self) -> float:
        """Seconds that the measurements have taken."""
        return sum(done.seconds for done in self.loads)

    @property
    def rates(self) -> list[float]:
        """Answers in a second, round by round."""
        return [done.answers / done.seconds for done in self.loads]

    def add(self, done: Load, cpu: float) -> None:
        """Add a round."""
        self.loads.append(done)
        self.cpu.append(cpu)

    def cpu_of_one(self) -> float:
        """Return the CPU seconds that one answer takes of the server."""
        return sum(self.cpu) / sum(done.answers for done in self.loads)


def ratio(ours: Cell, theirs: Cell, limit: float) -> tuple[float, bool]:
    """Return by how much ours is faster, the median over rounds; and whether by more than that."""
    if theirs.is_slow or not theirs.loads:
        return statistics.median(ours.rates) * limit, True
    pairs = zip(ours.rates, theirs.rates, strict=False)
    return statistics.median(mine / other for mine, other in pairs), False


def as_text(cells: Sequence[Cell], missing: Sequence[str], limit: float) -> str:
    """Return the table: a block for each question and number of connections."""
    heads = "".join(f"{head:>10}" for head in OURS.values())
    lines = [
        "Ratios are of ours to each server: above 1, ours is faster. CPU is of the server, for",
        "one answer. A value stands with the smallest and the largest of its rounds.",
    ]
    for _, block in groupby(cells, key=lambda cell: (cell.question.name, cell.connections)):
        group = list(block)
        first = group[0]
        unit = "answers/s" if first.question.is_lookup else "s/answer"
        title = f"{first.question.name}, {first.connections} at a time"
        lines += ["", f"{title:38}{unit:>10}{'CPU ms':>9}{heads}"]
        lines += _block(group, limit)
        lines += [f"{name:18}   not installed" for name in missing]
    return "\n".join(lines) + "\n"


def _block(group: Sequence[Cell], limit: float) -> Iterator[str]:
    ours = {cell.server: cell for cell in group if cell.server in OURS and cell.loads}
    for cell in group:
        compared = [ratio(ours[name], cell, limit) if name in ours else None for name in OURS]
        ratios = "" if cell.server in OURS else "".join(map(_ratio, compared))
        if cell.is_slow or not cell.loads:
            yield f"{cell.server:18}{f'>= {limit:g} s':>30}{'':9}{ratios}"
            continue
        values = [_value(cell, rate) for rate in cell.rates]
        spread = f"{_number(min(values))} to {_number(max(values))}"
        value = _number(statistics.median(values))
        yield f"{cell.server:18}{spread:>20}{value:>10}{cell.cpu_of_one() * 1000:9.3g}{ratios}"


def _value(cell: Cell, rate: float) -> float:
    return rate if cell.question.is_lookup else 1 / rate


def _ratio(found: tuple[float, bool] | None) -> str:
    if not found:
        return f"{'':10}"
    value, is_more = found
    return f"{'>=' if is_more else ''}{_number(value)}".rjust(10)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def as_json(cells: Sequence[Cell], errors: Sequence[str]) -> Mapping[str, Any]:
    """Return what was measured, round by round."""
    return {
        "errors": list(errors),
        "measurements": [
            {
                "question": cell.question.name,
                "connections": cell.connections,
                "server": cell.server,
                "is_slow": cell.is_slow,
                "rounds": [
                    {
                        "answers": done.answers,
                        "seconds": done.seconds,
                        "server_cpu_s": cpu,
                        "client_cpu_s": done.client_cpu,
                    }
                    for done, cpu in zip(cell.loads, cell.cpu, strict=True)
                ],
            }
            for cell in cells
        ],
    }
