"""Compare the endpoint with its peers: same data, queries, connections and answers, in one run.

``make bench`` prints medians of five rounds with the smallest and the largest value, and ratios,
which are above 1 where ours is faster. In each round every server is measured after the other for
each question, so that a change in the machine meets them all. Client and servers share it.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.answers import difference, rows
from bench.client import SlowError, fetch, load, request
from bench.measurements import Cell, as_json, as_text
from bench.servers import SERVERS, Running, Server, StartError, running
from bench.synthetic import GROUP, ITEMS, Question, questions, triples

Answers = list[Counter[object] | None]  # of the queries of one question; None for a slow one


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run does."""

    rounds: int
    seconds: float  # of each measurement, or as long as one answer takes
    limit: float  # seconds until an answer is given up, or a measurement not repeated
    items: int
    servers: tuple[Server, ...]
    out: Path


@dataclass(slots=True)
class Run:
    """Servers that run, and what is found out about them."""

    settings: Settings
    data: Path
    fleet: dict[str, Running] = field(default_factory=dict)
    stacks: dict[str, ExitStack] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def start(self, server: Server) -> None:
        """Start a server, once more if it runs: nothing else ends a query of some of them."""
        self.end(server.name)
        stack = self.stacks[server.name] = ExitStack()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "server"
        self.fleet[server.name] = stack.enter_context(running(server, self.data, folder))

    def try_to_start(self, server: Server) -> None:
        """Start a server, or go on without it and report that as an error."""
        try:
            self.start(server)
        except (StartError, subprocess.CalledProcessError) as error:
            self.errors.append(str(error))

    def end(self, name: str) -> None:
        """End a server, if it runs."""
        if stack := self.stacks.pop(name, None):
            stack.close()

    def check(self, question: Question) -> None:
        """Compare what the servers answer; who has a cache has the answers from then on."""
        expected: Answers = []
        for one in list(self.fleet.values()):
            answers, tags = self._answers(one, question)
            expected = expected or answers
            self._compare(one.server.name, question, expected, answers)
            is_slow = None in answers
            requests = [
                request(one.server.path, query, tag if one.server.knows_answers else None)
                for query, tag in zip(question.queries, tags, strict=True)
            ]
            for connections in question.connections:
                cell = Cell(question, connections, one.server.name, requests, is_slow)
                self.cells.append(cell)

    def _compare(
        self, server: str, question: Question, expected: Answers, answers: Answers
    ) -> None:
        problems = [
            f"{query}: {problem}"
            for query, ours, theirs in zip(question.queries, expected, answers, strict=True)
            if ours is not None and theirs is not None and (problem := difference(ours, theirs))
        ]
        if problems:
            of = f"{len(problems)} of {len(answers)} answers differ"
            self.errors.append(f"{server}: {question.name}: {of}, such as {problems[0]}")

    def _answers(self, one: Running, question: Question) -> tuple[Answers, list[str | None]]:
        answers: Answers = []
        tags: list[str | None] = []
        for query in question.queries:
            try:
                got = fetch(one.port, one.server.path, query, limit=self.settings.limit)
                answers.append(rows(got.body))
                tags.append(got.tag)
            except (ValueError, KeyError) as error:
                self.errors.append(f"{one.server.name}: {query}: no answer in JSON: {error}")
                answers.append(Counter())
                tags.append(None)
            except SlowError:
                self.start(one.server)
                left = len(question.queries) - len(answers)
                return [*answers, *[None] * left], [*tags, *[None] * left]
        return answers, tags

    def in_turn(self) -> list[Cell]:
        """Return what is to be measured: each server after the other, question by question."""
        questions = list(dict.fromkeys(cell.question.name for cell in self.cells))
        return sorted(
            self.cells, key=lambda cell: (questions.index(cell.question.name), cell.connections)
        )

    def measure(self, cell: Cell) -> None:
        """Measure once more, unless that would take too long."""
        if cell.is_slow or cell.spent > self.settings.limit:
            return
        one = self.fleet[cell.server]
        cpu = one.cpu()
        try:
            done = load(
                *(one.port, cell.requests, cell.connections, self.settings.seconds),
                limit=self.settings.limit,
                status=304 if one.server.knows_answers else 200,
            )
        except SlowError:
            cell.is_slow = True
            self.start(one.server)
        except OSError as error:
            cell.is_slow = True
            self.errors.append(f"{cell.server}: {cell.question.name}: {error}")
            self.start(one.server)
        else:
            cell.add(done, one.cpu() - cpu)


def measure_all(settings: Settings, folder: Path) -> Run:
    """Start the servers, check and measure them, and end them, whatever happens."""
    data = folder / "graph.nt"
    data.write_text("".join(triples(settings.items)), encoding="ascii")
    run = Run(settings, data)
    try:
        for server in settings.servers:
            if server.is_installed():
                _say(f"starting {server.name}")
                run.try_to_start(server)
        for question in questions(settings.items):
            _say(f"checking {question.name}")
            run.check(question)
        for number in range(settings.rounds):
            _say(f"round {number + 1} of {settings.rounds}")
            for cell in run.in_turn():
                run.measure(cell)
    finally:
        for name in list(run.stacks):
            run.end(name)
    return run


def _say(what: str) -> None:
    sys.stderr.write(f"{what}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, write it as JSON; return 1 if servers give different answers."""
    settings = _settings(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # or the servers would go on
    with tempfile.TemporaryDirectory() as folder:
        run = measure_all(settings, Path(folder))
    missing = [server.name for server in settings.servers if not server.is_installed()]
    cells = run.in_turn()
    sys.stdout.write(as_text(cells, missing, settings.limit))
    settings.out.parent.mkdir(parents=True, exist_ok=True)
    content = {"items": settings.items, "seconds": settings.seconds, "not installed": missing}
    settings.out.write_text(json.dumps({**content, **as_json(cells, run.errors)}, indent=1) + "\n")
    for error in run.errors:
        sys.stdout.write(f"ERROR: {error}\n")
    return 1 if run.errors else 0


def _settings(arguments: Sequence[str] | None) -> Settings:
    parser = argparse.ArgumentParser(prog="bench.endpoint", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement")
    parser.add_argument("--limit", type=float, default=20, help="seconds that an answer may take")
    parser.add_argument("--scale", type=float, default=1, help="1 for 320,200 triples")
    parser.add_argument("--servers", help="NAME,…; by default all: " + "; ".join(_NAMES))
    parser.add_argument("--out", type=Path, default=Path("build/bench/endpoint.json"))
    given = parser.parse_args(arguments)
    names = [name.strip() for name in given.servers.split(",")] if given.servers else _NAMES
    if unknown := sorted({*names} - {*_NAMES}):
        parser.error(f"no such server: {', '.join(unknown)}")
    return Settings(
        rounds=given.rounds,
        seconds=given.seconds,
        limit=given.limit,
        items=max(GROUP, round(ITEMS * given.scale) // GROUP * GROUP),
        servers=tuple(server for server in SERVERS if server.name in names),
        out=given.out,
    )


_NAMES: Final = [server.name for server in SERVERS]


if __name__ == "__main__":
    sys.exit(main())
