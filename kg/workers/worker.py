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
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, cast

from pyoxigraph import Store

from kg.errors import QueryFailedError, ResultTooLargeError, RunatlasError
from kg.evaluation import Form, Request, evaluate, form_of, media_type_for, write
from kg.workers.frames import BROKEN, HEAD, Kind, Wear, frame, unpack_request
from kg.workers.limits import Limits

CHUNK: Final = 1 << 16
_PR_SET_PDEATHSIG: Final = 1
_GROWN: Final = 0.25  # of its memory: what a worker does not give back misses the next query
# Who reads much of the store writes its counters of references, and so has a copy of it.
_TOUCHED: Final = 16 << 20


def run(store: Store, pool: socket.socket, limits: Limits) -> None:
    """Answer what the pool asks, until it closes the socket or this worker is used up."""
    _die_with_parent()
    # A worker that has a query must not interrupt the pool that has just sent it: that goes on.
    with suppress(OSError):  # where that is not allowed, it takes a little longer
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    _confine(limits.memory)
    most = _peak(_usage()) + limits.memory * _GROWN

    def wear() -> Wear:
        usage = _usage()
        if _peak(usage) > most:
            return Wear.USED_UP
        is_stale = usage.ru_minflt * resource.getpagesize() > _TOUCHED
        return Wear.STALE if is_stale else Wear.NONE

    output = _Output(pool, limits)
    while output.wear is not Wear.USED_UP and (asked := _receive(pool)) is not None:
        request, timeout = unpack_request(asked)
        output = _Output(pool, limits)
        _arm(timeout)
        _answer(store, request, output, wear)


def _answer(store: Store, request: Request, output: "_Output", wear: Callable[[], Wear]) -> None:
    try:
        results = evaluate(store, request)
        output.begin(form_of(results), media_type_for(results, request))
        write(results, request, cast("IO[bytes]", output))  # the engine asks it to write, no more
        output.end(wear())
    except MemoryError:
        os.kill(os.getpid(), signal.SIGABRT)  # as the engine does when it meets the limit
    except RunatlasError as error:
        output.fail(error, wear())
    except BaseException:  # noqa: BLE001 - a panic of the engine is none of Exception
        output.fail(QueryFailedError(BROKEN), Wear.USED_UP)


class _Output(io.RawIOBase):
    """An answer on its way to the pool; each part that is taken gives it time for another."""

    def __init__(self, pool: socket.socket, limits: Limits) -> None:
        self._pool, self._limits = pool, limits
        self._head = b""
        self._kept = bytearray()
        self._size = 0
        self._error: ResultTooLargeError | None = None
        self.wear = Wear.NONE

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

    def end(self, wear: Wear) -> None:
        self.wear = wear
        rest = frame(Kind.DATA, bytes(self._kept)) if self._kept else b""
        self._send(rest + frame(Kind.END, wear.encode()))
        _arm(0)

    def fail(self, error: RunatlasError, wear: Wear) -> None:
        self.wear = wear
        self._head = b""
        told = self._error or error
        content = {"error": type(told).__name__, "message": str(told), "wear": wear}
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


def _usage() -> resource.struct_rusage:
    """Return what this process has used: without a file, as none can be opened."""
    return resource.getrusage(resource.RUSAGE_SELF)


def _peak(usage: resource.struct_rusage) -> int:
    """Return the most memory that a process has had."""
    return usage.ru_maxrss * 1024
