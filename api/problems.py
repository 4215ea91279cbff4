"""Errors as RFC 9457 problem details: one table from error to status, one form for all."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from api.middleware import SNAPSHOT_HEADER
from kg.backend import Backend
from kg.errors import (
    AnswerCutError,
    NotAcceptableError,
    OverloadedError,
    QueryFailedError,
    QueryMemoryError,
    QueryRefusedError,
    QuerySyntaxError,
    QueryTimeoutError,
    ResultTooLargeError,
    RunatlasError,
    UnknownNameError,
    UsageError,
)

MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER: Final = "1"  # seconds; a queue of lookups is over by then

# A query that fails today asks for what the store cannot do, or for more than a query may take, so
# the client must change it. Only one that found too many before it may be sent again as it is.
STATUS_CODES: Final[Mapping[type[RunatlasError], int]] = {
    AnswerCutError: 504,  # before any of it was sent
    NotAcceptableError: 406,
    OverloadedError: 503,
    QueryFailedError: 400,
    QueryMemoryError: 507,
    QueryRefusedError: 403,
    QuerySyntaxError: 400,
    QueryTimeoutError: 504,
    ResultTooLargeError: 413,
    UnknownNameError: 400,
    UsageError: 400,
}
# Names that stand in a path, by what stands before them; there, unknown means not found.
_NAMED_IN_PATHS: Final = (
    ("architecture", "/api/v1/architectures/"),
    ("model", "/api/v1/models/"),
    ("question", "/api/v1/ask/"),
)


def problem(
    status: int, detail: str, *, headers: Mapping[str, str] | None = None, **members: object
) -> JSONResponse:
    """Return a problem; its title is the status's own, as its type is ``about:blank``."""
    content = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail, **members}
    return JSONResponse(content, status, headers, MEDIA_TYPE)


def add_handlers(app: FastAPI, backend: Backend) -> None:
    """Answer every error of an application with a problem."""
    for error in STATUS_CODES:
        app.add_exception_handler(error, _on_our_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)

    def on_bug(_request: Request, _error: Exception) -> JSONResponse:
        """Answer outside of all middleware, so the snapshot is named here."""
        headers = {SNAPSHOT_HEADER: backend.snapshot}
        return problem(
            500, "The server failed; nothing is wrong with the request.", headers=headers
        )

    app.add_exception_handler(Exception, on_bug)


def status_of(error: HTTPException | RunatlasError) -> tuple[int, str, Mapping[str, str]]:
    """Return an error's status, its words and its headers."""
    if isinstance(error, HTTPException):
        return error.status_code, str(error.detail), error.headers or {}
    headers = {"Retry-After": RETRY_AFTER} if isinstance(error, OverloadedError) else {}
    return STATUS_CODES[type(error)], str(error), headers


def _on_our_error(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, UnknownNameError):
        in_path = any(
            kind == error.kind and request.url.path.startswith(start)
            for kind, start in _NAMED_IN_PATHS
        )
        status = 404 if in_path else STATUS_CODES[UnknownNameError]
        return problem(status, str(error), did_you_mean=list(error.near))
    if not isinstance(error, RunatlasError):
        raise error
    status, detail, headers = status_of(error)
    return problem(status, detail, headers=headers)


def _on_http_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    headers = dict(error.headers or {})
    if error.status_code == 404 and error.detail == HTTPStatus.NOT_FOUND.phrase:
        return problem(404, f"There is nothing at {request.url.path}.", headers=headers)
    if error.status_code == 405:
        allowed = {method.strip() for method in headers.pop("Allow", "GET").split(",")}
        allow = ", ".join(sorted(allowed | ({"HEAD"} if "GET" in allowed else set())))
        detail = f"{request.method} is not allowed here: use {allow}."
        return problem(405, detail, headers={**headers, "Allow": allow})
    return problem(error.status_code, str(error.detail), headers=headers)


def _on_invalid_request(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    errors = [_invalid(found) for found in error.errors()]
    detail = "; ".join(f"{found['parameter']}: {found['problem']}" for found in errors)
    return problem(400, f"{detail}.", errors=errors)


def _invalid(found: Mapping[str, Any]) -> dict[str, str]:
    return {"parameter": ".".join(map(str, found["loc"][1:])), "problem": str(found["msg"])}
