"""What a request asks of the endpoint: the operations of the SPARQL 1.1 Protocol (section 2)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, TypeAlias
from urllib.parse import parse_qsl

from pyoxigraph import NamedNode
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

from api.exchange import Exchange, exchange_in
from api.negotiation import FORMATS, PAGE, prefers_page
from kg.query_guard import says_using

FORM: Final = "application/x-www-form-urlencoded"
QUERY: Final = "application/sparql-query"
UPDATE: Final = "application/sparql-update"
ALLOW: Final = "GET, HEAD, OPTIONS, POST"
_DISCARDED: Final = 16 << 20  # bytes that are read on after a body that is too long
_MAX_PARAMETERS: Final = 1000
_BYTE_ORDER_MARK: Final = "\ufeff"  # as some editors begin a file
_SECONDS: Final = re.compile(r"[0-9]{1,6}(\.[0-9]{1,20})?")
_LEAST: Final = 0.001  # seconds that a client may give

Parameters: TypeAlias = Sequence[tuple[str, str]]


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
    """Who asks: what the client accepts, what it knows already, its address, and our notes."""

    accept: str
    known: str
    client: str
    exchange: Exchange


def asking_in(scope: Scope) -> Asking:
    """Read who asks; only a GET can be told that its answer is known (RFC 9110, 13.1.2)."""
    headers = Headers(scope=scope)
    return Asking(
        accept=", ".join(headers.getlist("accept")),
        known=headers.get("if-none-match", "") if scope["method"] == "GET" else "",
        client=scope["client"][0] if scope.get("client") else "",
        exchange=exchange_in(scope),
    )


async def read_parameters(scope: Scope, receive: Receive, most: int) -> Parameters:
    """Read the parameters of a request, of at most so many bytes; a body that is a query is one.

    Raises:
        ClientDisconnect: the client has gone.
        HTTPException: it is no request of the protocol, or too long.
    """
    if len(scope["query_string"]) > most:
        raise HTTPException(HTTPStatus.REQUEST_URI_TOO_LONG, _too_long("The address", most))
    parameters = _parse_parameters(scope["query_string"])
    if scope["method"] == "POST":
        headers = Headers(scope=scope)
        media_type = _content_type(headers)
        body = await _read_body(headers, receive, most)
        if media_type == FORM:
            parameters += _parse_parameters(body)
        else:
            parameters.append(("query" if media_type == QUERY else "update", _decode(body)))
    elif scope["method"] != "GET":
        raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": ALLOW})
    elif values_of(parameters, "update"):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "An update is sent by POST.")
    return parameters


def operation_of(parameters: Parameters) -> Operation:
    """Return the operation that parameters make.

    Raises:
        HTTPException: they make none.
    """
    queries, updates = values_of(parameters, "query"), values_of(parameters, "update")
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


def wants_page(parameters: Parameters, accept: str) -> bool:
    """Tell whether a client wants a page for people: it says so, or it is a browser."""
    formats = _formats(parameters)
    return formats == (PAGE,) if formats else prefers_page(accept)


def values_of(parameters: Parameters, wanted: str) -> tuple[str, ...]:
    """Return the values of the parameters of one name."""
    return tuple([value for name, value in parameters if name == wanted])


def _formats(parameters: Parameters) -> tuple[str, ...]:
    """Return the names of formats; ``output`` gives one too."""
    return values_of(parameters, "format") + values_of(parameters, "output")


def _format(parameters: Parameters) -> str | None:
    """Return the name of a format.

    A client that cannot know what a server calls a format sends its name and its media types, in
    both parameters, as SPARQLWrapper does: the media types count where there is no name.
    """
    found = dict.fromkeys(_formats(parameters))
    names = [name for name in found if "/" not in name] or [*found]
    if len({FORMATS.get(name) for name in names}) > 1:
        detail = f"Exactly one format is needed; there are {', '.join(names)}."
        raise HTTPException(HTTPStatus.BAD_REQUEST, detail)
    return names[0] if names else None


def _graphs(parameters: Parameters, name: str) -> tuple[str, ...]:
    graphs = values_of(parameters, name)
    try:
        for graph in graphs:
            NamedNode(graph)
    except ValueError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"{name} {graph!r} is no IRI.") from error
    return graphs


def _timeout(parameters: Parameters) -> float | None:
    """Return the seconds that the client gives the query, if it says so."""
    given = values_of(parameters, "timeout")
    if not given:
        return None
    if len(given) == 1 and _SECONDS.fullmatch(given[0]) and float(given[0]) >= _LEAST:
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


async def _read_body(headers: Headers, receive: Receive, most: int) -> bytearray:
    """Read the body; one that is too long is read on for a while, so that the refusal arrives."""
    length = headers.get("content-length", "0")
    size = int(length) if length.isdecimal() and int(length) > most + _DISCARDED else 0
    body = bytearray()
    more = True
    while more and size <= most + _DISCARDED:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk = message.get("body", b"")
        more = message.get("more_body", False)
        size += len(chunk)
        if size <= most:
            body += chunk
    if size > most:
        detail, close = _too_long("The body", most), {"Connection": "close"}
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, close)
    return body


def _too_long(what: str, most: int) -> str:
    return f"{what} holds more than {most:,} bytes."


def _parse_parameters(text: bytes | bytearray) -> list[tuple[str, str]]:
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


def _decode(text: bytes | bytearray) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "The request is not UTF-8.") from error
