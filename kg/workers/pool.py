"""The pool: lends workers to queries, fairly, and has those that end replaced."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from typing import Any, Final

from kg.errors import WorkersError
from kg.evaluation import Request
from kg.workers.admission import End, Queue, Worker
from kg.workers.answering import Answering
from kg.workers.connection import Connection
from kg.workers.fork_server import MESSAGE
from kg.workers.frames import Wear
from kg.workers.graph import Graph
from kg.workers.limits import Limits
from kg.workers.observer import SILENT, Cause, Observer
from kg.workers.worker import CHUNK

_LOST: Final = End(signal.SIGKILL, "", is_lost=True)
_RESTART_S: Final = 0.5  # so long after its end, what no query has ended is started again
RENEW_S: Final = 1.0  # so long after an answer, a worker is replaced that nobody needs


class Pool:
    """Workers that answer from one graph, within limits; to be used in one event loop."""

    def __init__(self, graph: Graph, limits: Limits, observer: Observer = SILENT) -> None:
        """Answer from a graph, from ``start`` to ``close``."""
        self._graph, self._limits, self._observer = graph, limits, observer
        self._queue = Queue(limits.workers, limits.waiting, limits.wait, observer)
        self._ended: dict[int, asyncio.Future[End]] = {}
        self._workers: dict[int, Worker] = {}
        self._stale: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._ready: asyncio.Future[None] | None = None
        self._restarting: asyncio.Task[None] | None = None
        self._full = asyncio.Event()
        self._closed = False

    async def start(self) -> None:
        """Start the fork server, and wait until it has forked the workers.

        Raises:
            WorkersError: it cannot load the snapshot, or not start.
        """
        loop = asyncio.get_running_loop()
        self._ready = loop.create_future()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setblocking(False)
        settings = {
            "control": theirs.fileno(),
            "name": self._graph.name,
            "kind": self._graph.kind,
            "paths": [*map(str, self._graph.paths)],
            "limits": asdict(self._limits),
        }
        command = [sys.executable, "-P", "-m", "kg.workers", json.dumps(settings)]
        with theirs:
            self._server = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
            )
        loop.add_reader(self._control.fileno(), self._hear)
        await self._ready
        for _ in range(self._limits.workers):
            self._tell({"fork": True})
        await self._full.wait()

    @property
    def is_ready(self) -> bool:
        """Whether a query can be answered, perhaps after others: the graph is loaded."""
        if self._control is None or self._ready is None:
            return False
        return self._ready.done() and self._ready.exception() is None

    async def close(self) -> None:
        """End the fork server and its workers."""
        self._closed = True
        self._hang_up()
        if self._server:
            self._server.kill()  # while it loads, it would not hear that the pool is gone
        if self._restarting:
            self._restarting.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        connections = [worker.connection for worker in self._workers.values()]
        for process in list(self._ended):
            self._bury(process, _LOST)
        await asyncio.gather(*(c.wait_closed() for c in connections), return_exceptions=True)
        if self._server:
            await asyncio.to_thread(self._server.wait)

    @asynccontextmanager
    async def answer(
        self,
        request: Request,
        *,
        client: str = "",
        timeout: float | None = None,
        tell: Callable[[Cause], None] | None = None,
    ) -> AsyncIterator[Answering]:
        """Answer a query; leaving early kills the worker, and so the query.

        A client waits behind its own queries, not behind another's. ``timeout`` can ask for less
        than the limit. ``tell`` is told what has ended the worker, if it has ended.

        Raises:
            OverloadedError: too many queries wait already.
            RunatlasError: the query cannot be answered; see ``kg.errors``.
        """
        worker = await self._queue.take(client)
        answering = Answering(worker, self._limits)
        most = self._limits.timeout
        try:
            await answering.begin(request, min(timeout or most, most))
            yield answering
        finally:
            self._queue.leave()
            if answering.is_over and answering.wear is not Wear.USED_UP:
                self._queue.give(worker)
                if answering.wear is Wear.STALE:
                    self._renew_later(worker)
            else:
                worker.connection.close()
                self._tell({"kill": worker.process})
                self._observer.ends(answering.cause)
                if tell:
                    tell(answering.cause)

    def _renew_later(self, worker: Worker) -> None:
        if worker.process not in self._stale:
            self._stale.add(worker.process)
            asyncio.get_running_loop().call_later(RENEW_S, self._renew, worker)

    def _renew(self, worker: Worker) -> None:
        """Replace a worker, unless it has a query: its answer will say again that it is stale."""
        self._stale.discard(worker.process)
        if self._queue.forget(worker.process):
            worker.connection.close()
            self._tell({"kill": worker.process})
            self._observer.ends(Cause.GROWN)

    def _tell(self, message: dict[str, Any]) -> None:
        if self._control:
            with suppress(OSError):  # it has just ended: its silence is heard next
                self._control.send(json.dumps(message).encode())

    def _hear(self) -> None:
        """Take what the fork server says; its silence is its end."""
        if self._control is None:
            return
        try:
            told, descriptors, _, _ = socket.recv_fds(self._control, MESSAGE, 1)
        except BlockingIOError:
            return
        except OSError:
            told, descriptors = b"", []
        if told:
            self._take(json.loads(told), descriptors)
        else:
            self._start_again()

    def _take(self, message: Mapping[str, Any], descriptors: Sequence[int]) -> None:
        if "ready" in message and self._ready:
            self._ready.set_result(None)
        elif "failed" in message and self._ready:
            self._ready.set_exception(WorkersError(message["failed"]))
        elif "forked" in message:
            self._welcome(message["forked"], socket.socket(fileno=descriptors[0]))
        elif "ended" in message:
            end = End(message["signal"], message["said"])
            # No query ended one that was free, so the next may end as soon: not in a circle.
            pause = _RESTART_S if self._bury(message["ended"], end) else 0
            asyncio.get_running_loop().call_later(pause, self._tell, {"fork": True})

    def _do(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _welcome(self, process: int, connection: socket.socket) -> None:
        ended = self._ended[process] = asyncio.get_running_loop().create_future()

        async def give() -> None:
            loop = asyncio.get_running_loop()
            _, opened = await loop.create_unix_connection(
                lambda: Connection(4 * CHUNK), sock=connection
            )
            worker = Worker(process, opened, ended)
            if ended.done():
                opened.close()
            else:
                self._workers[process] = worker
                self._queue.give(worker)
                if len(self._workers) == self._limits.workers:
                    self._full.set()

        self._do(give())

    def _bury(self, process: int, end: End) -> bool:
        """Take note of a worker's end; tell whether it had no query."""
        was_free = self._queue.forget(process)
        if was_free and not self._closed:
            self._observer.ends(Cause.LOST if end.is_lost else Cause.IDLE)
        if worker := self._workers.pop(process, None):
            worker.connection.close()
        if ended := self._ended.pop(process, None):
            ended.set_result(end)
        return was_free

    def _hang_up(self) -> None:
        if self._control:
            asyncio.get_running_loop().remove_reader(self._control.fileno())
            self._control.close()
            self._control = None

    def _start_again(self) -> None:
        """Replace a fork server that has ended; its workers ended with it."""
        self._hang_up()
        if self._ready and not self._ready.done():
            self._ready.set_exception(WorkersError("The query workers did not start."))
            return
        for process in list(self._ended):
            self._bury(process, _LOST)
        under_way = self._restarting is not None and not self._restarting.done()
        if not self._closed and not under_way:
            self._restarting = self._do(self._restart())

    async def _restart(self) -> None:
        while not self._closed:
            if self._server:
                await asyncio.to_thread(self._server.wait)
            await asyncio.sleep(_RESTART_S)
            try:
                await self.start()
            except WorkersError:
                continue
            return
