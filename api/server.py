"""Serve the application over HTTP."""

import asyncio
import errno
import logging
import resource
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import uvicorn
import uvloop
from starlette.types import ASGIApp

from api.connections import Connection
from api.switching import Source, Switch
from kg.errors import UsageError
from kg.workers.limits import DEFAULTS, Limits

_BACKLOG: Final = 2048
_FILES: Final = 1 << 16
_OPTIONS: Final = {errno.EADDRINUSE: "--port", errno.EACCES: "--port"}


def run(
    find: Callable[[], Source], limits: Limits, host: str, port: int, on_disk: Path | None = None
) -> None:
    """Serve what is found, and what is found later in its place, until interrupted.

    Graphs are kept in memory, or in databases below the folder ``on_disk``.

    Raises:
        RunatlasError: it cannot be opened, or the address cannot be listened on; see ``kg.errors``.
    """
    _allow_connections()
    switch = Switch(find, limits, on_disk)
    with listen(host, port) as listening:
        # uvicorn names an address only if it opens it itself.
        address = _address(host, listening.getsockname()[1])
        message = f"Uvicorn running on http://{address} (Press CTRL+C to quit)"
        server = uvicorn.Server(configure(switch, host, port, limits))
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.get_loop().add_signal_handler(signal.SIGHUP, switch.renew)
            runner.run(serve(server, switch, listening, message))


async def serve(
    server: uvicorn.Server, switch: Switch, listening: socket.socket, message: str = ""
) -> None:
    """Start a switch, serve on a socket until told to stop, then close the switch."""
    try:
        await switch.start()
        if message:
            logging.getLogger("uvicorn.error").info(message)
        await server.serve(sockets=[listening])
    finally:
        await switch.close()


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
    app: ASGIApp,
    host: str,
    port: int,
    limits: Limits = DEFAULTS,
    connection: type[Connection] = Connection,
) -> uvicorn.Config:
    """Return the server's settings: no log line for each request, no name of the software."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=connection.within(limits),
        ws="none",
        access_log=False,
        log_level="info",
        server_header=False,
        lifespan="off",
    )


def _allow_connections() -> None:
    """Raise the number of open files to what this process may have: each connection is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if most == resource.RLIM_INFINITY else min(most, _FILES)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
