"""Send an answer as it comes: a small one whole, a large one in parts, one that is cut as cut."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from starlette.types import Message, Receive, Send

from kg.answerer import Parts
from kg.errors import AnswerCutError


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
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        for task in (working, watching):
            task.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        if not working.done():
            with suppress(asyncio.CancelledError):
                await working


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
