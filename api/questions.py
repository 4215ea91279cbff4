"""/api/v1/ask: the stored questions."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from pyoxigraph import Literal, NamedNode
from starlette.responses import JSONResponse

from api.dependencies import GivenBackend, Today, answer, check_parameters, thing
from api.documentation import responses
from kg.ask import ask, find_question
from kg.backend import Term
from kg.errors import UsageError
from kg.queries import Question, questions
from kg.table import READ_AT
from kg.terms import shorten
from kg.vocab import XSD

router = APIRouter(tags=["Questions"])


@router.get(
    "/api/v1/ask",
    summary="List the stored questions",
    responses=responses("Every stored question, by name", "ask"),
    dependencies=[Depends(check_parameters)],
)
def list_questions(backend: GivenBackend) -> JSONResponse:
    """List every stored question with its parameters, their defaults, and its columns."""
    known = [_described(question) for question in questions().values()]
    return answer(backend, {"total": len(known), "questions": known})


def _described(question: Question) -> dict[str, Any]:
    return {
        "name": question.name,
        "title": question.title,
        "asks": question.asks,
        "parameters": [
            {
                "name": parameter.name,
                "kind": parameter.kind,
                "default": parameter.default,
                "meaning": parameter.meaning,
            }
            for parameter in question.parameters
        ],
        "columns": _columns(question),
    }


def _columns(question: Question) -> list[dict[str, str]]:
    return [{"name": name, "meaning": meaning} for name, meaning in question.columns]


# Each question has an operation of its own in the OpenAPI description: see api/openapi.py.
@router.get("/api/v1/ask/{name}", include_in_schema=False)
def ask_question(
    request: Request, backend: GivenBackend, today: Today, name: Annotated[str, Path()]
) -> JSONResponse:
    """Ask a stored question; the query's parameters are the question's."""
    question = find_question(name)
    values = dict(request.query_params)
    if len(values) < len(request.query_params.multi_items()):
        raise UsageError("Each parameter is given once.")
    asked = ask(backend, name, values, today=today)
    return answer(
        backend,
        {
            "question": name,
            "title": question.title,
            "asks": question.asks,
            "with": {
                parameter.name: values.get(parameter.name, parameter.default)
                for parameter in question.parameters
            },
            "columns": _columns(question),
            "total": len(asked.rows),
            "rows": [
                {
                    **{name: _value(row.get(name)) for name in asked.columns},
                    READ_AT: list(map(str, places)),
                }
                for row, places in zip(asked.rows, asked.places, strict=True)
            ],
        },
    )


def _value(term: Term | None) -> Any:
    """Write a cell: a thing with its IRI; a number, truth value or text as itself."""
    if isinstance(term, NamedNode):
        return thing(term, shorten(term))
    if isinstance(term, Literal) and term.datatype == XSD.integer:
        return int(term.value)
    if isinstance(term, Literal) and term.datatype == XSD.boolean:
        return term.value in ("true", "1")
    return None if term is None else shorten(term)
