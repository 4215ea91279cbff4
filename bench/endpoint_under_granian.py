"""The endpoint as an application for another server than our own: granian starts it.

``granian --interface asgi --factory bench.endpoint_under_granian:create`` serves the file that
``RUNATLAS_BENCH_DATASET`` names.
"""

import os
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from api.switching import Switch
from kg.workers.limits import Limits


def create() -> ASGIApp:
    """Return the endpoint, which keeps no answers, with workers that start and end with it."""
    files = (Path(os.environ["RUNATLAS_BENCH_DATASET"]),)
    endpoint = Switch(lambda: files, Limits(cache=0))

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await endpoint(scope, receive, send)
            return
        await receive()
        await endpoint.start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await endpoint.close()
        await send({"type": "lifespan.shutdown.complete"})

    return application
