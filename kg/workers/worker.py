"""A worker: answers one query after another, until something ends it.

Nothing here stops a query. The timer and the memory limit are the kernel's, and the signal that
ends the worker tells which of them it was.
"""

import ctypes
import gc
import io
import json
import os
import resource
import signal
import socket
import sys
from pathlib import Path
from typing import IO, Final, cast

from pyoxigraph import Store

from kg.errors import QueryFailedError, ResultTooLargeError, RunatlasError
from kg.evaluation import Form, Request, evaluate, form_of, media_type_for, write
from kg.workers.frames import BROKEN, HEAD, Kind, frame, unpack_request
from kg.workers.limits import Limits

CHUNK: Final = 1 << 16
_PR_SET_PDEATHSIG: Final = 1
# A worker that has grown by more than this share of its memory is not used again: what it does
# not give back would be missing from the next query.
_GROWN: Final = 0.25


def run(store: Store, pool: socket.socket, limits: Limits) -> None:
    """Answer what the pool asks, until it closes the socket or this worker is used up."""
    _die_with_parent()
    # A worker that has a query must not interrupt the pool that has just sent it: that goes on.
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    _confine(limits.memory)
    most = _peak() + limits.memory * _GROWN
    output = _Output(pool, limits)
    while not output.is_last and (asked := _receive(pool)) is not None:
        request, timeout = unpack_request(asked)
        output = _Output(pool, limits)
        _arm(timeout)
        _answer(store, request, output, most)


def _answer(store: Store, request: Request, output: "_Output", most: float) -> None:
    try:
        results = evaluate(store, request)
        output.begin(form_of(results), media_type_for(results, request))
        write(results, request, cast("IO[bytes]", output))  # the engine asks it to write, no more
        output.end(is_last=_peak() > most)
    except MemoryError:
        os.kill(os.getpid(), signal.SIGABRT)  # as the engine does when it meets the limit
    except RunatlasError as error:
        output.fail(error, is_last=_peak() > most)
    except BaseException:  # noqa: BLE001 - a panic of the engine is none of Exception
        output.fail(QueryFailedError(BROKEN), is_last=True)


class _Output(io.RawIOBase):
    """An answer on its way to the pool; each part that is taken gives it time for another."""

    def __init__(self, pool: socket.socket, limits: Limits) -> None:
        self._pool, self._limits = pool, limits
        self._head = b""
        self._kept = bytearray()
        self._size = 0
        self._error: ResultTooLargeError | None = None
        self.is_last = False

    def writable(self) -> bool:
        return True

    def begin(self, form: Form, media_type: str) -> None:
        self._head = frame(Kind.BEGIN, f"{form} {media_type}".encode())

    def write(self, data: bytes) -> int:  # type: ignore[override]  # the engine writes bytes alone
        self._size += len(data)
        most = self._limits.result
        if most is not None and self._size > most:
            # The engine reports any error of ours as its own: the one to tell is kept.
            self._error = ResultTooLargeError(f"The answer is longer than {most:,} bytes.")
            raise OSError
        self._kept += data
        if len(self._kept) >= CHUNK:
            self._send_parts()
        return len(data)

    def end(self, *, is_last: bool) -> None:
        self.is_last = is_last
        rest = frame(Kind.DATA, bytes(self._kept)) if self._kept else b""
        self._send(rest + frame(Kind.LAST if is_last else Kind.END))
        _arm(0)

    def fail(self, error: RunatlasError, *, is_last: bool) -> None:
        self.is_last = is_last
        self._head = b""
        told = self._error or error
        content = {"error": type(told).__name__, "message": str(told), "last": is_last}
        self._send(frame(Kind.ERROR, json.dumps(content).encode()))
        _arm(0)

    def _send_parts(self) -> None:
        """Send in parts what the engine may have written at once."""
        whole = len(self._kept) - len(self._kept) % CHUNK
        with memoryview(self._kept) as kept:
            for start in range(0, whole, CHUNK):
                self._send(frame(Kind.DATA, bytes(kept[start : start + CHUNK])))
                _arm(self._limits.progress)
        del self._kept[:whole]

    def _send(self, content: bytes) -> None:
        _arm(self._limits.progress)
        self._pool.sendall(self._head + content)
        self._head = b""


def _receive(pool: socket.socket) -> bytes | None:
    """Return what the next frame holds: no other comes before it has its answer."""
    content = bytearray()
    needed = HEAD.size
    while len(content) < needed:
        part = pool.recv(CHUNK)
        if not part:
            return None
        content += part
        if len(content) >= HEAD.size:
            needed = HEAD.size + HEAD.unpack_from(content)[1]
    return bytes(content[HEAD.size :])


def _arm(seconds: float) -> None:
    """Have the kernel end this process after so many seconds; 0 takes that back."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _die_with_parent() -> None:
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit()


def _confine(memory: int) -> None:
    """Leave so much memory, and no file descriptor: no socket can be opened, whatever is asked."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_size() + memory, hard))
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, free))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.freeze()


def _size() -> int:
    """Return the bytes of address space that this process has."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * resource.getpagesize()


def _peak() -> int:
    """Return the most memory that this process has had: without a file, as none can be opened."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
