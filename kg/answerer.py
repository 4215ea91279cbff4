"""What answers the queries of strangers: part by part, in another process or in this one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from kg.backend import Backend
from kg.errors import QueryTimeoutError
from kg.evaluation import Form, Request
from kg.workers.observer import Cause


class Parts(Protocol):
    """An answer that has begun."""

    @property
    def media_type(self) -> str:
        """The media type of the format in which it is written."""

    @property
    def form(self) -> Form:
        """Whether it is a table, a boolean or a graph."""

    async def next_part(self) -> bytes:
        """Return the next part of the answer; empty after the last one.

        Raises:
            AnswerCutError: there is no more of it, and it is not whole.
        """


class Answerer(Protocol):
    """Answers any query, within limits of its own."""

    @property
    def is_ready(self) -> bool:
        """Whether a query can be answered, perhaps after others."""

    def answer(
        self,
        request: Request,
        *,
        client: str = "",
        timeout: float | None = None,
        tell: Callable[[Cause], None] | None = None,
    ) -> AbstractAsyncContextManager[Parts]:
        """Answer a query; leaving early gives it up.

        Of clients that wait, each waits behind its own queries alone. ``timeout`` asks for less
        time than the limit. ``tell`` is told what has ended the process that answered, if any has.

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

    @property
    def is_ready(self) -> bool:
        """Always."""
        return True

    @asynccontextmanager
    async def answer(
        self,
        request: Request,
        *,
        client: str = "",
        timeout: float | None = None,
        tell: Callable[[Cause], None] | None = None,
    ) -> AsyncIterator[Parts]:
        """Answer a query, in one part."""
        del client, tell  # nobody waits here, and nothing ends
        try:
            answer = await asyncio.wait_for(
                asyncio.to_thread(self._backend.answer, request), timeout
            )
        except TimeoutError:
            raise QueryTimeoutError("The query took longer than it may.") from None
        yield _Whole(answer.media_type, answer.form, answer.body)


class _Whole:
    def __init__(self, media_type: str, form: Form, body: bytes) -> None:
        self.media_type, self.form, self._body = media_type, form, body

    async def next_part(self) -> bytes:
        part, self._body = self._body, b""
        return part
