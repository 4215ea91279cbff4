"""Serve the application over HTTP."""

import asyncio
import errno
import logging
import resource
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import uvicorn
import uvloop
from starlette.types import ASGIApp

from api.access_log import AccessLog
from api.connections import Connection
from api.metrics import Metrics
from api.observing import Observed
from api.shutdown import MORE_S, Server
from api.switching import Source, Switch
from kg.errors import UsageError
from kg.workers.limits import Limits

_BACKLOG: Final = 2048
_FILES: Final = 1 << 16
_OPTIONS: Final = {errno.EADDRINUSE: "--port", errno.EACCES: "--port"}


@dataclass(frozen=True, slots=True)
class Service:
    """A server, what it serves, and what it counts."""

    server: Server
    switch: Switch
    metrics: Metrics


def run(
    find: Callable[[], Source],
    limits: Limits,
    host: str,
    port: int,
    *,
    on_disk: Path | None = None,
    proxies: Sequence[str] = (),
    log: int | None = None,
) -> None:
    """Serve what is found, and what is found later in its place, until told to end.

    The first SIGTERM or SIGINT lets answers finish. Addresses of clients are taken from proxies;
    the access log is written to a file descriptor.

    Graphs are kept in memory, or in databases below the folder ``on_disk``.

    Raises:
        RunatlasError: it cannot be opened, or the address cannot be listened on; see ``kg.errors``.
    """
    _allow_connections()
    metrics = Metrics()
    with _logging(log, metrics) as access_log, listen(host, port) as listening:
        # uvicorn names an address only if it opens it itself.
        address = _address(host, listening.getsockname()[1])
        message = f"Uvicorn running on http://{address} (Press CTRL+C to quit)"
        switch = Switch(find, limits, metrics, on_disk)
        service = assemble(switch, limits, metrics, log=access_log, proxies=proxies)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve_until_signal(service, listening, message))


async def _serve_until_signal(service: Service, listening: socket.socket, message: str) -> None:
    loop = asyncio.get_running_loop()
    serving = loop.create_task(serve(service, listening, message))
    service.server.end_by_signals(loop, serving)
    loop.add_signal_handler(signal.SIGHUP, service.switch.renew)
    await asyncio.wait([serving])
    if not serving.cancelled():  # told to end while it started
        serving.result()


def assemble(
    switch: Switch,
    limits: Limits,
    metrics: Metrics,
    *,
    log: AccessLog | None = None,
    proxies: Sequence[str] = (),
    connection: type[Connection] = Connection,
) -> Service:
    """Put together a server, which has not been started, of a switch."""
    app = Observed(switch, metrics, log)
    own = connection.within(limits, metrics.refuses)
    server = Server(configure(app, own, proxies), limits.timeout + MORE_S)
    metrics.watch_connections(lambda: len(server.server_state.connections))
    return Service(server, switch, metrics)


async def serve(service: Service, listening: socket.socket, message: str = "") -> None:
    """Start what is served, serve on a socket until told to stop, then end the workers."""
    try:
        await service.switch.start()
        if message:
            logging.getLogger("uvicorn.error").info(message)
        await service.server.serve(sockets=[listening])
    finally:
        await service.switch.close()


@contextmanager
def _logging(descriptor: int | None, metrics: Metrics) -> Iterator[AccessLog | None]:
    if descriptor is None:
        yield None
        return
    log = AccessLog(descriptor, metrics.loses)
    try:
        yield log
    finally:
        log.close()


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
    app: ASGIApp, connection: type[Connection] = Connection, proxies: Sequence[str] = ()
) -> uvicorn.Config:
    """Return the server's settings: no name of the software, no log of its own for requests.

    Only proxies may say for whom they ask; without any, nobody is believed.
    """
    return uvicorn.Config(
        app,
        http=connection,
        ws="none",
        access_log=False,
        log_level="info",
        server_header=False,
        lifespan="off",
        proxy_headers=bool(proxies),
        forwarded_allow_ips=[*proxies],
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
