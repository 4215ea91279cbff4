"""How much is kept of answers."""

import asyncio
from unittest.mock import AsyncMock, Mock

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from api.app import create_endpoint
from api.caching import ByteCache, Kept
from api.middleware import PART, Envelope
from kg.answerer import InProcess
from kg.backend import StoreBackend
from kg.workers.limits import Limits


@pytest.mark.parametrize("body", [b"", b"x", b"x" * 10_000])
def test_any_answers_fill_the_cache_and_the_oldest_goes(body: bytes) -> None:
    cache = ByteCache(1 << 20)
    for number in range(10_000):
        cache.keep(str(number), Kept("text/csv", body))
    assert cache.find("0") is None
    assert cache.find("9999") == Kept("text/csv", body)


def test_what_is_asked_for_stays() -> None:
    cache = ByteCache(100_000)
    for number in range(1000):
        cache.keep(str(number), Kept("text/csv", b"x" * 1000))
        assert cache.find("0")


@pytest.mark.parametrize(("size", "times"), [(0, 2), (1 << 20, 1)])
def test_a_cache_of_no_bytes_keeps_nothing(backend: StoreBackend, size: int, times: int) -> None:
    answer = Mock(wraps=InProcess(backend).answer)
    answerer = Mock(spec=InProcess, answer=answer)
    with TestClient(create_endpoint(backend, answerer, limits=Limits(cache=size))) as http:
        for _ in range(2):
            response = http.get("/sparql", params={"query": "ASK {}"})
            assert response.json()["boolean"] is True
            assert "ETag" in response.headers
    assert answer.call_count == times


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
