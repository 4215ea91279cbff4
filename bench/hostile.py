"""Time the hostile corpus: status, seconds, and seconds until the memory is back.

``make bench`` prints a row for each query and number of workers. Another client asks throughout;
what it was not answered is counted, and makes the run fail, as does a status that is not right.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx2

from tests.hostile import BODIES, LOOKUPS, QUERIES, lookup, value_of, write_graph
from tests.http_server import serving_by_command
from tests.processes import memory_of, tree_of

LIMIT_S: Final = 3.0
QUERY_MIB: Final = 512
WORKERS: Final = (1, 2, 4)
SPARE: Final = 0.1  # of the memory at the start, which caches of the server may keep
PATIENCE_S: Final = 30.0


class Other:
    """Another client; ``failed`` counts what it was not answered, or wrongly."""

    def __init__(self, address: httpx2.URL) -> None:
        """Ask at an address until ``stop``."""
        self.asked = self.failed = 0
        self.slowest = 0.0
        self._over = threading.Event()
        self._asking = threading.Thread(target=self._ask, args=[address])
        self._asking.start()

    def stop(self) -> None:
        """Ask no more."""
        self._over.set()
        self._asking.join()

    def _ask(self, address: httpx2.URL) -> None:
        with httpx2.Client(base_url=address, timeout=60) as client:
            while not self._over.wait(0.01):
                number = self.asked % LOOKUPS
                start = time.perf_counter()
                is_alive = client.get("/healthz").status_code == 200
                self.slowest = max(self.slowest, time.perf_counter() - start)
                answer = client.get("/sparql", params={"query": lookup(number), "format": "csv"})
                is_right = answer.text == f"value\r\n{value_of(number)}\r\n"
                self.asked += 1
                self.failed += not (is_alive and is_right)


def _run(file: Path, workers: int) -> Iterator[tuple[str, int, bool, float, float]]:
    limits = ["--timeout", str(LIMIT_S), "--memory", str(QUERY_MIB)]
    arguments = ["--dataset", str(file), "--workers", str(workers), *limits]
    with serving_by_command(*arguments) as (client, process):
        client.get("/sparql", params={"query": "ASK {}"})
        other = Other(client.base_url)
        time.sleep(1)
        start, processes = memory_of(process.pid), tree_of(process.pid)[:2]
        try:
            for name, fields, body, statuses in _requests():
                begun = time.perf_counter()
                answer = client.post("/sparql", content=body, headers=fields)
                took = time.perf_counter() - begun
                back = _seconds_until_back(process.pid, start)
                is_right = answer.status_code in statuses and tree_of(process.pid)[:2] == processes
                yield name, answer.status_code, is_right, took, back
        finally:
            other.stop()
        text = f"others: {other.asked} answers, slowest /healthz"
        yield text, 200, not other.failed, other.slowest, _seconds_until_back(process.pid, start)


def _requests() -> Iterator[tuple[str, dict[str, str], bytes, frozenset[int]]]:
    plain = {"Content-Type": "application/sparql-query"}
    for name, (query, statuses) in QUERIES.items():
        yield name, plain, query.encode(), statuses
    for name, (body, fields, status) in BODIES.items():
        yield name, dict(fields), body, frozenset({status})


def _seconds_until_back(process: int, start: int) -> float:
    begun = time.perf_counter()
    while memory_of(process) > start * (1 + SPARE):
        if time.perf_counter() - begun > PATIENCE_S:
            return float("inf")
        time.sleep(0.02)
    return time.perf_counter() - begun


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Print the table; end with an error if anything was not as it should be."""
    is_right = True
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph.nt"
        write_graph(file)
        _say(f"{'workers':7} {'query':46} {'status':>6} {'s':>6} {'memory back s':>14}")
        for workers in WORKERS:
            for name, status, right, took, back in _run(file, workers):
                mark = "" if right else "  WRONG"
                _say(f"{workers:7} {name:46} {status:6} {took:6.2f} {back:14.2f}{mark}")
                is_right = is_right and right and took < LIMIT_S + 1 and back < PATIENCE_S
    sys.exit(not is_right)


if __name__ == "__main__":
    main()
