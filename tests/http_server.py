"""A real server on a free port of the loopback interface, for tests of the protocol."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from api.server import configure, listen, serve
from kg.backend import Backend, StoreBackend
from kg.workers.limits import Limits
from kg.workers.pool import Pool


@contextmanager
def serving(backend: Backend) -> Iterator[str]:
    """Serve a backend, which answers in this process; yield the address."""
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        server = uvicorn.Server(configure(backend, "127.0.0.1", port))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        with _running(server, thread):
            yield f"http://127.0.0.1:{port}"


@contextmanager
def serving_by_workers(backend: StoreBackend, limits: Limits) -> Iterator[str]:
    """Serve a backend's snapshot as ``runatlas serve`` does; yield the address."""
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        pool = Pool(backend.folder, limits)
        server = uvicorn.Server(configure(backend, "127.0.0.1", port, answerer=pool))
        thread = threading.Thread(target=asyncio.run, args=[serve(server, pool, listening)])
        with _running(server, thread):
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
