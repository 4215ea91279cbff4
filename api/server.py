"""Serve the application over HTTP."""

import errno
import logging
import socket
from typing import Final

import uvicorn

from api.app import create_app
from kg.backend import Backend
from kg.errors import UsageError

_BACKLOG: Final = 2048
_OPTIONS: Final = {errno.EADDRINUSE: "--port", errno.EACCES: "--port"}


def run(backend: Backend, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serve until interrupted; on this machine alone, unless another host is given.

    Raises:
        UsageError: the address cannot be listened on.
    """
    with listen(host, port) as listening:
        config = configure(backend, host, port)
        # uvicorn names an address only if it opens it itself; clients can connect from here on.
        address = _address(host, listening.getsockname()[1])
        message = "Uvicorn running on http://%s (Press CTRL+C to quit)"
        logging.getLogger("uvicorn.error").info(message, address)
        uvicorn.Server(config).run(sockets=[listening])


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


def configure(backend: Backend, host: str, port: int) -> uvicorn.Config:
    """Return the server's settings: no log line for each request, no name of the software."""
    return uvicorn.Config(
        create_app(backend),
        host=host,
        port=port,
        access_log=False,
        log_level="info",
        server_header=False,
        lifespan="off",
    )


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
