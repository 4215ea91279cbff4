"""Who gets the next worker: a bounded queue, in which each client waits behind its own queries."""

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass

from kg.errors import OverloadedError
from kg.workers.connection import Connection


@dataclass(frozen=True, slots=True)
class End:
    """How a worker ended: the signal, or 0, and the beginning of what the engine said."""

    signal: int
    said: str


@dataclass(frozen=True, slots=True, eq=False)
class Worker:
    """A worker as the pool knows it."""

    process: int
    connection: Connection
    ended: asyncio.Future[End]


class Queue:
    """Workers that are free, and queries that wait for one."""

    def __init__(self, workers: int, longest: int) -> None:
        """Let as many queries run as there are workers, and so many more wait."""
        self._most = workers + longest
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
            OverloadedError: too many queries run and wait already.
        """
        if self._running + self.waiting >= self._most:
            raise OverloadedError("Too many queries wait already: send this one again later.")
        worker = await self._lend(client)
        self._running += 1
        return worker

    def leave(self) -> None:
        """Take note that a query which had a worker has ended."""
        self._running -= 1

    async def _lend(self, client: str) -> Worker:
        if self._free:
            return self._free.pop()
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give(turn.result())
            else:
                self._leave(client, turn)
            raise

    def give(self, worker: Worker) -> None:
        """Take a worker that is free, and lend it to the client whose turn it is."""
        if worker.ended.done():
            return
        if not self._waiting:
            self._free.append(worker)
            return
        client, turns = self._waiting.popitem(last=False)
        turns.popleft().set_result(worker)
        if turns:
            self._waiting[client] = turns

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
