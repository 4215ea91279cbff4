"""Ask a server over kept connections, at the cost of a few system calls for each answer.

The client shares the machine with the server, so it does as little as it can: requests are bytes
that were made before, answers are read to their ends and not parsed, and one thread waits for all.
"""

import re
import select
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import count
from typing import Final
from urllib.parse import quote

HOST: Final = "127.0.0.1"
_ACCEPT: Final = "application/sparql-results+json"
_READ: Final = 1 << 20
_LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_LAST_CHUNK: Final = b"\r\n0\r\n\r\n"
_KNOWN: Final = b" 304 "


class SlowError(Exception):
    """A server has not answered in time."""


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer."""

    status: int
    tag: str | None
    body: bytes


@dataclass(frozen=True, slots=True)
class Load:
    """What a server has answered: how many, in how many seconds, and what the client took."""

    answers: int
    seconds: float
    client_cpu: float


def fetch(port: int, path: str, query: str, *, limit: float, tag: str | None = None) -> Response:
    """Ask one query, and read the whole answer.

    Raises:
        SlowError: it takes longer than the limit, in seconds.
        OSError: there is no server.
    """
    connection = HTTPConnection(HOST, port, timeout=limit)
    try:
        known = {"If-None-Match": tag} if tag else {}
        connection.request("GET", _target(path, query), headers={"Accept": _ACCEPT, **known})
        response = connection.getresponse()
        return Response(response.status, response.getheader("ETag"), response.read())
    except TimeoutError:
        raise SlowError from None
    finally:
        connection.close()


def request(path: str, query: str, tag: str | None = None) -> bytes:
    """Return the bytes that ask a query, of a client that knows the answer of a tag."""
    lines = [f"GET {_target(path, query)} HTTP/1.1", f"Host: {HOST}", f"Accept: {_ACCEPT}"]
    known = [f"If-None-Match: {tag}"] if tag else []
    return ("\r\n".join((*lines, *known)) + "\r\n\r\n").encode()


def _target(path: str, query: str) -> str:
    return f"{path}?query={quote(query, safe='')}"


def load(
    port: int,
    requests: Sequence[bytes],
    connections: int,
    seconds: float,
    *,
    limit: float,
    status: int = 200,
) -> Load:
    """Send requests in turn for so many seconds, over connections that each wait for an answer.

    What is on its way at the end is waited for and counts.

    Raises:
        SlowError: no answer has come to its end within the limit, in seconds.
        ConnectionError: an answer has another status, or breaks off.
    """
    numbers = count()
    with ExitStack() as stack:
        waiting = stack.enter_context(select.epoll())
        busy: dict[int, _Connection] = {}

        def ask(connection: _Connection) -> None:
            connection.ask(requests[next(numbers) % len(requests)])

        cpu, start = time.process_time(), time.perf_counter()
        for _ in range(connections):
            opened = stack.enter_context(socket.create_connection((HOST, port)))
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            waiting.register(opened, select.EPOLLIN)
            busy[opened.fileno()] = _Connection(opened, status)
            ask(busy[opened.fileno()])
        answers = 0
        last = start
        while busy:
            ready = waiting.poll(limit)
            now = time.perf_counter()
            for descriptor, _ in ready:
                connection = busy[descriptor]
                if connection.is_answered():
                    answers, last = answers + 1, now
                    if now - start < seconds:
                        ask(connection)
                    else:
                        waiting.unregister(descriptor)
                        del busy[descriptor]
            if now - last > limit:
                raise SlowError
        return Load(answers, last - start, time.process_time() - cpu)


class _Connection:
    """A connection with one request on its way."""

    def __init__(self, opened: socket.socket, status: int) -> None:
        self._socket, self._status = opened, str(status).encode()
        self._head, self._is_in_body = b"", False
        self._left: int | None = 0  # bytes of the body; None if it comes in chunks
        self._tail = b""

    def ask(self, request: bytes) -> None:
        self._head, self._is_in_body = b"", False
        self._socket.sendall(request)

    def is_answered(self) -> bool:
        """Take what has come; tell whether that is the end of the answer."""
        part = self._socket.recv(_READ)
        if not part:
            raise ConnectionError("The server has closed a connection before its end.")
        if not self._is_in_body:
            self._head, separator, part = (self._head + part).partition(b"\r\n\r\n")
            if not separator:
                return False
            self._begin_body()
        if self._left is None:
            self._tail = part[-7:] if len(part) > 6 else (self._tail + part)[-7:]
            return self._tail == _LAST_CHUNK
        self._left -= len(part)
        return self._left == 0

    def _begin_body(self) -> None:
        if self._head[9:12] != self._status:
            raise ConnectionError(f"Not {self._status!r}: {self._head[:100]!r}")
        length = _LENGTH.search(self._head)
        self._is_in_body, self._tail = True, b"\r\n"
        self._left = int(length[1]) if length else None
        if _KNOWN in self._head[:20]:
            self._left = 0
