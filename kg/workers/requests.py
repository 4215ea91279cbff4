"""What a worker is asked, within which limits."""

from dataclasses import dataclass
from typing import Final

from pyoxigraph import QueryResultsFormat, RdfFormat

MIB: Final = 1 << 20
_RESULTS: Final = {
    format.media_type: format
    for format in (
        *(QueryResultsFormat.JSON, QueryResultsFormat.XML),
        *(QueryResultsFormat.CSV, QueryResultsFormat.TSV),
    )
}
_GRAPHS: Final = {
    format.media_type: format
    for format in (
        *(RdfFormat.TURTLE, RdfFormat.N_TRIPLES, RdfFormat.N_QUADS, RdfFormat.TRIG),
        *(RdfFormat.RDF_XML, RdfFormat.JSON_LD),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a query may take; the defaults are safe on a public endpoint."""

    workers: int = 2
    timeout: float = 30.0  # seconds until the first byte of an answer
    progress: float = 30.0  # seconds without another byte that end a transfer
    memory: int = 1024 * MIB  # bytes beyond what the store takes
    result: int | None = None  # bytes of one answer
    waiting: int = 64  # queries that may wait for a worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A query, the dataset that replaces its own, and the media types in which to answer.

    ``results`` is for a table or a boolean, ``graph`` for a graph; None refuses such an answer.
    """

    query: str
    results: str | None
    graph: str | None
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()
    timeout: float | None = None

    @property
    def results_format(self) -> QueryResultsFormat | None:
        """The format of a table or a boolean."""
        return _RESULTS[self.results] if self.results else None

    @property
    def graph_format(self) -> RdfFormat | None:
        """The format of a graph."""
        return _GRAPHS[self.graph] if self.graph else None
