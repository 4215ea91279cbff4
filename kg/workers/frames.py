"""What pool and workers send each other: frames, each of a kind, a length and that many bytes."""

import marshal
import struct
from enum import Enum, StrEnum
from typing import Any, Final

from pyoxigraph import QueryResultsFormat, RdfFormat

from kg.errors import (
    NotAcceptableError,
    QueryFailedError,
    QueryRefusedError,
    QuerySyntaxError,
    ResultTooLargeError,
)
from kg.evaluation import Request

HEAD: Final = struct.Struct("!cI")
BROKEN: Final = "The query broke the engine."  # said by a worker that ends for it
# The errors that a worker finds; what ends it is told by the fork server.
ERRORS: Final = {
    error.__name__: error
    for error in (
        *(NotAcceptableError, QueryFailedError, QueryRefusedError, QuerySyntaxError),
        ResultTooLargeError,
    )
}
_RESULTS: Final = {
    format_.media_type: format_
    for format_ in (
        *(QueryResultsFormat.JSON, QueryResultsFormat.XML),
        *(QueryResultsFormat.CSV, QueryResultsFormat.TSV),
    )
}
_GRAPHS: Final = {
    format_.media_type: format_
    for format_ in (
        *(RdfFormat.TURTLE, RdfFormat.N_TRIPLES, RdfFormat.N_QUADS, RdfFormat.TRIG),
        *(RdfFormat.RDF_XML, RdfFormat.JSON_LD),
    )
}


class Kind(Enum):
    """What a frame holds."""

    ASK = b"Q"  # a request and its limits
    BEGIN = b"B"  # the form of an answer and its media type, with a space between
    DATA = b"D"  # a part of it
    END = b"E"  # there is no more of it: the wear of the worker
    ERROR = b"X"  # there is no answer, or no more of it: an error, and the wear of the worker


class Wear(StrEnum):
    """How a worker differs from a new one after an answer."""

    NONE = "none"
    STALE = "stale"  # it no longer shares the store: to be replaced when nobody needs it
    USED_UP = "used up"  # it has grown so much that the next query would miss it: it ends


def frame(kind: Kind, payload: bytes = b"") -> bytes:
    """Write a frame."""
    return HEAD.pack(kind.value, len(payload)) + payload


def pack_request(request: Request, timeout: float) -> bytes:
    """Write a request, and the seconds that its answer may take to begin."""
    content = {
        "query": request.query,
        "results": request.results and request.results.media_type,
        "graph": request.graph and request.graph.media_type,
        "default": request.default_graphs,
        "named": request.named_graphs,
        "update": request.is_update,
        "timeout": timeout,
    }
    return marshal.dumps(content)  # both ends are this program, in one version of Python


def unpack_request(payload: bytes) -> tuple[Request, float]:
    """Read what ``pack_request`` wrote."""
    content: dict[str, Any] = marshal.loads(payload)  # noqa: S302 - the pool wrote it
    request = Request(
        query=content["query"],
        results=_RESULTS[content["results"]] if content["results"] else None,
        graph=_GRAPHS[content["graph"]] if content["graph"] else None,
        default_graphs=tuple(content["default"]),
        named_graphs=tuple(content["named"]),
        is_update=content["update"],
    )
    return request, content["timeout"]
