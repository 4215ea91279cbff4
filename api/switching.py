"""Serve the newest data: each request is answered from one state of it, from start to end.

A new state gets an application and workers of its own before the old one gets its last request, so
that no request is lost, none waits, and no answer mixes two states.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

from starlette.types import ASGIApp, Receive, Scope, Send

from api.app import create_app, create_endpoint
from api.exchange import exchange_in
from api.metrics import Metrics
from kg.backend import StoreBackend
from kg.database import OnDisk
from kg.dataset import open_dataset
from kg.errors import RunatlasError
from kg.snapshot import open_snapshot
from kg.workers.graph import Graph, Kind
from kg.workers.limits import Limits
from kg.workers.pool import Pool

Source: TypeAlias = Path | tuple[Path, ...]  # the folder of a snapshot, or files of RDF
_LOOK_S: Final = 1.0  # so often is looked for a newer state
_LOG: Final = logging.getLogger("uvicorn.error")  # which uvicorn shows


class _State:
    """One state of the data: what answers from it, and how many requests it still has."""

    def __init__(self, source: Source, name: str, app: ASGIApp, pool: Pool) -> None:
        self.source, self.name, self.app, self.pool = source, name, app, pool
        self._requests = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._requests += 1
        self._idle.clear()
        exchange_in(scope).snapshot = self.name
        try:
            await self.app(scope, receive, send)
        finally:
            self._requests -= 1
            if not self._requests:
                self._idle.set()

    async def end(self) -> None:
        await self._idle.wait()
        await self.pool.close()


class Switch:
    """An ASGI application that answers from the newest state that could be opened."""

    def __init__(
        self,
        find: Callable[[], Source],
        limits: Limits,
        metrics: Metrics | None = None,
        on_disk: Path | None = None,
    ) -> None:
        """Answer from what ``find`` finds, within limits, from ``start`` to ``close``.

        Graphs are kept in memory, or in databases below the folder ``on_disk``.
        """
        self._find, self._limits, self._on_disk = find, limits, on_disk
        self._metrics = metrics or Metrics()
        self._state: _State | None = None
        self._ending: dict[asyncio.Task[None], Pool] = {}
        self._following: asyncio.Task[None] | None = None
        self._asked = asyncio.Event()
        self._failed: Source | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request from the state that is the newest now."""
        if self._state is None:
            raise RuntimeError("The switch has not been started.")
        await self._state.answer(scope, receive, send)

    async def start(self) -> None:
        """Open the first state, and follow from then on.

        Raises:
            RunatlasError: it cannot be opened; see ``kg.errors``.
        """
        source = self._find()
        self._state = await self._open(source, *await self._read(source))
        self._metrics.serves(self._state.name)
        _LOG.info("serving %s", self._state.name)
        self._following = asyncio.create_task(self._follow())

    def renew(self) -> None:
        """Look now, and read again what may have changed in its place, such as files."""
        self._asked.set()

    async def close(self) -> None:
        """End the workers of every state."""
        if self._following:
            self._following.cancel()
            with suppress(asyncio.CancelledError):
                await self._following
        for task in self._ending:
            task.cancel()
        pools = [*self._ending.values(), *([self._state.pool] if self._state else [])]
        await asyncio.gather(*(pool.close() for pool in pools))

    async def _follow(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._asked.wait(), _LOOK_S)
            again = self._asked.is_set()
            self._asked.clear()
            try:
                await self._look(again=again)
            except Exception:  # noqa: BLE001 - whatever it is, the state that there is goes on
                _LOG.exception("the newest data cannot be looked for")

    async def _look(self, *, again: bool) -> None:
        state = self._state
        try:
            source = self._find()
        except RunatlasError as error:  # a build may be replacing it
            if again:
                _LOG.error("still serving what was served before: %s", error)
            return
        if state is None or (source in (state.source, self._failed) and not again):
            return
        try:
            backend, graph = await self._read(source)
            if (source, graph.name) == (state.source, state.name):
                self._metrics.serves(state.name)
                return
            self._replace(state, await self._open(source, backend, graph))
        except RunatlasError as error:
            self._failed = source
            self._metrics.fails_to_renew()
            _LOG.error("still serving %s: %s", state.name, error)

    async def _read(self, source: Source) -> tuple[StoreBackend, Graph]:
        return await asyncio.to_thread(_read, source, self._on_disk)

    async def _open(self, source: Source, backend: StoreBackend, graph: Graph) -> _State:
        pool = Pool(graph, self._limits, self._metrics)
        create = create_app if isinstance(source, Path) else create_endpoint
        try:
            await pool.start()
            app = await asyncio.to_thread(
                create, backend, pool, limits=self._limits, metrics=self._metrics
            )
        except BaseException:  # an interrupt too: no fork server is left behind
            await pool.close()
            raise
        return _State(source, backend.snapshot, app, pool)

    def _replace(self, old: _State, new: _State) -> None:
        self._state, self._failed = new, None
        self._metrics.serves(new.name)
        _LOG.info("serving %s in the place of %s", new.name, old.name)
        ending = asyncio.create_task(old.end())
        self._ending[ending] = old.pool
        ending.add_done_callback(self._ending.pop)


def _read(source: Source, on_disk: Path | None) -> tuple[StoreBackend, Graph]:
    """Open a graph for this process, and tell where the workers find it."""
    keep = OnDisk(on_disk) if on_disk else None
    if isinstance(source, Path):
        snapshot = open_snapshot(source, keep)
        graph = Graph(snapshot.name, Kind.SNAPSHOT, (snapshot.folder,))
    else:
        snapshot = open_dataset(source, keep)
        graph = Graph(snapshot.name, Kind.FILES, source)
    if keep:
        graph = Graph(snapshot.name, Kind.DATABASE, (keep.path,))
    return StoreBackend(snapshot), graph
