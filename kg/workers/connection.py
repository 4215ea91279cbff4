"""A connection to a worker: frames go out at once, and come in as far as somebody takes them."""

import asyncio
from collections import deque
from typing import cast

from kg.workers.frames import HEAD, Kind, frame


class Connection(asyncio.Protocol):
    """The pool's end of the socket that it shares with a worker."""

    def __init__(self, limit: int) -> None:
        """Read no further while so many bytes of frames wait to be taken."""
        self._limit = limit
        self._transport: asyncio.Transport | None = None
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrival: asyncio.Future[None] | None = None
        self._frames: deque[tuple[Kind, bytes]] = deque()
        self._untaken = 0  # bytes of frames
        self._is_paused = False
        self._buffer = bytearray()
        self._needed = HEAD.size  # bytes until something can be read from the buffer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Keep what is a whole frame for whoever takes it."""
        self._buffer += data
        while len(self._buffer) >= self._needed:
            name, length = HEAD.unpack_from(self._buffer)
            self._needed = HEAD.size + length
            if len(self._buffer) >= self._needed:
                self._frames.append((Kind(name), bytes(self._buffer[HEAD.size : self._needed])))
                del self._buffer[: self._needed]
                self._untaken += length
                self._needed = HEAD.size
        if self._frames:
            self._tell()
        if self._untaken > self._limit and self._transport and not self._is_paused:
            self._transport.pause_reading()
            self._is_paused = True

    def connection_lost(self, exc: Exception | None) -> None:
        """Take note that no more comes."""
        del exc
        self._lost.set_result(None)
        self._tell()

    def send(self, kind: Kind, payload: bytes) -> None:
        """Send a frame; that the worker is gone is told to whoever waits for its answer."""
        if self._transport:
            self._transport.write(frame(kind, payload))

    async def receive(self) -> tuple[Kind, bytes]:
        """Take the next frame.

        Raises:
            ConnectionError: none comes any more.
        """
        while not self._frames:
            if self._lost.done():
                raise ConnectionResetError
            self._arrival = asyncio.get_running_loop().create_future()
            await self._arrival
        kind, payload = self._frames.popleft()
        self._untaken -= len(payload)
        if self._is_paused and self._untaken <= self._limit and self._transport:
            self._is_paused = False
            self._transport.resume_reading()
        return kind, payload

    def close(self) -> None:
        """Close the connection, and so end the worker."""
        if self._transport:
            self._transport.close()

    async def wait_closed(self) -> None:
        """Wait until the connection is closed."""
        await asyncio.shield(self._lost)

    def _tell(self) -> None:
        if self._arrival and not self._arrival.done():
            self._arrival.set_result(None)
