"""The endpoint as an application for another server than our own: granian starts it.

``granian --interface asgi --factory bench.endpoint_under_granian:create`` serves the file that
``RUNATLAS_BENCH_DATASET`` names.
"""

import os
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from api.app import create_endpoint
from kg.backend import StoreBackend
from kg.dataset import open_dataset
from kg.workers.limits import Limits
from kg.workers.pool import Pool


def create() -> ASGIApp:
    """Return the endpoint, which keeps no answers, with workers that start and end with it."""
    files = (Path(os.environ["RUNATLAS_BENCH_DATASET"]),)
    limits = Limits(cache=0)
    pool = Pool(files, limits)
    endpoint = create_endpoint(StoreBackend(open_dataset(files)), pool, limits=limits)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await endpoint(scope, receive, send)
            return
        await receive()
        await pool.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await pool.close()
        await send({"type": "lifespan.shutdown.complete"})

    return application
