"""/healthz, /readyz and /metrics: how the server does. None of them runs a query."""

from http import HTTPStatus

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from api.dependencies import GivenBackend, answer, check_parameters
from api.documentation import responses
from api.metrics import MEDIA_TYPE, Metrics
from api.problems import RETRY_AFTER, problem
from kg.answerer import Answerer

router = APIRouter(tags=["Service"], dependencies=[Depends(check_parameters)])


@router.get(
    "/healthz",
    summary="Whether the server answers",
    responses=responses("The server answers", "healthz"),
)
async def health(backend: GivenBackend) -> JSONResponse:
    """Answer `ok` and the name of the snapshot, without a query."""
    return answer(backend, {"status": "ok"})


@router.get(
    "/readyz",
    summary="Whether a query can be answered",
    responses=responses("A query can be answered", "readyz"),
)
async def readiness(request: Request, backend: GivenBackend) -> Response:
    """Answer `ready`, or 503 while the processes that answer queries start."""
    answerer: Answerer = request.app.state.answerer
    if answerer.is_ready:
        return answer(backend, {"status": "ready"})
    detail = "The processes that answer queries are being started."
    headers = {"Retry-After": RETRY_AFTER}
    return problem(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers=headers)


@router.get(
    "/metrics",
    summary="What the server counts",
    response_class=PlainTextResponse,
    responses=responses("The metrics", "metrics"),
)
async def write_metrics(request: Request) -> Response:
    """Answer in the text format of Prometheus; `docs/operations.md` tells of each metric."""
    metrics: Metrics = request.app.state.metrics
    return Response(metrics.write(), media_type=MEDIA_TYPE)
