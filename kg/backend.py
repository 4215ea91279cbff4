"""What everything that asks the graph talks to: queries in, rows or serialised answers out."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pyoxigraph import BlankNode, Literal, NamedNode, QuerySolutions, Store, Triple, Variable

from kg.deep_stack import on_deep_stack
from kg.errors import NotAcceptableError, QueryFailedError, QueryRefusedError
from kg.evaluation import READ_ONLY, Form, Request, evaluate, form_of, media_type_for, write
from kg.query_guard import refuse_unsafe
from kg.snapshot import Place, Snapshot

Term = NamedNode | BlankNode | Literal | Triple
Row = dict[str, Term]


@dataclass(frozen=True, slots=True)
class Answer:
    """A serialised answer, its media type and its form."""

    body: bytes
    media_type: str
    form: Form


class Backend(Protocol):
    """A read-only graph. Implementations may answer in another process."""

    @property
    def snapshot(self) -> str:
        """The name of the snapshot that answers."""

    def select(self, query: str, bindings: Mapping[str, Term]) -> list[Row]:
        """Run a SELECT query of ours; ``bindings`` replaces projected variables by terms."""

    def places(self, subject: NamedNode) -> tuple[Place, ...]:
        """Return where a subject is stated."""

    def answer(self, request: Request) -> Answer:
        """Run any query and serialise its answer.

        Raises:
            QueryRefusedError: the query must not run here.
            QuerySyntaxError: the query does not parse.
            QueryFailedError: it cannot be answered.
            NotAcceptableError: the request takes no answer of its form.
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

    @property
    def folder(self) -> Path:
        """The folder of the snapshot."""
        return self._snapshot.folder

    def places(self, subject: NamedNode) -> tuple[Place, ...]:
        """Return where a subject is stated."""
        return self._snapshot.places.get(subject.value, ())

    def select(self, query: str, bindings: Mapping[str, Term]) -> list[Row]:
        """Run a SELECT query of ours; ``bindings`` replaces projected variables by terms."""
        return select(self._snapshot.store, query, bindings)

    def answer(self, request: Request) -> Answer:
        """Run any query and serialise its answer in the format for its form."""
        if request.is_update:
            raise QueryRefusedError(READ_ONLY)  # unread: reading it could load from elsewhere
        refuse_unsafe(request.query)
        store = self._snapshot.store
        return on_deep_stack(lambda: _answer(store, request))


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


def _answer(store: Store, request: Request) -> Answer:
    results = evaluate(store, request)
    failure: NotAcceptableError | QueryFailedError
    try:
        media_type, body = media_type_for(results, request), io.BytesIO()
        write(results, request, body)
        return Answer(body.getvalue(), media_type, form_of(results))
    except (NotAcceptableError, QueryFailedError) as error:
        failure = type(error)(str(error))
    finally:
        # pyoxigraph: results must die on the thread that made them, and an exception that leaves
        # this frame would carry them away.
        del results
    raise failure
