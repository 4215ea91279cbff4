"""SPARQL 1.1 Service Description: what a GET of the endpoint without a query answers."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Triple, serialize
from starlette.responses import Response
from starlette.types import Scope

from api.negotiation import GRAPHS, negotiate
from kg.backend import Backend
from kg.errors import NotAcceptableError
from kg.vocab import PREFIXES, RDF, XSD, expand

_FORMATS: Final = (
    *("SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV"),
    *("Turtle", "N-Triples", "JSON-LD", "RDF_XML", "N-Quads", "TriG"),
)
Sizes: TypeAlias = Sequence[tuple[NamedNode | None, str]]
_SIZES: Final = """
    SELECT ?graph (COUNT(*) AS ?triples) WHERE {
      { ?s ?p ?o } UNION { GRAPH ?graph { ?s ?p ?o } }
    }
    GROUP BY ?graph
    ORDER BY ?graph
"""


def address_of(scope: Scope) -> str:
    """Return the address at which a request found the endpoint, without its query."""
    host = dict(scope["headers"]).get(b"host", b"localhost").decode("latin-1")
    return f"{scope['scheme']}://{host}{scope['path']}"


def graph_sizes(backend: Backend) -> tuple[tuple[NamedNode | None, str], ...]:
    """Return the graphs that a backend has, in order, each with its number of triples.

    The default graph is None. Every triple is counted.
    """
    return tuple(
        (graph if isinstance(graph, NamedNode) else None, triples.value)
        for row in backend.select(_SIZES, {})
        if isinstance(triples := row["triples"], Literal)
        and not isinstance(graph := row.get("graph"), BlankNode)
    )


def describe_service(sizes: Sizes, address: str, accept: str | None) -> Response:
    """Describe the endpoint at an address: its language, formats and dataset.

    Raises:
        NotAcceptableError: no format of graphs is accepted.
    """
    offer = negotiate(accept, GRAPHS)
    if offer is None:
        offered = ", ".join(graph.media_type for graph in GRAPHS)
        raise NotAcceptableError(
            f"Without a query, the service is described: accept one of {offered}."
        )
    prefixes = {name: PREFIXES[name] for name in ("sd", "void")}
    body = serialize(_service(sizes, address), format=offer.format, prefixes=prefixes)
    headers = {"Content-Type": offer.media_type, "Vary": "Accept"}
    return Response(body, headers=headers)


def _service(sizes: Sizes, address: str) -> Iterator[Triple]:
    def part(name: str) -> NamedNode:
        return NamedNode(f"{address}#{name}")

    service, dataset = part("service"), part("dataset")
    yield Triple(service, RDF.type, expand("sd:Service"))
    yield Triple(service, expand("sd:endpoint"), NamedNode(address))
    yield Triple(service, expand("sd:supportedLanguage"), expand("sd:SPARQL11Query"))
    for name in _FORMATS:
        yield Triple(service, expand("sd:resultFormat"), expand(f"formats:{name}"))
    yield Triple(service, expand("sd:defaultDataset"), dataset)
    yield Triple(dataset, RDF.type, expand("sd:Dataset"))
    for number, (iri, triples) in enumerate(sizes):
        graph = part(f"graph-{number}" if iri else "default-graph")
        if iri is None:
            yield Triple(dataset, expand("sd:defaultGraph"), graph)
        else:
            named = part(f"named-graph-{number}")
            yield Triple(dataset, expand("sd:namedGraph"), named)
            yield Triple(named, RDF.type, expand("sd:NamedGraph"))
            yield Triple(named, expand("sd:name"), iri)
            yield Triple(named, expand("sd:graph"), graph)
        yield Triple(graph, RDF.type, expand("sd:Graph"))
        yield Triple(graph, expand("void:triples"), Literal(triples, datatype=XSD.integer))
