"""Compress answers for clients that take gzip; each form of an answer has a tag of its own."""

import re
from collections.abc import Iterable
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipResponder
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.negotiation import KEPT, weight_of

SMALLEST: Final = 1024  # bytes; what is smaller hardly shrinks
_LEVEL: Final = 6  # of 9: half a millisecond for 64 KiB, and a 25th of them left
_END: Final = '-gzip"'  # of the tag of a compressed answer, as others write it too
_CODING: Final = re.compile(r"\s*([^\s;,]+)\s*(?:;\s*q\s*=\s*([^\s;,]*)\s*)?")


class Compression:
    """Wrap an application's responses; those that come in parts are compressed in parts.

    The framework's own compresses for whoever names gzip, even with ``q=0``, and leaves one tag to
    both forms (RFC 9110, section 8.8.3.3), so only its compressing is used.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, compressed if the client likes it and the answer is not small."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not takes_gzip(", ".join(headers.getlist("accept-encoding"))):
            await self.app(scope, receive, _varying(send))
            return
        respond = GZipResponder(self.app, SMALLEST, compresslevel=_LEVEL)
        known = ", ".join(headers.getlist("if-none-match"))
        await respond(_knowing_either(scope), receive, _tagged(_varying(send), known))


@lru_cache(KEPT)
def takes_gzip(accept_encoding: str) -> bool:
    """Tell whether a client likes gzip at least as well as no compression (RFC 9110, 12.5.3)."""
    weights = {
        match[1]: weight_of("1" if match[2] is None else match[2]) or 0.0
        for part in accept_encoding.lower().split(",")
        if (match := _CODING.fullmatch(part))
    }
    named = [weights[name] for name in ("gzip", "x-gzip") if name in weights]
    weight = max(named) if named else weights.get("*", 0.0)
    return weight > 0 and weight >= weights.get("identity", 0.0)


def _knowing_either(scope: Scope) -> Scope:
    """Return a request in which the tags of compressed answers are those of the plain ones.

    Who takes gzip may go on with either form; who does not must not be told of a compressed one.
    """
    headers = [
        (name, value.replace(_END.encode(), b'"') if name == b"if-none-match" else value)
        for name, value in scope["headers"]
    ]
    return {**scope, "headers": headers}


def _tagged(send: Send, known: str) -> Send:
    """Name the form that is sent, or that the client has, in the tag."""

    async def tagged(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            compressed = headers.get("etag", "").removesuffix('"') + _END
            is_known = message["status"] == HTTPStatus.NOT_MODIFIED and compressed in known
            if "etag" in headers and ("content-encoding" in headers or is_known):
                headers["etag"] = compressed
        await send(message)

    return tagged


def _varying(send: Send) -> Send:
    async def varying(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": _with_coding(message["headers"])}
        await send(message)

    return varying


def _with_coding(fields: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return header fields that say that the answer depends on the codings a client takes."""
    others = [field for field in fields if field[0] != b"vary"]
    varies = [value for name, value in fields if name == b"vary"]
    if not any(b"accept-encoding" in value.lower() for value in varies):
        varies.append(b"Accept-Encoding")
    return [*others, (b"vary", b", ".join(varies))]
