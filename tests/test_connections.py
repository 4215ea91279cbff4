"""What a client may do with a connection, on raw sockets: each misuse ends, and ends alone."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Final
from urllib.parse import quote

import pytest

from api.connections import Connection, ConnectionLimits
from kg.backend import StoreBackend
from kg.workers.limits import MIB, Limits
from tests.http_server import serving_by_workers
from tests.test_workers import ANY, ENDLESS

LIMITS: Final = Limits(workers=1, timeout=60, progress=1, memory=256 * MIB, waiting=1)
ASK: Final = f"GET /sparql?query={quote(ANY)} HTTP/1.1\r\nHost: a\r\n".encode()
SLOW: Final = f"GET /sparql?query={quote(ENDLESS)} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
POST: Final = b"POST /sparql HTTP/1.1\r\nHost: a\r\nContent-Type: application/sparql-query\r\n"
CHUNKED: Final = POST + b"Transfer-Encoding: chunked\r\n\r\n"
PART: Final = b"X-Flood: " + b"y" * 1000 + b"\r\n"


class Hasty(Connection):
    """A connection whose times are short, as the tests wait for them."""

    limits = ConnectionLimits(head=1, body=1, linger=1, connections=40)


@pytest.fixture(scope="module")
def address(backend: StoreBackend) -> Iterator[tuple[str, int]]:
    with serving_by_workers(backend, LIMITS, Hasty) as url:
        host, port = url.removeprefix("http://").split(":")
        yield host, int(port)


def _connect(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address, timeout=30)


def _send(client: socket.socket, *parts: bytes) -> None:
    """Send parts, or as many of them as the server takes."""
    try:
        for part in parts:
            client.sendall(part)
    except (BrokenPipeError, ConnectionResetError):
        pass


def _received(client: socket.socket) -> bytes:
    """Return what comes until the server ends it; a reset ends it too."""
    content = b""
    try:
        while part := client.recv(1 << 16):
            content += part
    except ConnectionResetError:
        pass
    return content


def _status(content: bytes) -> int:
    """Return the status of a whole response, whose body is a problem of that status."""
    head, _, body = content.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    assert b"application/problem+json" in head
    assert b"connection: close" in head.lower()
    assert json.loads(body)["status"] == status
    return status


def _is_answered(address: tuple[str, int]) -> bool:
    with _connect(address) as client:
        client.sendall(ASK + b"Connection: close\r\n\r\n")
        return _received(client).startswith(b"HTTP/1.1 200 ")


REFUSED: Final[dict[str, tuple[tuple[bytes, ...], int]]] = {
    "half a head": ((ASK,), 408),
    "half an address": ((ASK[:20],), 408),
    "half a body": ((POST + b"Content-Length: 100\r\n\r\nASK", b" {"), 408),
    "half a chunk": ((CHUNKED, b"64\r\nASK {"), 408),
    "42 MB of fields": ((ASK, *[PART] * 42_000), 431),
    "one field of 42 MB": ((ASK + b"X: ", *[b"y" * 1000] * 42_000), 431),
    "Accept of 100 KB": ((ASK + b"Accept: " + b"a/b," * 25_000 + b"\r\n\r\n",), 431),
    "10,000 fields": ((ASK, *[b"X-Number: 1\r\n"] * 10_000, b"\r\n"), 431),
    "an address of 2 MB": ((b"GET /" + b"a" * 2 * MIB + b" HTTP/1.1\r\nHost: a\r\n\r\n",), 431),
    "an address a little too long": (
        (b"GET /" + b"a" * (1 << 16) + b" HTTP/1.1\r\nHost: a\r\n\r\n",),
        414,
    ),
    "no request": ((b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\r\n\r\n"), 400),
    "an address that is not ASCII": ((b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",), 400),
    "no host": ((b"GET /healthz HTTP/1.1\r\n\r\n",), 400),
    "two hosts": ((b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",), 400),
    "a host that is none": ((b"GET /healthz HTTP/1.1\r\nHost: a>b\r\n\r\n",), 400),
    "two lengths": ((POST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nASK",), 400),
    "length and chunks": (
        (POST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",),
        400,
    ),
    "NUL in a field": ((ASK + b"X: a\0b\r\n\r\n",), 400),
}


@pytest.mark.parametrize(("parts", "status"), REFUSED.values(), ids=REFUSED)
def test_refused(address: tuple[str, int], parts: tuple[bytes, ...], status: int) -> None:
    with _connect(address) as client:
        _send(client, *parts)
        assert _status(_received(client)) == status
    assert _is_answered(address)


@pytest.mark.parametrize(
    "host", ["a.example", "a.example:80", "[::1]:8000", "127.0.0.1", "", "xn--bcher-kva.example"]
)
def test_a_host_that_may_be(address: tuple[str, int], host: str) -> None:
    with _connect(address) as client:
        head = f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        client.sendall(head.encode())
        assert _received(client).startswith(b"HTTP/1.1 200 ")


def test_http_1_0_needs_no_host(address: tuple[str, int]) -> None:
    with _connect(address) as client:
        client.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert _received(client).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("protocol", ["h2c", "websocket"])
def test_what_anybody_can_cause_is_not_logged(
    address: tuple[str, int], protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An upgrade that is not offered is left out, and the request answered."""
    with _connect(address) as client:
        client.sendall(ASK + f"Connection: Upgrade, close\r\nUpgrade: {protocol}\r\n\r\n".encode())
        assert _received(client).startswith(b"HTTP/1.1 200 ")
    with _connect(address) as client:
        client.sendall(b"no request\r\n\r\n")
        _received(client)
    assert [record.message for record in caplog.records if record.levelname != "INFO"] == []


def test_a_head_that_comes_by_drops_is_refused(address: tuple[str, int]) -> None:
    with _connect(address) as client:
        client.settimeout(0.05)
        for drop in ASK * 100:
            try:
                client.sendall(bytes([drop]))
                if client.recv(1):
                    break
            except TimeoutError:
                continue
        else:
            pytest.fail("it was read for ever")


def test_who_says_nothing_is_left(address: tuple[str, int]) -> None:
    with _connect(address) as client:
        assert _received(client) == b""


def test_who_says_nothing_more_is_left(address: tuple[str, int]) -> None:
    with _connect(address) as client:
        client.sendall(ASK + b"\r\n")
        assert _received(client).startswith(b"HTTP/1.1 200 ")


ENDS_IN_SILENCE: Final[dict[str, tuple[bytes, ...]]] = {
    "pipelined behind a query that runs": (SLOW, *[ASK + b"\r\n"] * 10_000),
    "garbage behind a query that runs": (SLOW, b"\0\0\0\0\r\n\r\n"),
    "a body behind a query that runs": (
        SLOW,
        POST + b"Content-Length: 9999999\r\n\r\n",
        *[PART] * 99,
    ),
    "a flood behind a query that runs": (SLOW, ASK, *[PART] * 42_000),
}


@pytest.mark.parametrize("parts", ENDS_IN_SILENCE.values(), ids=ENDS_IN_SILENCE)
def test_what_cannot_be_told_is_cut(address: tuple[str, int], parts: tuple[bytes, ...]) -> None:
    """An error would be taken for the answer of the query before it."""
    with _connect(address) as client:
        _send(client, *parts)
        assert _received(client) == b""
    assert _is_answered(address)


def test_trailers_without_end_are_refused(address: tuple[str, int]) -> None:
    """The query has been read, and is answered or cut; the rest is not read on."""
    with _connect(address) as client:
        _send(client, CHUNKED, b"6\r\nASK {}\r\n0\r\n", *[PART] * 42_000)
        _received(client)
    assert _is_answered(address)


Leave = Callable[[socket.socket], None]


def test_who_pipelines_later_and_leaves_frees_the_worker(address: tuple[str, int]) -> None:
    """The query runs already when the next request comes: reading goes on all the same."""
    with _connect(address) as client:
        client.sendall(SLOW)
        time.sleep(0.3)
        client.sendall(ASK + b"\r\n")
        time.sleep(0.3)
    assert _is_answered(address)


@pytest.mark.parametrize(
    "behind", [b"", ASK + b"\r\n", ASK + b"\r\n" + SLOW], ids=["alone", "before one", "before two"]
)
@pytest.mark.parametrize(
    "leave",
    [socket.socket.close, lambda client: client.shutdown(socket.SHUT_WR)],
    ids=["closed", "half closed"],
)
def test_who_leaves_frees_the_worker(address: tuple[str, int], leave: Leave, behind: bytes) -> None:
    """The one worker is free at once, though the query would run for a minute."""
    begun = time.monotonic()
    with closing(_connect(address)) as client:
        client.sendall(SLOW + behind)
        time.sleep(0.3)
        leave(client)
        assert _is_answered(address)
    assert time.monotonic() - begun < LIMITS.timeout


def test_no_more_connections_than_there_may_be(address: tuple[str, int]) -> None:
    with closing(_connect(address)) as first:
        first.sendall(ASK + b"\r\n")  # was there before
        first.recv(1)
        crowd = [_connect(address) for _ in range(3 * Hasty.limits.connections)]
        try:
            assert _status(_received(crowd[-1])) == 503
            assert first.recv(1)
        finally:
            for client in crowd:
                client.close()
    deadline = time.monotonic() + 20
    while not _is_answered(address):
        assert time.monotonic() < deadline


def test_500_connections_at_once_are_all_answered(backend: StoreBackend) -> None:
    limits = replace(LIMITS, workers=2, waiting=500)
    with serving_by_workers(backend, limits) as url:
        host, port = url.removeprefix("http://").split(":")
        crowd = [_connect((host, int(port))) for _ in range(500)]
        for client in crowd:
            client.sendall(ASK + b"Connection: close\r\n\r\n")
        for client in crowd:
            with client:
                assert _received(client).startswith(b"HTTP/1.1 200 ")
