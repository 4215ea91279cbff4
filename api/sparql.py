"""SPARQL 1.1 Protocol, query operations (section 2.1): a raw ASGI endpoint, read-only."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl

from pyoxigraph import NamedNode, QueryResultsFormat, RdfFormat
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.caching import ByteCache, Kept, entity_tag, is_known
from api.negotiation import FORMATS, GRAPHS, RESULTS, Offer, negotiate
from api.service_description import Sizes, address_of, describe_service, graph_sizes
from api.streaming import send_parts, send_whole, unless_gone, within
from kg.answerer import Answerer, Parts
from kg.backend import Backend
from kg.errors import NotAcceptableError
from kg.evaluation import Request
from kg.query_guard import refuse_nested, says_using

FORM: Final = "application/x-www-form-urlencoded"
QUERY: Final = "application/sparql-query"
UPDATE: Final = "application/sparql-update"
ALLOW: Final = "GET, HEAD, OPTIONS, POST"
MAX_BYTES: Final = 1 << 20
_MAX_DISCARDED: Final = 16 * MAX_BYTES
_MAX_PARAMETERS: Final = 1000
_BYTE_ORDER_MARK: Final = "\ufeff"  # as some editors begin a file
_SECONDS: Final = re.compile(r"[0-9]{1,6}(\.[0-9]{1,20})?")


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: one query, and the dataset that replaces its own, if any; or one update."""

    query: str
    default_graphs: tuple[str, ...]
    named_graphs: tuple[str, ...]
    timeout: float | None = None
    is_update: bool = False
    format: str | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks: what the client accepts, what it knows already, and its address."""

    accept: str
    known: str
    client: str


def asking_in(scope: Scope) -> Asking:
    """Read who asks; only a GET can be told that its answer is known (RFC 9110, 13.1.2)."""
    headers = Headers(scope=scope)
    return Asking(
        accept=", ".join(headers.getlist("accept")),
        known=headers.get("if-none-match", "") if scope["method"] == "GET" else "",
        client=scope["client"][0] if scope.get("client") else "",
    )


class SparqlEndpoint:
    """The endpoint as an ASGI application: a handler of the framework's would cost half."""

    def __init__(self, backend: Backend, answerer: Answerer, cache: ByteCache) -> None:
        """Have queries on a backend's snapshot answered, and keep what fits into the cache."""
        self.backend, self.answerer, self.cache = backend, answerer, cache
        self._sizes: dict[str, Sizes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one operation; errors are the application's to render."""
        if scope["method"] == "OPTIONS":
            await Response(status_code=HTTPStatus.NO_CONTENT, headers={"Allow": ALLOW})(
                scope, receive, send
            )
            return
        try:
            operation = await _read_operation(scope, Headers(scope=scope), receive)
        except ClientDisconnect:
            return
        asking = asking_in(scope)
        if operation is None:
            service = describe_service(await self.sizes(), address_of(scope), asking.accept)
            await service(scope, receive, send)
            return
        await unless_gone(receive, self.respond(operation, asking, send))

    async def sizes(self) -> Sizes:
        """Return the graphs with their sizes, counted once: a snapshot does not change."""
        snapshot = self.backend.snapshot
        if snapshot not in self._sizes:
            self._sizes = {snapshot: await run_in_threadpool(graph_sizes, self.backend)}
        return self._sizes[snapshot]

    async def respond(self, operation: Operation, asking: Asking, send: Send) -> None:
        """Answer an operation, from the cache if it is there."""
        results, graph = _formats(operation.format, asking.accept)
        refuse_nested(operation.query)
        request = Request(
            query=operation.query,
            results=results.format if results else None,
            graph=graph.format if graph else None,
            default_graphs=operation.default_graphs,
            named_graphs=operation.named_graphs,
            is_update=operation.is_update,
        )
        media_types = tuple(offer.media_type if offer else "" for offer in (results, graph))
        tag = entity_tag(self.backend.snapshot, request, media_types)
        fields = {"Vary": "Accept", **({"ETag": tag} if tag else {})}
        if tag and is_known(tag, asking.known):
            await send_whole(HTTPStatus.NOT_MODIFIED, fields, b"", send)
            return
        if tag and (kept := self.cache.find(tag)):
            fields["Content-Type"] = kept.media_type
            await send_whole(HTTPStatus.OK, fields, kept.body, send)
            return
        async with self.answerer.answer(
            request, client=asking.client, timeout=operation.timeout
        ) as answering:
            fields["Content-Type"] = _media_type(answering, results)
            send_in_time = within(self.answerer.patience, send)
            body = await send_parts(answering, fields, send_in_time, keep=self.cache.largest)
        if tag and body is not None:
            self.cache.keep(tag, Kept(fields["Content-Type"], body))


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


async def _read_operation(scope: Scope, headers: Headers, receive: Receive) -> Operation | None:
    """Read the operation of a request; None for one that asks for the service's description.

    Raises:
        HTTPException: it is no operation of the protocol.
    """
    if len(scope["query_string"]) > MAX_BYTES:
        raise HTTPException(HTTPStatus.REQUEST_URI_TOO_LONG, _too_long("The address"))
    parameters = _parse_parameters(scope["query_string"])
    if scope["method"] == "POST":
        media_type = _content_type(headers)
        body = await _read_body(headers, receive)
        if media_type == FORM:
            parameters += _parse_parameters(body)
        else:
            parameters.append(("query" if media_type == QUERY else "update", _decode(body)))
    elif scope["method"] != "GET":
        raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": ALLOW})
    elif not parameters:
        return None
    elif _values(parameters, "update"):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "An update is sent by POST.")
    return _operation(parameters)


def _operation(parameters: Sequence[tuple[str, str]]) -> Operation:
    queries, updates = _values(parameters, "query"), _values(parameters, "update")
    if len(queries) + len(updates) != 1:
        found = f"there are {len(queries)}" + (f" and {len(updates)} updates" if updates else "")
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"Exactly one query is needed; {found}.")
    named = _graphs(parameters, "using-graph-uri") + _graphs(parameters, "using-named-graph-uri")
    if updates and named and says_using(updates[0]):
        detail = "The update names its graphs itself, by USING or WITH; the parameters do too."
        raise HTTPException(HTTPStatus.BAD_REQUEST, detail)
    return Operation(
        (queries or updates)[0].removeprefix(_BYTE_ORDER_MARK),
        _graphs(parameters, "default-graph-uri"),
        _graphs(parameters, "named-graph-uri"),
        _timeout(parameters),
        is_update=bool(updates),
        format=_format(parameters),
    )


def _format(parameters: Sequence[tuple[str, str]]) -> str | None:
    """Return the name of a format, which ``output`` gives too.

    A client that cannot know what a server calls a format sends its name and its media types, in
    both parameters, as SPARQLWrapper does: the media types count where there is no name.
    """
    found = dict.fromkeys(_values(parameters, "format") + _values(parameters, "output"))
    names = [name for name in found if "/" not in name] or [*found]
    if len({FORMATS.get(name) for name in names}) > 1:
        detail = f"Exactly one format is needed; there are {', '.join(names)}."
        raise HTTPException(HTTPStatus.BAD_REQUEST, detail)
    return names[0] if names else None


def _values(parameters: Sequence[tuple[str, str]], wanted: str) -> tuple[str, ...]:
    return tuple(value for name, value in parameters if name == wanted)


def _graphs(parameters: Sequence[tuple[str, str]], name: str) -> tuple[str, ...]:
    graphs = _values(parameters, name)
    try:
        for graph in graphs:
            NamedNode(graph)
    except ValueError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"{name} {graph!r} is no IRI.") from error
    return graphs


def _timeout(parameters: Sequence[tuple[str, str]]) -> float | None:
    """Return the seconds that the client gives the query, if it says so."""
    given = _values(parameters, "timeout")
    if not given:
        return None
    if len(given) == 1 and _SECONDS.fullmatch(given[0]) and float(given[0]) > 0:
        return float(given[0])
    detail = f"timeout {given[-1]!r} is no number of seconds such as 2.5."
    raise HTTPException(HTTPStatus.BAD_REQUEST, detail)


def _content_type(headers: Headers) -> str:
    """Return the media type of a body that we can read; it is in UTF-8 and not compressed."""
    essence, *parameters = headers.get("content-type", "").lower().split(";")
    media_type = essence.strip()
    charsets = {p.strip() for p in parameters if p.strip().startswith("charset=")}
    in_utf8 = charsets <= {"charset=utf-8", 'charset="utf-8"'}
    plain = headers.get("content-encoding", "identity").lower() == "identity"
    if media_type not in (FORM, QUERY, UPDATE) or not in_utf8 or not plain:
        detail = f"Send {FORM} or {QUERY}, in UTF-8 and uncompressed."
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail)
    return media_type


async def _read_body(headers: Headers, receive: Receive) -> bytes:
    """Read the body; one that is too long is read on for a while, so that the refusal arrives."""
    length = headers.get("content-length", "0")
    size = int(length) if length.isdecimal() and int(length) > _MAX_DISCARDED else 0
    body = b""
    more = True
    while more and size <= _MAX_DISCARDED:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk = message.get("body", b"")
        more = message.get("more_body", False)
        size += len(chunk)
        body += chunk if size <= MAX_BYTES else b""
    if size > MAX_BYTES:
        detail, close = _too_long("The body"), {"Connection": "close"}
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, close)
    return body


def _too_long(what: str) -> str:
    return f"{what} holds more than {MAX_BYTES} bytes."


def _parse_parameters(text: bytes) -> list[tuple[str, str]]:
    """Read the parameters of a form, percent-decoded once."""
    try:
        return parse_qsl(
            _decode(text),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MAX_PARAMETERS,
        )
    except UnicodeDecodeError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "A parameter is not UTF-8.") from error
    except ValueError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "There are too many parameters.") from error


def _decode(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "The request is not UTF-8.") from error
