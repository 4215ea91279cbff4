"""Run one SPARQL query for the command line, in a child process that can be stopped."""

import io
import os
import select as select_
import signal
import sys
import time
from csv import reader

from pyoxigraph import QueryResultsFormat, RdfFormat

from kg.backend import Answer, Backend
from kg.errors import NotAcceptableError, RunatlasError

_RESULTS = {
    "json": QueryResultsFormat.JSON,
    "xml": QueryResultsFormat.XML,
    "csv": QueryResultsFormat.CSV,
    "tsv": QueryResultsFormat.TSV,
    "table": QueryResultsFormat.CSV,
}
_GRAPHS = {"turtle": RdfFormat.TURTLE, "ntriples": RdfFormat.N_TRIPLES, "jsonld": RdfFormat.JSON_LD}


def run_query(backend: Backend, text: str, format_: str | None, timeout: float) -> int:
    """Run a query and print its answer; return the exit code.

    The store has no time limit of its own, so the query runs in a child process, which is killed
    when the time is over; the answer is printed whole or not at all.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os._exit(_child(backend, text, format_, write))
    os.close(write)
    answer = _receive(read, time.monotonic() + timeout)
    if answer is None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if answer is None:
        sys.stderr.write(f"runatlas: the query was given up after {timeout:g} s\n")
        return 1
    if status != 0:
        if os.WIFSIGNALED(status):
            sys.stderr.write("runatlas: the query broke the query engine\n")
            return 1
        return os.waitstatus_to_exitcode(status)
    sys.stdout.buffer.write(answer)
    sys.stdout.flush()
    return 0


def _child(backend: Backend, text: str, format_: str | None, write: int) -> int:
    try:
        content = _answer(backend, text, format_)
    except RunatlasError as error:
        sys.stderr.write(f"runatlas: {error}\n")
        sys.stderr.flush()
        return 2
    with os.fdopen(write, "wb") as pipe:
        pipe.write(content)
    return 0


def _receive(read: int, deadline: float) -> bytes | None:
    """Read until the child closes its end; None if the time is over first."""
    chunks: list[bytes] = []
    with os.fdopen(read, "rb", buffering=0) as pipe:
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not select_.select([pipe], [], [], left)[0]:
                return None
            chunk = pipe.read(1 << 16)
            if not chunk:
                return b"".join(chunks)
            chunks.append(chunk)


def _answer(backend: Backend, text: str, format_: str | None) -> bytes:
    results = _RESULTS.get(format_ or "table")
    graphs = _GRAPHS.get(format_ or "turtle")
    try:
        answer = backend.answer(text, results_format=results, graph_format=graphs)
    except NotAcceptableError as error:
        known = _GRAPHS if results else _RESULTS
        raise NotAcceptableError(f"{error} Use --format {' or '.join(known)}.") from error
    return _as_table(answer) if (format_ or "table") == "table" else answer.body


def _as_table(answer: Answer) -> bytes:
    """Lay the CSV of a table out in columns; a boolean or a graph stays as it is."""
    if not answer.media_type.startswith("text/csv"):
        return answer.body
    rows = list(reader(io.StringIO(answer.body.decode(), newline="")))
    width = max(map(len, rows), default=0)
    widths = [max((len(r[i]) for r in rows if i < len(r)), default=0) for i in range(width)]
    lines = ("  ".join(c.ljust(w) for c, w in zip(r, widths, strict=False)).rstrip() for r in rows)
    return "".join(f"{line}\n" for line in lines).encode()
