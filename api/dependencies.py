"""What handlers are given, and how their answers look."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any

from fastapi import Depends, Request
from pyoxigraph import NamedNode
from starlette.responses import JSONResponse

from kg.backend import Backend
from kg.days import parse_day
from kg.errors import UsageError


def _backend(request: Request) -> Backend:
    backend: Backend = request.app.state.backend
    return backend


def _today(request: Request) -> date:
    today: Callable[[], date] = request.app.state.today
    return today()


GivenBackend = Annotated[Backend, Depends(_backend)]
Today = Annotated[date, Depends(_today)]


def check_parameters(request: Request) -> None:
    """Refuse a parameter that the route does not take, or that it takes once and is given twice.

    Raises:
        UsageError: there is one; left alone, the answer would be to another question.
    """
    taken = {field.alias: field for field in request.scope["route"].dependant.query_params}
    given = Counter(name for name, _ in request.query_params.multi_items())
    for name, count in given.items():
        if name not in taken:
            raise UsageError(f"{name!r} is not taken here: {', '.join(taken) or 'nothing is'}.")
        if count > 1 and not _is_list(taken[name].field_info.annotation):
            raise UsageError(f"{name!r} is given {count} times.")


def _is_list(annotation: object) -> bool:
    return getattr(annotation, "__origin__", None) is list


def day_of(text: str) -> date:
    """Return the day in a parameter ``as_of``.

    Raises:
        UsageError: it is none.
    """
    try:
        return parse_day(text)
    except ValueError as error:
        raise UsageError(f"as_of {text!r} is not a date such as 2026-11-30.") from error


def answer(backend: Backend, content: Mapping[str, Any]) -> JSONResponse:
    """Return a JSON answer that names its snapshot."""
    return JSONResponse({**content, "snapshot": backend.snapshot})


def thing(iri: NamedNode | None, label: str) -> dict[str, str] | None:
    """Write a thing of the graph: its IRI, with what people call it."""
    return {"iri": iri.value, "label": label} if iri else None
