"""A real server on a free port of the loopback interface, for tests of the protocol."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
import uvicorn
import uvloop

from api.app import create_app
from api.connections import Connection
from api.metrics import Metrics
from api.server import assemble, configure, listen, serve
from api.switching import Source, Switch
from kg.backend import Backend, StoreBackend
from kg.workers.limits import DEFAULTS, Limits
from tests.reading import ROOT


@contextmanager
def serving(backend: Backend) -> Iterator[str]:
    """Serve a backend, which answers in this process; yield the address."""
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        server = uvicorn.Server(configure(create_app(backend)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        with _running(server, thread):
            yield f"http://127.0.0.1:{port}"


@contextmanager
def serving_by_workers(
    backend: StoreBackend, limits: Limits, connection: type[Connection] = Connection
) -> Iterator[str]:
    """Serve a backend's snapshot as ``runatlas serve`` does; yield the address."""
    with _serving(lambda: backend.folder, limits, connection=connection) as address:
        yield address


@contextmanager
def serving_dataset(files: Sequence[Path], limits: Limits = DEFAULTS) -> Iterator[str]:
    """Serve files as ``runatlas serve --dataset`` does; yield the address."""
    with _serving(lambda: tuple(files), limits) as address:
        yield address


@contextmanager
def serving_by_command(
    *arguments: str, cwd: Path = ROOT, said: list[str] | None = None
) -> Iterator[tuple[httpx2.Client, subprocess.Popen[str]]]:
    """Serve by the command itself; yield a client and the process; keep what it says."""
    command = [sys.executable, "-m", "kg.cli", "serve", "--port", "0", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    kept = [] if said is None else said
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, cwd=cwd, env=environment
    ) as process:
        assert process.stderr
        lines = process.stderr
        drain = threading.Thread(target=lambda: kept.extend(lines))  # or it would fill the pipe
        try:
            address = next(found[0] for line in lines if (found := re.search(r"http://\S+", line)))
            drain.start()
            with httpx2.Client(base_url=address, timeout=60) as client:
                yield client, process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
            if drain.ident:
                drain.join()


@contextmanager
def _serving(
    find: Callable[[], Source], limits: Limits, connection: type[Connection] = Connection
) -> Iterator[str]:
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        metrics = Metrics()
        switch = Switch(find, limits, metrics)
        service = assemble(switch, limits, metrics, connection=connection)

        def run() -> None:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(serve(service, listening))

        with _running(service.server, threading.Thread(target=run)):
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
