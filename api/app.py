"""The application: every error a problem, every answer with its snapshot."""

from collections.abc import Callable
from datetime import date
from functools import cached_property
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from api import (
    architectures,
    catalog,
    check,
    docs_page,
    explain,
    graph_store,
    health,
    models,
    pages,
    questions,
)
from api.caching import ByteCache
from api.catalog import Catalog
from api.compression import Compression
from api.graph_store import GraphStore
from api.guide import Guide, guide_to_any, guide_to_questions
from api.metrics import Metrics
from api.middleware import Envelope
from api.openapi import TAGS, add_operations
from api.problems import add_handlers
from api.query_page import QueryPage
from api.sparql import SparqlEndpoint
from kg import __version__
from kg.answerer import Answerer, InProcess
from kg.backend import Backend
from kg.workers.limits import DEFAULTS, Limits

_DESCRIPTION = """Which AI models run on which accelerators, under which software, and who says so.

What sources assert and what is derived never share a key: an asserted path has an outcome, a level
and citations; what *may work* is derived for a class, with its premises and licence, and has no
level and no evidence. That nothing is found means no evidence in this graph, never "unsupported".

Every response names its snapshot in `Runatlas-Snapshot`, a JSON answer below `/api/v1`
in `snapshot` too. Every error is `application/problem+json`, but for one on a page. HEAD is
answered like GET, without the body."""


class _Endpoint(FastAPI):
    """FastAPI, but for one path that is led past it: its own way there costs as much as a query."""

    _path: str | None = None
    _short: ASGIApp

    def lead(self, path: str, endpoint: ASGIApp) -> None:
        """Lead a path to an endpoint, by the middleware and the error handlers that there are.

        It is a route as well, for whoever looks at those.
        """
        self.router.routes.append(Route(path, endpoint))
        handlers = dict(self.exception_handlers)
        on_bug = handlers.pop(Exception)
        short: ASGIApp = ExceptionMiddleware(endpoint, handlers)
        for cls, args, options in reversed(self.user_middleware):
            short = cls(short, *args, **options)
        self._path, self._short = path, ServerErrorMiddleware(short, on_bug)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and scope["path"] == self._path:
            await self._short(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


class _Application(_Endpoint):
    """With the operations that FastAPI cannot see in its OpenAPI description."""

    def openapi(self) -> dict[str, Any]:
        """Return the description, made once."""
        if not self.openapi_schema:
            add_operations(super().openapi())
        return super().openapi()

    @cached_property
    def documentation(self) -> str:
        """The description as the body of a page, rendered once."""
        return docs_page.render(self.openapi())


def create_app(
    backend: Backend,
    answerer: Answerer | None = None,
    *,
    limits: Limits = DEFAULTS,
    metrics: Metrics | None = None,
    today: Callable[[], date] = date.today,
) -> FastAPI:
    """Return an application that reads from a backend; ``today`` is the day of an answer.

    Queries of strangers go to the answerer; without one they are answered in this process.
    """
    app = _Application(
        title="Runatlas",
        version=__version__,
        description=_DESCRIPTION,
        openapi_tags=list(TAGS),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.today = today
    guide = guide_to_questions(backend, today)
    answerer = answerer or InProcess(backend)
    endpoint = _prepare(app, backend, answerer, limits, guide, metrics or Metrics())
    app.router.routes.append(Route(catalog.PATH, Catalog(endpoint), name="void"))
    for path, page in (("/", _landing_page), ("/docs", _documentation)):
        app.add_api_route(path, page, include_in_schema=False)
    for module in (check, explain, questions, models, architectures, health):
        app.include_router(module.router)
    return app


def create_endpoint(
    backend: Backend,
    answerer: Answerer,
    *,
    limits: Limits = DEFAULTS,
    metrics: Metrics | None = None,
) -> FastAPI:
    """Return an application that answers SPARQL alone, from any RDF."""
    app = _Endpoint(title="Runatlas", openapi_url=None, redirect_slashes=False)
    _prepare(app, backend, answerer, limits, guide_to_any(), metrics or Metrics())
    app.include_router(health.router)
    return app


def _prepare(
    app: _Endpoint,
    backend: Backend,
    answerer: Answerer,
    limits: Limits,
    guide: Guide,
    metrics: Metrics,
) -> SparqlEndpoint:
    app.state.backend, app.state.answerer, app.state.metrics = backend, answerer, metrics
    page = QueryPage(backend, limits, guide)
    cache = ByteCache(limits.cache)
    metrics.watch_cache(lambda: cache.size)
    endpoint = SparqlEndpoint(backend, answerer, cache, limits=limits, page=page)
    store = GraphStore(endpoint)
    app.add_middleware(Compression)
    app.add_middleware(Envelope, backend=backend)
    add_handlers(app, backend)
    app.lead("/sparql", endpoint)
    app.router.routes.append(Route(graph_store.PATH, store, name="graph-store"))
    app.router.routes.append(Route(f"{graph_store.PATH}/{{graph:path}}", store))
    return endpoint


def _landing_page() -> HTMLResponse:
    return pages.respond("Runatlas", pages.read_page("index"))


def _documentation(request: Request) -> HTMLResponse:
    app: _Application = request.app
    return pages.respond("Runatlas: the HTTP interface", app.documentation)
