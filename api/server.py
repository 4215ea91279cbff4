"""Serve the application over HTTP."""

import asyncio
import errno
import logging
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import uvicorn
from fastapi import FastAPI

from api.app import create_app, create_endpoint
from kg.backend import StoreBackend
from kg.dataset import open_dataset
from kg.errors import UsageError
from kg.workers.limits import Limits
from kg.workers.pool import Pool

_BACKLOG: Final = 2048
_OPTIONS: Final = {errno.EADDRINUSE: "--port", errno.EACCES: "--port"}


def run(backend: StoreBackend, limits: Limits, host: str, port: int) -> None:
    """Serve a snapshot until interrupted.

    Raises:
        UsageError: the address cannot be listened on.
        WorkersError: the query workers cannot be started.
    """
    pool = Pool(backend.folder, limits)
    _run(create_app(backend, pool, limits=limits), pool, host, port)


def run_dataset(files: Sequence[Path], limits: Limits, host: str, port: int) -> None:
    """Serve files of RDF until interrupted: SPARQL alone.

    Raises:
        SourceError: a file cannot be read.
        UsageError: the address cannot be listened on.
        WorkersError: the query workers cannot be started.
    """
    pool = Pool(files, limits)
    backend = StoreBackend(open_dataset(files))
    _run(create_endpoint(backend, pool, limits=limits), pool, host, port)


def _run(app: FastAPI, pool: Pool, host: str, port: int) -> None:
    with listen(host, port) as listening:
        # uvicorn names an address only if it opens it itself.
        address = _address(host, listening.getsockname()[1])
        message = f"Uvicorn running on http://{address} (Press CTRL+C to quit)"
        asyncio.run(serve(uvicorn.Server(configure(app, host, port)), pool, listening, message))


async def serve(
    server: uvicorn.Server, pool: Pool, listening: socket.socket, message: str = ""
) -> None:
    """Start a pool, serve on a socket until told to stop, then close the pool."""
    try:
        await pool.start()
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


def configure(app: FastAPI, host: str, port: int) -> uvicorn.Config:
    """Return the server's settings: no log line for each request, no name of the software."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        access_log=False,
        log_level="info",
        server_header=False,
        lifespan="off",
    )


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
