"""A real server on a free port of the loopback interface, for tests of the protocol."""

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn
import uvloop

from api.app import create_app
from api.connections import Connection
from api.server import configure, listen, serve
from api.switching import Switch
from kg.backend import Backend, StoreBackend
from kg.workers.limits import DEFAULTS, Limits


@contextmanager
def serving(backend: Backend) -> Iterator[str]:
    """Serve a backend, which answers in this process; yield the address."""
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        server = uvicorn.Server(configure(create_app(backend), "127.0.0.1", port))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        with _running(server, thread):
            yield f"http://127.0.0.1:{port}"


@contextmanager
def serving_by_workers(
    backend: StoreBackend, limits: Limits, connection: type[Connection] = Connection
) -> Iterator[str]:
    """Serve a backend's snapshot as ``runatlas serve`` does; yield the address."""
    with _serving(Switch(lambda: backend.folder, limits), limits, connection) as address:
        yield address


@contextmanager
def serving_dataset(files: Sequence[Path], limits: Limits = DEFAULTS) -> Iterator[str]:
    """Serve files as ``runatlas serve --dataset`` does; yield the address."""
    with _serving(Switch(lambda: tuple(files), limits), limits) as address:
        yield address


@contextmanager
def _serving(
    switch: Switch, limits: Limits, connection: type[Connection] = Connection
) -> Iterator[str]:
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        server = uvicorn.Server(configure(switch, "127.0.0.1", port, limits, connection))

        def run() -> None:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(serve(server, switch, listening))

        with _running(server, threading.Thread(target=run)):
            yield f"http://127.0.0.1:{port}"


@contextmanager
def _running(server: uvicorn.Server, thread: threading.Thread) -> Iterator[None]:
    thread.start()
    try:
        deadline = time.monotonic() + 20
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield
    finally:
        server.should_exit = True
        thread.join()
