"""SPARQL 1.1 Protocol, query operations (section 2.1): a raw ASGI endpoint, read-only."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache
from http import HTTPStatus

from pyoxigraph import QueryResultsFormat, RdfFormat
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.caching import ByteCache, Kept, entity_tag, is_known
from api.exchange import Lookup
from api.negotiation import FORMATS, GRAPHS, KEPT, RESULTS, Offer, negotiate
from api.operation import (
    ALLOW,
    Asking,
    Operation,
    Parameters,
    asking_in,
    operation_of,
    read_parameters,
    wants_page,
)
from api.query_page import QueryPage
from api.service_description import Sizes, address_of, describe_service, graph_sizes
from api.streaming import collect, send_parts, send_whole, unless_gone
from kg.answerer import Answerer, Parts
from kg.backend import Backend
from kg.errors import NotAcceptableError, RunatlasError
from kg.evaluation import Request
from kg.query_guard import refuse_nested
from kg.workers.limits import Limits


class SparqlEndpoint:
    """The endpoint as an ASGI application: a handler of the framework's would cost half."""

    def __init__(
        self,
        backend: Backend,
        answerer: Answerer,
        cache: ByteCache,
        *,
        limits: Limits,
        page: QueryPage,
    ) -> None:
        """Have queries on a backend's snapshot answered, and keep what fits into the cache."""
        self.backend, self.answerer, self.cache = backend, answerer, cache
        self.limits, self.page = limits, page
        self._sizes: dict[str, Sizes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one operation; errors are the application's to render, but for those on a page."""
        if scope["method"] == "OPTIONS":
            await Response(status_code=HTTPStatus.NO_CONTENT, headers={"Allow": ALLOW})(
                scope, receive, send
            )
            return
        asking = asking_in(scope)
        parameters: Parameters = ()
        try:
            parameters = await read_parameters(scope, receive, self.limits.query)
            if scope["method"] == "GET" and not parameters:
                response = await self._describe(scope, asking)
                await response(scope, receive, send)
                return
            work = self._show if wants_page(parameters, asking.accept) else self.respond
            operation = operation_of(parameters)
            asking.exchange.query = operation.query
            await unless_gone(receive, work(operation, asking, send))
        except ClientDisconnect:
            return
        except (HTTPException, RunatlasError) as error:
            if not wants_page(parameters, asking.accept):
                raise
            failed = await run_in_threadpool(self.page.fail, error, parameters)
            await failed(scope, receive, send)

    async def sizes(self) -> Sizes:
        """Return the graphs with their sizes, counted once: a snapshot does not change."""
        snapshot = self.backend.snapshot
        if snapshot not in self._sizes:
            self._sizes = {snapshot: await run_in_threadpool(graph_sizes, self.backend)}
        return self._sizes[snapshot]

    async def _describe(self, scope: Scope, asking: Asking) -> Response:
        sizes = await self.sizes()
        if wants_page((), asking.accept):
            return await run_in_threadpool(self.page.begin, sizes)
        return describe_service(sizes, address_of(scope), asking.accept)

    async def respond(self, operation: Operation, asking: Asking, send: Send) -> None:
        """Answer an operation, from the cache if it is there."""
        results, graph = _formats(operation.format, asking.accept)
        request = self._request(
            operation, results.format if results else None, graph.format if graph else None
        )
        media_types = tuple(offer.media_type if offer else "" for offer in (results, graph))
        tag = entity_tag(self.backend.snapshot, request, media_types)
        fields = {"Vary": "Accept", **({"ETag": tag} if tag else {})}
        if tag and await self._is_sent(tag, asking, fields, send):
            return
        async with self._answer(request, operation, asking) as answering:
            fields["Content-Type"] = _media_type(answering, results)
            body = await send_parts(answering, fields, send, keep=self.cache.largest)
        if tag and body is not None:
            self.cache.keep(tag, Kept(fields["Content-Type"], answering.form, body))

    async def _show(self, operation: Operation, asking: Asking, send: Send) -> None:
        """Answer an operation on a page for people, from the cache if it is there."""
        request = self._request(operation, QueryResultsFormat.JSON, RdfFormat.TURTLE)
        tag = entity_tag(self.backend.snapshot, request, self.page.edition(operation))
        fields = {**self.page.fields, **({"ETag": tag} if tag else {})}
        if tag and await self._is_sent(tag, asking, fields, send):
            return
        async with self._answer(request, operation, asking) as answering:
            media_type = answering.media_type
            shown = await collect(answering, self.page.largest)
        body = await run_in_threadpool(self.page.show, operation, media_type, shown)
        if tag:
            self.cache.keep(tag, Kept(fields["Content-Type"], answering.form, body))
        await send_whole(HTTPStatus.OK, fields, body, send)

    @asynccontextmanager
    async def _answer(
        self, request: Request, operation: Operation, asking: Asking
    ) -> AsyncIterator[Parts]:
        """Have a query answered, and note what becomes of it."""
        exchange = asking.exchange
        async with self.answerer.answer(
            request, client=asking.client, timeout=operation.timeout, tell=exchange.end
        ) as answering:
            exchange.form = answering.form
            yield answering

    def _request(
        self,
        operation: Operation,
        results: QueryResultsFormat | None,
        graph: RdfFormat | None,
    ) -> Request:
        refuse_nested(operation.query, self.limits.nesting)
        return Request(
            query=operation.query,
            results=results,
            graph=graph,
            default_graphs=operation.default_graphs,
            named_graphs=operation.named_graphs,
            is_update=operation.is_update,
        )

    async def _is_sent(
        self, tag: str, asking: Asking, fields: Mapping[str, str], send: Send
    ) -> bool:
        """Send the answer of a tag, or that the client has it; tell whether that was possible."""
        if is_known(tag, asking.known):
            asking.exchange.lookup = Lookup.NOT_MODIFIED
            await send_whole(HTTPStatus.NOT_MODIFIED, fields, b"", send)
        elif kept := self.cache.find(tag):
            asking.exchange.lookup, asking.exchange.form = Lookup.HIT, kept.form
            fields = {**fields, "Content-Type": kept.media_type}
            await send_whole(HTTPStatus.OK, fields, kept.body, send)
        else:
            asking.exchange.lookup = Lookup.MISS
            return False
        return True


@lru_cache(KEPT)
def _formats(
    name: str | None, accept: str
) -> tuple[Offer[QueryResultsFormat] | None, Offer[RdfFormat] | None]:
    """Return the format of a table or a boolean, and that of a graph, that the client wants.

    Raises:
        NotAcceptableError: it wants neither.
        HTTPException: it names a format that there is not.
    """
    if name is not None:
        if name not in FORMATS:
            detail = f"format {name!r} is none of {', '.join(FORMATS)}."
            raise HTTPException(HTTPStatus.BAD_REQUEST, detail)
        return FORMATS[name]
    results, graph = negotiate(accept, RESULTS), negotiate(accept, GRAPHS)
    if not results and not graph:
        offered = ", ".join(offer.media_type for offer in (*RESULTS, *GRAPHS))
        raise NotAcceptableError(f"None of {offered} is accepted.")
    return results, graph


def _media_type(answer: Parts, results: Offer[QueryResultsFormat] | None) -> str:
    """Return an answer's media type, under the name by which the client asked for it."""
    if results and answer.media_type == results.format.media_type and results.is_alias:
        return results.media_type
    return answer.media_type
