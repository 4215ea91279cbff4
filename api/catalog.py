"""/.well-known/void: the description of the graph, VoID and DCAT, as the build wrote it."""

from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from api.graph_store import WHOLE
from api.operation import Operation, asking_in
from api.sparql import SparqlEndpoint
from api.streaming import unless_gone
from kg.vocab import CATALOG_GRAPH

PATH: Final = "/.well-known/void"


class Catalog:
    """The catalog as an ASGI application; it is asked of the endpoint as a query."""

    def __init__(self, endpoint: SparqlEndpoint) -> None:
        """Read the catalog of an endpoint's snapshot."""
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the catalog, in the format of graphs that the client likes best."""
        if scope["method"] != "GET":
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
        operation = Operation(WHOLE, (CATALOG_GRAPH.value,), ())
        await unless_gone(receive, self.endpoint.respond(operation, asking_in(scope), send))
