"""What every response has in common: it names its snapshot, and HEAD is GET without a body."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg.backend import Backend

SNAPSHOT_HEADER = "Runatlas-Snapshot"
PART: Final = 1 << 16  # bytes of a body that are written at once
# Scripts of any site may read: nothing here is anyone's own, and nothing is written.
_CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS, POST",
    "Access-Control-Allow-Headers": "Accept, Content-Type, If-None-Match",
    "Access-Control-Expose-Headers": f"ETag, Retry-After, {SNAPSHOT_HEADER}",
    "Access-Control-Max-Age": "86400",
}
_SNAPSHOT: Final = SNAPSHOT_HEADER.lower().encode()
_CORS_FIELDS: Final = [(name.lower().encode(), value.encode()) for name, value in _CORS.items()]


class Envelope:
    """Wrap an application's responses."""

    def __init__(self, app: ASGIApp, backend: Backend) -> None:
        """Wrap an application that answers from a backend."""
        self.app, self.backend = app, backend

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Name the snapshot in the response; answer HEAD as GET, with the same headers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        head = scope["method"] == "HEAD"
        common = ((_SNAPSHOT, self.backend.snapshot.encode()), *_CORS_FIELDS)

        async def wrapped(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *common]}
            elif head:
                message = {**message, "body": b""}
            elif len(message.get("body", b"")) > PART:
                message = await _begin_body(message, send)
            await send(message)

        await self.app({**scope, "method": "GET"} if head else scope, receive, wrapped)


async def _begin_body(message: Message, send: Send) -> Message:
    """Send a body but for its last part, as fast as the client takes it; return that part.

    The server would keep what a client does not take, the more of it the more it is given at once.
    """
    body = message["body"]
    last = (len(body) - 1) // PART * PART
    for start in range(0, last, PART):
        await send({**message, "body": body[start : start + PART], "more_body": True})
    return {**message, "body": body[last:]}
