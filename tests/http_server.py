"""A real server on a free port of the loopback interface, for tests of the protocol."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from api.server import configure, listen
from kg.backend import Backend


@contextmanager
def serving(backend: Backend) -> Iterator[str]:
    """Serve a backend; yield the address."""
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        server = uvicorn.Server(configure(backend, "127.0.0.1", port))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            deadline = time.monotonic() + 20
            while not server.started:
                assert thread.is_alive()
                assert time.monotonic() < deadline
                time.sleep(0.01)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()
