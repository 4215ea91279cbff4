"""Evaluate a query on a store: what is asked, and the answer before it is written."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, Final, NoReturn, TypeAlias

from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
)

from kg.errors import NotAcceptableError, QueryFailedError, QueryRefusedError, QuerySyntaxError
from kg.rdf_xml import mend
from kg.vocab import BASE

# The one thing outside of its memory that the store reaches for.
NOT_ASKED: Final = "No query leaves this machine: SERVICE is refused."

READ_ONLY: Final = "The graph is read-only: it takes no updates."

Results: TypeAlias = QuerySolutions | QueryBoolean | QueryTriples


class Form(StrEnum):
    """What an answer is."""

    TABLE = "table"
    BOOLEAN = "boolean"
    GRAPH = "graph"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A query, the formats in which to answer, and the dataset that replaces its own, if any.

    ``results`` is for a table or a boolean, ``graph`` for a graph; an answer whose format is None
    is refused. Graphs replace the query's dataset (SPARQL 1.1 Protocol, section 2.1.4).
    ``is_update`` says that the text is an update, which is read and never made.
    """

    query: str
    results: QueryResultsFormat | None
    graph: RdfFormat | None
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()
    is_update: bool = False


def evaluate(store: Store, request: Request) -> Results:
    """Evaluate a query; most of the work is done while the answer is written.

    Raises:
        QuerySyntaxError: the query does not parse.
        QueryFailedError: it cannot be answered.
        QueryRefusedError: it asks another server, or is an update.
    """
    if request.is_update:
        _refuse_update(request.query)
    try:
        default: list[NamedNode | BlankNode | DefaultGraph]
        default = [NamedNode(graph) for graph in request.default_graphs]
        named = _nodes(request.named_graphs)
        if not default and not named:
            # the base IRI of the application (RFC 3986, section 5.1.4), for queries without BASE
            return store.query(request.query, base_iri=BASE)
        return store.query(request.query, base_iri=BASE, default_graph=default, named_graphs=named)
    except SyntaxError as error:
        raise QuerySyntaxError(error.msg) from error
    except OSError as error:
        raise QueryRefusedError(NOT_ASKED) from error
    except (RuntimeError, ValueError) as error:
        raise QueryFailedError(str(error)) from error


def _refuse_update(text: str) -> NoReturn:
    """Read an update by making it in a store that is thrown away, and say that it is not made."""
    try:
        Store().update(text, base_iri=BASE)
    except SyntaxError as error:
        raise QuerySyntaxError(error.msg) from error
    except (OSError, RuntimeError, ValueError):
        pass  # it was read, and failed there
    raise QueryRefusedError(READ_ONLY)


def _nodes(graphs: Iterable[str]) -> list[NamedNode | BlankNode]:
    return [NamedNode(graph) for graph in graphs]


def form_of(results: Results) -> Form:
    """Return the form of an answer."""
    if isinstance(results, QueryTriples):
        return Form.GRAPH
    return Form.BOOLEAN if isinstance(results, QueryBoolean) else Form.TABLE


def media_type_for(results: Results, request: Request) -> str:
    """Return the media type of an answer of this form.

    Raises:
        NotAcceptableError: the request takes none.
    """
    if isinstance(results, QueryTriples):
        if request.graph is None:
            raise NotAcceptableError("The answer is a graph: accept a format of graphs.")
        return request.graph.media_type
    if request.results is None:
        raise NotAcceptableError("The answer is a table or a boolean: accept a format of results.")
    return request.results.media_type


def write(results: Results, request: Request, output: IO[bytes]) -> None:
    """Write an answer, which has a media type, in the format for its form.

    Raises:
        QueryFailedError: it cannot be answered to its end.
        QueryRefusedError: it asks another server.
        NotAcceptableError: it has no form in RDF/XML.
    """
    try:
        if not isinstance(results, QueryTriples):
            results.serialize(output, request.results)
        elif request.graph == RdfFormat.RDF_XML:
            output.write(mend(results.serialize(format=request.graph) or b""))
        else:
            results.serialize(output, request.graph)
    except OSError as error:
        raise QueryRefusedError(NOT_ASKED) from error
    except (RuntimeError, ValueError) as error:
        raise QueryFailedError(str(error)) from error
