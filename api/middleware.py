"""What every response has in common: it names its snapshot, and HEAD is GET without a body."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg.backend import Backend

SNAPSHOT_HEADER = "Runatlas-Snapshot"


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
        snapshot = self.backend.snapshot

        async def wrapped(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[SNAPSHOT_HEADER] = snapshot
            elif head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"} if head else scope, receive, wrapped)
