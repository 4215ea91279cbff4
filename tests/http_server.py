"""A real server on a free port of the loopback interface, for tests of the protocol."""

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from api.app import create_app, create_endpoint
from api.server import configure, listen, serve
from kg.backend import Backend, StoreBackend
from kg.dataset import open_dataset
from kg.workers.limits import DEFAULTS, Limits
from kg.workers.pool import Pool


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
def serving_by_workers(backend: StoreBackend, limits: Limits) -> Iterator[str]:
    """Serve a backend's snapshot as ``runatlas serve`` does; yield the address."""
    pool = Pool(backend.folder, limits)
    with _serving(create_app(backend, pool, limits=limits), pool) as address:
        yield address


@contextmanager
def serving_dataset(files: Sequence[Path], limits: Limits = DEFAULTS) -> Iterator[str]:
    """Serve files as ``runatlas serve --dataset`` does; yield the address."""
    pool = Pool(files, limits)
    app = create_endpoint(StoreBackend(open_dataset(files)), pool, limits=limits)
    with _serving(app, pool) as address:
        yield address


@contextmanager
def _serving(app: FastAPI, pool: Pool) -> Iterator[str]:
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        server = uvicorn.Server(configure(app, "127.0.0.1", port))
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
