"""What answers the queries of strangers: part by part, in another process or in this one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from kg.backend import Backend
from kg.errors import QueryTimeoutError
from kg.evaluation import Request


class Parts(Protocol):
    """An answer that has begun."""

    @property
    def media_type(self) -> str:
        """The media type of the format in which it is written."""

    async def next_part(self) -> bytes:
        """Return the next part of the answer; empty after the last one.

        Raises:
            AnswerCutError: there is no more of it, and it is not whole.
        """


class Answerer(Protocol):
    """Answers any query, within limits of its own."""

    def answer(
        self, request: Request, *, client: str = "", timeout: float | None = None
    ) -> AbstractAsyncContextManager[Parts]:
        """Answer a query; leaving early gives it up.

        Of clients that wait, each waits behind its own queries alone. ``timeout`` asks for less
        time than the limit.

        Raises:
            OverloadedError: too many queries wait already.
            QueryRefusedError: the query must not run here.
            QuerySyntaxError: the query does not parse.
            QueryFailedError: it cannot be answered, or not within the limits.
            NotAcceptableError: the request takes no answer of its form.
        """


class InProcess:
    """Answers in a thread of this process, for tests: nothing stops a query there."""

    def __init__(self, backend: Backend) -> None:
        """Answer from a backend."""
        self._backend = backend

    @asynccontextmanager
    async def answer(
        self, request: Request, *, client: str = "", timeout: float | None = None
    ) -> AsyncIterator[Parts]:
        """Answer a query, in one part."""
        del client  # nobody waits here
        try:
            answer = await asyncio.wait_for(
                asyncio.to_thread(self._backend.answer, request), timeout
            )
        except TimeoutError:
            raise QueryTimeoutError("The query took longer than it may.") from None
        yield _Whole(answer.media_type, answer.body)


class _Whole:
    def __init__(self, media_type: str, body: bytes) -> None:
        self.media_type, self._body = media_type, body

    async def next_part(self) -> bytes:
        part, self._body = self._body, b""
        return part
