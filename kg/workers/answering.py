"""One query, put to one worker: its answer, part by part, or why there is none."""

import asyncio
import json
import logging
import signal
from typing import Final

from kg.errors import (
    AnswerCutError,
    OverloadedError,
    QueryFailedError,
    QueryMemoryError,
    QueryRefusedError,
    QueryTimeoutError,
    RunatlasError,
)
from kg.evaluation import NOT_ASKED, Form, Request
from kg.workers.admission import End, Worker
from kg.workers.frames import BROKEN, ERRORS, Kind, Wear, pack_request
from kg.workers.limits import MIB, Limits
from kg.workers.observer import Cause

# The engine's client of HTTP: it ends the process if it cannot read the certificates for HTTPS.
_CONNECTING: Final = "oxhttp"
_LOG: Final = logging.getLogger("runatlas.workers")


class Answering:
    """An answer on its way; once it ``is_over``, its worker may be asked again."""

    def __init__(self, worker: Worker, limits: Limits) -> None:
        """Put a query to a worker that has none."""
        self._worker, self._limits = worker, limits
        self._begun = False
        self.media_type = ""
        self.form = Form.TABLE
        self.cause = Cause.LEFT  # unless it turns out that another thing has ended the worker
        self.is_over = False
        self.wear = Wear.NONE

    async def begin(self, request: Request, timeout: float) -> None:
        """Put the query, and wait for the answer to begin.

        Raises:
            RunatlasError: there is no answer.
        """
        self._worker.connection.send(Kind.ASK, pack_request(request, timeout))
        kind, payload = await self._receive()
        if kind is not Kind.BEGIN:
            raise RuntimeError(f"A worker begins with {kind}.")
        form, _, self.media_type = payload.decode().partition(" ")
        self.form, self._begun = Form(form), True

    async def next_part(self) -> bytes:
        """Return the next part of the answer; empty after the last one.

        Raises:
            AnswerCutError: there is no more of it, and it is not whole.
        """
        if self.is_over:
            return b""
        kind, payload = await self._receive()
        if kind is Kind.END:
            self.is_over, self.wear = True, Wear(payload.decode())
            self.cause = Cause.GROWN
            return b""
        return payload

    async def _receive(self) -> tuple[Kind, bytes]:
        try:
            kind, payload = await self._worker.connection.receive()
        except ConnectionError:
            raise await self._why() from None
        if kind is Kind.ERROR:
            told = json.loads(payload)
            self.is_over, self.wear = True, Wear(told["wear"])
            self.cause = Cause.CRASH if told["message"] == BROKEN else Cause.GROWN
            raise ERRORS[told["error"]](told["message"])
        return kind, payload

    async def _why(self) -> RunatlasError:
        """Return the error that the end of the worker means for the query that it had."""
        cause = self._meaning(await asyncio.shield(self._worker.ended))
        return AnswerCutError(f"The answer was cut short. {cause}") if self._begun else cause

    def _meaning(self, end: End) -> RunatlasError:
        self.cause = self._cause(end)
        match self.cause:
            case Cause.DEADLINE | Cause.STALLED:
                return QueryTimeoutError("The query took longer than it may.")
            case Cause.NESTING:
                return QueryFailedError(
                    "The query nests or chains more than the engine can follow."
                )
            case Cause.REFUSED:
                return QueryRefusedError(NOT_ASKED)
            case Cause.LOST:
                return OverloadedError("The workers ended: send this one again later.")
            case Cause.MEMORY:
                most = self._limits.memory // MIB
                return QueryMemoryError(f"The query needs more than {most:,} MiB of memory.")
        _LOG.error("a query broke the engine: signal %s: %s", end.signal, end.said)
        return QueryFailedError(BROKEN)

    def _cause(self, end: End) -> Cause:
        if end.is_lost:
            return Cause.LOST
        if end.signal == signal.SIGALRM:
            return Cause.STALLED if self._begun else Cause.DEADLINE
        if end.signal == signal.SIGSEGV:
            return Cause.NESTING
        if _CONNECTING in end.said:
            return Cause.REFUSED
        if end.signal == signal.SIGKILL or (end.signal == signal.SIGABRT and _is_memory(end.said)):
            return Cause.MEMORY
        return Cause.CRASH


def _is_memory(said: str) -> bool:
    return not said or said.startswith("memory allocation")
