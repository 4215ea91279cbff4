"""Serve the application over HTTP."""

import asyncio
import errno
import logging
import socket
from typing import Final

import uvicorn

from api.app import create_app
from kg.answerer import Answerer
from kg.backend import Backend, StoreBackend
from kg.errors import UsageError
from kg.workers.limits import Limits
from kg.workers.pool import Pool

_BACKLOG: Final = 2048
_OPTIONS: Final = {errno.EADDRINUSE: "--port", errno.EACCES: "--port"}


def run(backend: StoreBackend, limits: Limits, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serve a snapshot until interrupted; on this machine alone, unless another host is given.

    Raises:
        UsageError: the address cannot be listened on.
        WorkersError: the query workers cannot be started.
    """
    with listen(host, port) as listening:
        # uvicorn names an address only if it opens it itself.
        address = _address(host, listening.getsockname()[1])
        message = f"Uvicorn running on http://{address} (Press CTRL+C to quit)"
        pool = Pool(backend.folder, limits)
        config = configure(backend, host, port, answerer=pool)
        server = uvicorn.Server(config)
        asyncio.run(serve(server, pool, listening, message))


async def serve(
    server: uvicorn.Server, pool: Pool, listening: socket.socket, message: str = ""
) -> None:
    """Start a pool, serve on a socket until told to stop, then close the pool."""
    await pool.start()
    try:
        if message:
            logging.getLogger("uvicorn.error").info(message)
        await server.serve(sockets=[listening])
    finally:
        await pool.close()


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that listens on an address; port 0 takes any free one.

    Raises:
        UsageError: the address is in use, not allowed, or not of this machine.
    """
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except (OSError, UnicodeError) as error:
        listening.close()
        code = error.errno if isinstance(error, OSError) else None
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UsageError(
            f"{_address(host, port)} cannot be listened on: {reason[:1].lower()}{reason[1:]}; "
            f"choose another with {_OPTIONS.get(code or 0, '--host')}"
        ) from error
    return listening


def configure(
    backend: Backend, host: str, port: int, *, answerer: Answerer | None = None
) -> uvicorn.Config:
    """Return the server's settings: no log line for each request, no name of the software."""
    return uvicorn.Config(
        create_app(backend, answerer),
        host=host,
        port=port,
        access_log=False,
        log_level="info",
        server_header=False,
        lifespan="off",
    )


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
