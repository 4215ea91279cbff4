"""What everything that asks the graph talks to: queries in, rows or serialised answers out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
    Triple,
    Variable,
)

from kg.deep_stack import on_deep_stack
from kg.errors import NotAcceptableError, QueryFailedError, QuerySyntaxError
from kg.query_guard import refuse_unsafe
from kg.snapshot import Place, Snapshot

Term = NamedNode | BlankNode | Literal | Triple
Row = dict[str, Term]
Results = QuerySolutions | QueryBoolean | QueryTriples


@dataclass(frozen=True, slots=True)
class Answer:
    """A serialised answer and its media type."""

    body: bytes
    media_type: str


class Backend(Protocol):
    """A read-only graph. Implementations may answer in another process."""

    @property
    def snapshot(self) -> str:
        """The name of the snapshot that answers."""

    def select(self, query: str, bindings: Mapping[str, Term]) -> list[Row]:
        """Run a SELECT query of ours; ``bindings`` replaces projected variables by terms."""

    def places(self, subject: NamedNode) -> tuple[Place, ...]:
        """Return where a subject is stated."""

    def answer(
        self,
        query: str,
        *,
        results_format: QueryResultsFormat | None,
        graph_format: RdfFormat | None,
        default_graphs: Sequence[str] = (),
        named_graphs: Sequence[str] = (),
    ) -> Answer:
        """Run any query and serialise its answer in the format for its form.

        Graphs replace the query's dataset (SPARQL 1.1 Protocol, section 2.1.4); none leaves it.

        Raises:
            QueryRefusedError: the query must not run here.
            QuerySyntaxError: the query does not parse.
            QueryFailedError: it cannot be answered.
            NotAcceptableError: the format for the query's form is None.
        """


class StoreBackend:
    """Answers from a snapshot in this process."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Answer from an opened snapshot."""
        self._snapshot = snapshot

    @property
    def snapshot(self) -> str:
        """The name of the snapshot that answers."""
        return self._snapshot.name

    def places(self, subject: NamedNode) -> tuple[Place, ...]:
        """Return where a subject is stated."""
        return self._snapshot.places.get(subject.value, ())

    def select(self, query: str, bindings: Mapping[str, Term]) -> list[Row]:
        """Run a SELECT query of ours; ``bindings`` replaces projected variables by terms."""
        return select(self._snapshot.store, query, bindings)

    def answer(
        self,
        query: str,
        *,
        results_format: QueryResultsFormat | None,
        graph_format: RdfFormat | None,
        default_graphs: Sequence[str] = (),
        named_graphs: Sequence[str] = (),
    ) -> Answer:
        """Run any query and serialise its answer in the format for its form."""
        refuse_unsafe(query)
        store = self._snapshot.store
        return on_deep_stack(
            lambda: _answer(
                store, query, (default_graphs, named_graphs), (results_format, graph_format)
            )
        )


def select(store: Store, query: str, bindings: Mapping[str, Term]) -> list[Row]:
    """Run a SELECT query of ours on a store and return its rows; values travel as terms."""
    substitutions = {Variable(name): term for name, term in bindings.items()}
    solutions = store.query(query, substitutions=substitutions)
    if not isinstance(solutions, QuerySolutions):
        raise TypeError("not a SELECT query")
    names = [variable.value for variable in solutions.variables]
    return [
        {name: term for name in names if (term := solution[name]) is not None}
        for solution in solutions
    ]


def _answer(
    store: Store,
    query: str,
    graphs: tuple[Sequence[str], Sequence[str]],
    formats: tuple[QueryResultsFormat | None, RdfFormat | None],
) -> Answer:
    results = _evaluate(store, query, *graphs)
    refused = _refusal(results, *formats)
    failed = ""
    try:
        if not refused:
            return _serialize(results, *formats)
    except (OSError, RuntimeError, ValueError) as error:
        failed = str(error)
    finally:
        # pyoxigraph: results must die on the thread that made them, and an exception that leaves
        # this frame would carry them away.
        del results
    raise NotAcceptableError(refused) if refused else QueryFailedError(failed)


def _evaluate(
    store: Store, query: str, default_graphs: Iterable[str], named_graphs: Iterable[str]
) -> Results:
    try:
        default: list[NamedNode | BlankNode | DefaultGraph] = [NamedNode(g) for g in default_graphs]
        named: list[NamedNode | BlankNode] = [NamedNode(g) for g in named_graphs]
        if not default and not named:
            return store.query(query)
        return store.query(query, default_graph=default, named_graphs=named)
    except SyntaxError as error:
        raise QuerySyntaxError(error.msg) from error
    except (OSError, RuntimeError, ValueError) as error:
        raise QueryFailedError(str(error)) from error


def _refusal(
    results: Results, results_format: QueryResultsFormat | None, graph_format: RdfFormat | None
) -> str | None:
    if isinstance(results, QueryTriples):
        return None if graph_format else "The answer is a graph: accept a format of graphs."
    if results_format:
        return None
    return "The answer is a table or a boolean: accept a format of results."


def _serialize(
    results: Results, results_format: QueryResultsFormat | None, graph_format: RdfFormat | None
) -> Answer:
    if isinstance(results, QueryTriples):
        if graph_format is None:
            raise TypeError("a graph needs a format of graphs")
        return Answer(results.serialize(format=graph_format) or b"", graph_format.media_type)
    if results_format is None:
        raise TypeError("a table needs a format of results")
    return Answer(results.serialize(format=results_format) or b"", results_format.media_type)
