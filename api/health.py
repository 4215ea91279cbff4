"""/healthz: whether the server answers, and from which snapshot."""

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse

from api.dependencies import GivenBackend, answer, check_parameters
from api.documentation import responses

router = APIRouter(tags=["Service"], dependencies=[Depends(check_parameters)])


@router.get(
    "/healthz",
    summary="Whether the server answers",
    responses=responses("The server answers", "healthz"),
)
async def health(backend: GivenBackend) -> JSONResponse:
    """Answer `ok` and the name of the snapshot, without a query."""
    return answer(backend, {"status": "ok"})
