"""What every response has in common: it names its snapshot, and HEAD is GET without a body."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg.backend import Backend

SNAPSHOT_HEADER = "Runatlas-Snapshot"
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
            elif head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"} if head else scope, receive, wrapped)
