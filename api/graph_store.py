"""SPARQL 1.1 Graph Store HTTP Protocol, the read side: GET and HEAD of one graph.

A graph is named indirectly, by ``?graph=IRI`` or ``?default`` (section 4.2), or directly, by the
address itself (section 4.1).
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.operation import Operation, asking_in
from api.service_description import address_of
from api.sparql import SparqlEndpoint
from api.streaming import unless_gone

PATH: Final = "/graph-store"
ALLOW: Final = "GET, HEAD, OPTIONS"
WHOLE: Final = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"
_TAKEN: Final = frozenset(("default", "format", "graph"))


class GraphStore:
    """The graph store as an ASGI application; a graph is asked of the endpoint as a query."""

    def __init__(self, endpoint: SparqlEndpoint) -> None:
        """Read the graphs of an endpoint."""
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with one graph; errors are the application's to render."""
        if scope["method"] == "OPTIONS":
            answer = Response(status_code=HTTPStatus.NO_CONTENT, headers={"Allow": ALLOW})
            await answer(scope, receive, send)
            return
        if scope["method"] != "GET":
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": ALLOW})
        parameters = QueryParams(scope["query_string"])
        graph = _named(scope, parameters)
        sizes = await self.endpoint.sizes()
        if graph is not None and graph not in {name.value for name, _ in sizes if name}:
            raise HTTPException(HTTPStatus.NOT_FOUND, f"There is no graph {graph}.")
        operation = Operation(WHOLE, (graph,) if graph else (), (), format=parameters.get("format"))
        await unless_gone(receive, self.endpoint.respond(operation, asking_in(scope), send))


def _named(scope: Scope, parameters: QueryParams) -> str | None:
    """Return the graph that a request names; None for the default graph.

    Raises:
        HTTPException: it names none, or more than one.
    """
    names: Sequence[str] = [name for name, _ in parameters.multi_items()]
    unknown = sorted({*names} - _TAKEN)
    if unknown:
        detail = f"{', '.join(unknown)}: not taken here; name one graph by graph or default."
        raise HTTPException(HTTPStatus.BAD_REQUEST, detail)
    named = [name for name in names if name != "format"]
    if scope["path"] != PATH:
        if named:
            detail = "The address names a graph, and so do the parameters."
            raise HTTPException(HTTPStatus.BAD_REQUEST, detail)
        return address_of(scope)
    if len(named) != 1:
        detail = f"Exactly one graph is needed, by graph or default; there are {len(named)}."
        raise HTTPException(HTTPStatus.BAD_REQUEST, detail)
    return parameters.get("graph")
