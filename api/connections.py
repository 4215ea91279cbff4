"""Connections that cannot hold up the server: each part of an exchange has its time and its size.

uvicorn gives a connection that is silent, sends its head or its body drop by drop, or takes no
answer, as long as it likes, and a head any size. A client that closes its half of a connection
counts as gone.
"""

import asyncio
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import ClassVar, Final, Self

from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from api.problems import problem
from kg.workers.limits import MIB, Limits

_HOST: Final = re.compile(rb"[\w.~!$&'()*+,;=%:\[\]-]*")  # RFC 3986, section 3.2.2, with a port
# What a client sends that is no request, or asks for another protocol, is no news for a log.
_LOG: Final = logging.getLogger("runatlas.connections")
_LOG.setLevel(logging.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """What a client may take: seconds, bytes, and connections of all clients together."""

    head: float = 10.0  # seconds until a request's address and header fields are there
    body: float = 30.0  # seconds until its body is there
    progress: float = 30.0  # seconds in which it takes nothing of an answer
    linger: float = 2.0  # seconds that a refused client has to read why
    address: int = (1 << 16) - 1  # bytes; the parser of addresses takes no more
    fields: int = 1 << 16  # bytes of all header fields
    refused: int = 16 * MIB  # bytes that a refused client may still send
    pipelined: int = 32  # requests that wait for the one before them
    connections: int = 1000


class Connection(HttpToolsProtocol):
    """A connection with limits."""

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()

    @classmethod
    def within(cls, limits: Limits, refuses: Callable[[int], None] | None = None) -> type[Self]:
        """Return connections that give up a transfer when a worker does.

        ``refuses`` is told the status of each refusal.
        """
        own = replace(cls.limits, progress=limits.progress)
        told = staticmethod(refuses or cls.refuses)
        return type(cls.__name__, (cls,), {"limits": own, "refuses": told})

    @staticmethod
    def refuses(status: int) -> None:
        """Take no note of a refusal; ``within`` can replace this."""

    def cut(self) -> None:
        """Break off what is being answered, so that no client takes a part for the whole."""
        if self._running and not self._running.response_complete:
            self._give_up(self._running)
        self.transport.abort()

    # uvicorn narrows the type of the transport, and so must we.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, unless there are too many connections."""
        super().connection_made(transport)
        self.logger = _LOG
        self._running: RequestResponseCycle | None = None
        self._excess: tuple[HTTPStatus, str] | None = None
        self._is_refused = False
        self._unparsed = self._discarded = self._unsent = 0  # bytes
        self._since = self._sent_at = self.loop.time()
        if len(self.connections) > self.limits.connections:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections are open.")
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the request that is being answered, which need not be the last that came."""
        self._watching.cancel()
        if self._running and not self._running.response_complete:
            self._give_up(self._running)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; discard what a client sends that has been refused."""
        if self._is_refused:
            self._discarded += len(data)
            if self._discarded > self.limits.refused:
                self.transport.abort()
            return
        self._unparsed += len(data)
        super().data_received(data)
        if self._unparsed > self.limits.address + self.limits.fields:
            self._excess = self._excess or _too_large(self.limits)
        if self._excess:
            self._refuse(*self._excess)

    def on_headers_complete(self) -> None:
        """Begin to answer, unless the head is too large or names no one host."""
        if self._excess:
            return
        fields = sum(len(name) + len(value) for name, value in self.headers)
        if len(self.url) > self.limits.address:
            detail = f"The address has more than {self.limits.address:,} bytes."
            self._excess = HTTPStatus.REQUEST_URI_TOO_LONG, detail
        elif fields > self.limits.fields:
            self._excess = _too_large(self.limits)
        elif not self._names_one_host():
            self._excess = HTTPStatus.BAD_REQUEST, "A request has one field Host, with a host."
        else:
            super().on_headers_complete()
            self._bound_pipeline(len(self.pipeline) > self.limits.pipelined)

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._unparsed = 0
        if not self._excess:
            super().on_body(body)
            self._bound_pipeline(self.flow.read_paused)

    def on_message_complete(self) -> None:
        """Take the end of a request."""
        self._unparsed = 0
        if not self._excess:
            super().on_message_complete()

    def _names_one_host(self) -> bool:
        """Tell whether a request is clear about its host (RFC 9112, section 3.2)."""
        hosts = [value for name, value in self.headers if name == b"host"]
        needed = self.parser.get_http_version() == "1.1"
        return needed <= len(hosts) <= 1 and all(map(_HOST.fullmatch, hosts))

    def _bound_pipeline(self, is_full: bool) -> None:
        """Go on to read, since who does not read does not see that a client has left."""
        if self.pipeline and is_full:
            self._excess = HTTPStatus.SERVICE_UNAVAILABLE, "Too many requests wait."
        elif self.pipeline:
            self.flow.resume_reading()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._since = self.loop.time()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request."""
        del msg
        self._refuse(HTTPStatus.BAD_REQUEST, "What was sent is no request of HTTP.")

    # uvicorn has types of its own for what Starlette calls ASGIApp.
    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGIApp) -> None:  # type: ignore[override]
        self._running, self._since = cycle, self.loop.time()
        super()._start_asgi_task(cycle, app)  # type: ignore[arg-type]

    def _watch(self) -> None:
        """Look at regular times how long this connection has kept us waiting."""
        now = self.loop.time()
        lingers = self._is_refused and now - self._since > self.limits.linger
        if lingers or self._is_stalled(now):
            self.transport.abort()
        elif not self._is_refused and not self.transport.is_closing():
            self._refuse_if_late(now - self._since)
        pause = min(1.0, self.limits.head / 4, self.limits.progress / 4)
        self._watching = self.loop.call_later(pause, self._watch)

    def _is_stalled(self, now: float) -> bool:
        """Tell whether the client takes nothing of what is there for it."""
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent != self._unsent:
            self._unsent, self._sent_at = unsent, now
        return now - self._sent_at > self.limits.progress

    def _refuse_if_late(self, waited: float) -> None:
        running = self._running
        if running is None or running.response_complete:
            if waited > self.limits.head and not self._unparsed:
                self.transport.close()  # nothing was asked
            elif waited > self.limits.head:
                self._refuse(HTTPStatus.REQUEST_TIMEOUT, "The request does not come to an end.")
        elif running.more_body and waited > self.limits.body:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "The body does not come to an end.")

    def _refuse(self, status: HTTPStatus, detail: str) -> None:
        """Say why, if that cannot be taken for a part of another answer; read no more requests."""
        self._is_refused, self._since = True, self.loop.time()
        self.refuses(status)
        self._unset_keepalive_if_required()
        running = self._running
        if running and not running.response_complete:
            is_being_read = running.more_body and not running.response_started
            self._give_up(running)
            if self.pipeline or not is_being_read:
                self.transport.abort()
                return
        response = problem(status, detail, headers={"Connection": "close"})
        fields = b"".join(b"%b: %b\r\n" % field for field in response.raw_headers)
        self.transport.write(STATUS_LINE[status] + fields + b"\r\n" + bytes(response.body))
        self.transport.write_eof()
        self.flow.resume_reading()

    def _give_up(self, cycle: RequestResponseCycle) -> None:
        cycle.disconnected = True
        cycle.message_event.set()


def _too_large(limits: ConnectionLimits) -> tuple[HTTPStatus, str]:
    detail = f"The header fields hold more than {limits.fields:,} bytes."
    return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, detail
