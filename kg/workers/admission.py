"""Who gets the next worker: a bounded queue, in which each client waits behind its own queries."""

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Final

from kg.errors import OverloadedError
from kg.workers.connection import Connection
from kg.workers.observer import SILENT, Observer

_BUSY: Final = "Too many queries run and wait already: send this one again later."


@dataclass(frozen=True, slots=True)
class End:
    """How a worker ended: the signal, or 0, and the beginning of what the engine said."""

    signal: int
    said: str
    is_lost: bool = False  # with its fork server


@dataclass(frozen=True, slots=True, eq=False)
class Worker:
    """A worker as the pool knows it."""

    process: int
    connection: Connection
    ended: asyncio.Future[End]


class Queue:
    """Workers that are free, and queries that wait for one."""

    def __init__(
        self, workers: int, longest: int, wait: float, observer: Observer = SILENT
    ) -> None:
        """Let as many queries run as there are workers, and so many more wait so many seconds."""
        self._most, self._wait = workers + longest, wait
        self._observer = observer
        self._running = 0
        self._free: list[Worker] = []
        self._waiting: OrderedDict[str, deque[asyncio.Future[Worker]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many queries wait."""
        return sum(map(len, self._waiting.values()))

    async def take(self, client: str) -> Worker:
        """Lend a worker as soon as one is free and it is the client's turn, until ``leave``.

        Raises:
            OverloadedError: too many queries run and wait already, or none comes to an end.
        """
        if self._running + self.waiting >= self._most:
            self._observer.turns_away()
            raise OverloadedError(_BUSY)
        worker = await self._lend(client)
        self._running += 1
        self._observer.runs(1)
        return worker

    def leave(self) -> None:
        """Take note that a query which had a worker has ended."""
        self._running -= 1
        self._observer.runs(-1)

    async def _lend(self, client: str) -> Worker:
        if self._free:
            return self._free.pop()
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        self._observer.waits(1)
        try:
            async with asyncio.timeout(self._wait):
                return await turn
        except (asyncio.CancelledError, TimeoutError) as error:
            if turn.done() and not turn.cancelled():
                self.give(turn.result())
            else:
                self._leave(client, turn)
            if isinstance(error, TimeoutError):
                self._observer.turns_away()
                raise OverloadedError(_BUSY) from None
            raise
        finally:
            self._observer.waits(-1)

    def give(self, worker: Worker) -> None:
        """Take a worker that is free, and lend it to the client whose turn it is."""
        if worker.ended.done():
            return
        while self._waiting:
            client, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[client] = turns
            if not turn.done():  # or whoever waited has just gone
                turn.set_result(worker)
                return
        self._free.append(worker)

    def forget(self, process: int) -> bool:
        """Lend a worker no more: it has ended. Tell whether it was free."""
        kept = [worker for worker in self._free if worker.process != process]
        was_free = len(kept) < len(self._free)
        self._free = kept
        return was_free

    def _leave(self, client: str, turn: asyncio.Future[Worker]) -> None:
        turns = self._waiting.get(client, deque())
        if turn in turns:
            turns.remove(turn)
            if not turns:
                del self._waiting[client]
