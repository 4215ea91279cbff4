"""The application: every error a problem, every answer with its snapshot."""

from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from starlette.routing import Route

from api import architectures, check, health, models, questions
from api.middleware import Envelope
from api.openapi import add_operations
from api.problems import add_handlers
from api.sparql import SparqlEndpoint
from kg.backend import Backend

_DESCRIPTION = """Which AI models run on which accelerators, under which software, and who says so.

What sources assert and what is derived never share a key: an asserted path has an outcome, a level
and citations; what *may work* is derived for a class, with its premises and licence, and has no
level and no evidence. That nothing is found means no evidence in this graph, never "unsupported".

Every response names its snapshot in `Runatlas-Snapshot`, a JSON answer in `snapshot` too. Every
error is `application/problem+json`. HEAD is answered like GET, without the body."""


class _Application(FastAPI):
    """FastAPI with the operations that it cannot see in its OpenAPI description."""

    def openapi(self) -> dict[str, Any]:
        """Return the description, made once."""
        if not self.openapi_schema:
            add_operations(super().openapi())
        return super().openapi()


def create_app(backend: Backend, *, today: Callable[[], date] = date.today) -> FastAPI:
    """Return an application that reads from a backend; ``today`` is the day of an answer."""
    app = _Application(
        title="Runatlas",
        version=version("runatlas"),
        description=_DESCRIPTION,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.backend = backend
    app.state.today = today
    app.add_middleware(Envelope, backend=backend)
    add_handlers(app, backend)
    app.router.routes.append(Route("/sparql", SparqlEndpoint(backend), name="sparql"))
    app.add_api_route("/", _landing_page, include_in_schema=False)
    for module in (check, questions, models, architectures, health):
        app.include_router(module.router)
    return app


def _landing_page() -> HTMLResponse:
    page = files(__package__).joinpath("web", "index.html").read_text(encoding="utf-8")
    return HTMLResponse(page)
