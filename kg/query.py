"""Run one SPARQL query for the command line, in a child process that can be stopped."""

import csv
import ctypes
import io
import os
import resource
import select as select_
import signal
import sys
import time

import typer
from pyoxigraph import QueryResultsFormat, RdfFormat

from kg.backend import Backend
from kg.errors import NotAcceptableError, RunatlasError
from kg.evaluation import Request
from kg.printable import printable

_PR_SET_PDEATHSIG = 1
# What the child puts before an answer: it is CSV, or something else.
_CSV, _OTHER = b"C", b"-"
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
    when the time is over or this process ends; the answer is printed whole or not at all.
    """
    read, write = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(read)
        os._exit(_child(backend, text, format_, write, parent))
    os.close(write)
    answer = None
    try:
        answer = _receive(read, time.monotonic() + timeout)
    finally:
        if answer is None:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if answer is None:
        typer.echo(f"runatlas: the query was given up after {timeout:g} s", err=True)
        return 1
    if os.WIFSIGNALED(status):
        typer.echo("runatlas: the query broke the query engine", err=True)
        return 1
    if status == 0:
        typer.echo(_shown(answer, format_), nl=False)
    return os.waitstatus_to_exitcode(status)


def _child(backend: Backend, text: str, format_: str | None, write: int, parent: int) -> int:
    """Answer into the pipe; whatever goes wrong, return, and never run on as a second parent."""
    try:
        _die_with_parent(parent)
        _forbid_sockets()
        content = _answer(backend, text, format_)
        with os.fdopen(write, "wb") as pipe:
            pipe.write(content)
    except RunatlasError as error:
        _say(str(error))
        return 2
    except BaseException as error:  # noqa: BLE001 - a forked child has no caller to raise to
        _say(f"the query cannot be answered: {type(error).__name__}")
        return 1
    return 0


def _say(message: str) -> None:
    typer.echo(f"runatlas: {printable(message)}", err=True)


def _die_with_parent(parent: int) -> None:
    """Ask Linux to end this process with its parent; elsewhere the time limit has to do."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _forbid_sockets() -> None:
    """Leave no file descriptor free: what slips past the guard still reaches no other machine."""
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))


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
        answer = backend.answer(Request(query=text, results=results, graph=graphs))
    except NotAcceptableError as error:
        known = _GRAPHS if results else _RESULTS
        raise NotAcceptableError(f"{error} Use --format {' or '.join(known)}.") from error
    return _CSV + answer.body if answer.media_type.startswith("text/csv") else _OTHER + answer.body


def _shown(answer: bytes, format_: str | None) -> bytes:
    """Return what is printed: a table laid out in columns, everything else as it is."""
    kind, body = answer[:1], answer[1:]
    return _as_table(body) if kind == _CSV and format_ in (None, "table") else body


def _as_table(body: bytes) -> bytes:
    csv.field_size_limit(len(body) + 1)
    text = io.StringIO(body.decode(), newline="")
    rows = [[printable(cell) for cell in row] for row in csv.reader(text)]
    width = max(map(len, rows), default=0)
    widths = [max((len(r[i]) for r in rows if i < len(r)), default=0) for i in range(width)]
    lines = ("  ".join(c.ljust(w) for c, w in zip(r, widths, strict=False)).rstrip() for r in rows)
    return "".join(f"{line}\n" for line in lines).encode()
