"""What every response has in common."""

import asyncio
from unittest.mock import AsyncMock

import pytest
from starlette.types import Message, Receive, Scope, Send

from api.middleware import PART, Envelope
from kg.backend import StoreBackend


@pytest.mark.parametrize("size", [0, 1, PART - 1, PART, PART + 1, 3 * PART, 3 * PART + 1])
@pytest.mark.parametrize("more", [False, True])
def test_what_is_there_is_sent_in_parts(backend: StoreBackend, size: int, more: bool) -> None:
    messages: list[Message] = []

    async def send(message: Message) -> None:
        messages.append(message)

    body = bytes(number % 251 for number in range(size))

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.body", "body": body, "more_body": more})

    scope = {"type": "http", "method": "GET"}
    asyncio.run(Envelope(app, backend)(scope, AsyncMock(), send))
    *begun, last = messages
    assert b"".join(message["body"] for message in messages) == body
    assert max(len(message["body"]) for message in messages) <= PART
    assert all(part["more_body"] for part in begun)
    assert last["more_body"] is more
