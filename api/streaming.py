"""Send an answer as it comes: a small one whole, a large one in parts, one that is cut as cut."""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any

from starlette.types import Receive, Send

from kg.answerer import Parts
from kg.errors import AnswerCutError


async def send_parts(parts: Parts, headers: Mapping[str, str], send: Send) -> None:
    """Send an answer; what is one part has a Content-Length.

    An answer that ends before its end is left unfinished. The server then breaks the connection,
    so that no client can take the part for the whole.
    """
    first = await parts.next_part()
    second = await parts.next_part() if first else b""
    if not second:
        headers = {**headers, "Content-Length": str(len(first))}
    fields = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 200, "headers": fields})
    await send({"type": "http.response.body", "body": first, "more_body": bool(second)})
    try:
        while second:
            await send({"type": "http.response.body", "body": second, "more_body": True})
            second = await parts.next_part()
            if not second:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
    except AnswerCutError:
        return


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
