"""Send an answer as it comes: a small one whole, a large one in parts, one that is cut as cut."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from http import HTTPStatus
from typing import Any, Final

from starlette.types import Message, Receive, Send

from kg.answerer import Parts
from kg.errors import AnswerCutError

_SOON_S: Final = 0.01  # so long is not looked whether a client has gone


async def send_whole(status: int, headers: Mapping[str, str], body: bytes, send: Send) -> None:
    """Send an answer that is there already."""
    length = {} if status == HTTPStatus.NOT_MODIFIED else {"Content-Length": str(len(body))}
    await send(_start(status, {**headers, **length}))
    await send({"type": "http.response.body", "body": body})


async def send_parts(
    parts: Parts, headers: Mapping[str, str], send: Send, *, keep: int = 0
) -> bytes | None:
    """Send an answer; what is one part has a Content-Length.

    An answer that ends before its end is left unfinished. The server then breaks the connection,
    so that no client can take the part for the whole.

    Returns:
        The whole answer, if it has no more than ``keep`` bytes.
    """
    first = await parts.next_part()
    second = await parts.next_part() if first else b""
    kept: list[bytes] = []
    size = 0
    try:
        if not second:
            await send_whole(HTTPStatus.OK, headers, first, send)
            return first if len(first) <= keep else None
        await send(_start(HTTPStatus.OK, headers))
        async for part in _from(first, second, parts):
            await send({"type": "http.response.body", "body": part, "more_body": True})
            size += len(part)
            if size <= keep:
                kept.append(part)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    except AnswerCutError:
        return None
    return b"".join(kept) if size <= keep else None


async def collect(parts: Parts, most: int) -> tuple[bytes, bool]:
    """Return an answer, or its beginning of so many bytes; and whether that is the whole.

    Raises:
        AnswerCutError: it ends before its end.
    """
    body = bytearray()
    while len(body) <= most and (part := await parts.next_part()):
        body += part
    return bytes(body[:most]), len(body) <= most


async def _from(first: bytes, second: bytes, parts: Parts) -> AsyncIterator[bytes]:
    yield first
    while second:
        yield second
        second = await parts.next_part()


def _start(status: int, headers: Mapping[str, str]) -> Message:
    fields = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http.response.start", "status": status, "headers": fields}


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, None]) -> None:
    """Do work that is given up as soon as the client has gone."""
    watch = _Watch(receive)
    try:
        await work
    except asyncio.CancelledError:
        if not watch.has_given_up():
            raise
    finally:
        watch.end()


class _Watch:
    """Cancels the task that it was made in when the client of a request has gone.

    Most work is over before it is worth a task to watch for that.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive, self._working = receive, asyncio.current_task()
        self._watching: asyncio.Task[None] | None = None
        self._has_cancelled = False
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(_SOON_S, self._begin)

    def has_given_up(self) -> bool:
        """Tell whether the work was cancelled by this watch, and by nothing else."""
        return self._has_cancelled and self._working is not None and not self._working.uncancel()

    def end(self) -> None:
        self._timer.cancel()
        if self._watching:
            self._watching.cancel()

    def _begin(self) -> None:
        self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        if self._working:
            self._has_cancelled = True
            self._working.cancel()
