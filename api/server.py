"""Serve the application over HTTP."""

import uvicorn

from api.app import create_app
from kg.backend import Backend


def run(backend: Backend, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serve until interrupted; on this machine alone, unless another host is given."""
    uvicorn.Server(configure(backend, host, port)).run()


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
