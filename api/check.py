"""/api/v1/check: whether a model runs on hardware, on whose word."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query
from starlette.responses import JSONResponse

from api.dependencies import GivenBackend, Today, answer, check_parameters, day_of
from api.documentation import responses
from api.narrowing import (
    GivenArchitecture,
    GivenCount,
    GivenDay,
    GivenFeatures,
    GivenPrecision,
    GivenQuantised,
    GivenStack,
    GivenStrict,
)
from kg.check.engine import Request, check
from kg.check.report import as_json
from kg.errors import UsageError

_LIST: Final = r"^[^,]*[^,\s][^,]*(,[^,]*[^,\s][^,]*)*$"  # names separated by commas

router = APIRouter(tags=["Questions"], dependencies=[Depends(check_parameters)])


@router.get(
    "/api/v1/check",
    summary="Check a model on hardware",
    responses=responses(
        "One verdict for each target, with everything found",
        "check",
        "check-may-work",
        "unknown-target",
    ),
)
def check_model(
    backend: GivenBackend,
    today: Today,
    *,
    model: Annotated[
        str,
        Query(
            description="The repository id, exactly: `org/name`",
            examples=["meta-llama/Llama-3.1-405B-Instruct"],
        ),
    ],
    on: Annotated[
        str | None,
        Query(
            description="Products, generations or platforms, separated by commas; "
            "without it, every platform",
            examples=["mi355x,cloud-ai-100"],
            json_schema_extra={"pattern": _LIST},
        ),
    ] = None,
    architecture: GivenArchitecture = None,
    quantised: GivenQuantised = False,
    stack: GivenStack = None,
    precision: GivenPrecision = None,
    feature: GivenFeatures,
    count: GivenCount = None,
    as_of: GivenDay = None,
    strict: GivenStrict = False,
) -> JSONResponse:
    """Give a verdict for each target, with every statement found, its place and its citations.

    `statements` and `related_statements` are asserted by sources. `derivation` is not: it is what a
    source's licence lets be inferred for a class, and has no level and no evidence. A model that no
    source names is answered all the same, with `known: false` and ids that come near.
    """
    request = Request(
        model=model,
        targets=_targets(on),
        architecture=architecture,
        quantised=quantised,
        stack=stack,
        precision=precision,
        features=tuple(feature),
        count=count,
        strict=strict,
    )
    day = today if as_of is None else day_of(as_of)
    return answer(backend, as_json(check(backend, request, as_of=day)))


def _targets(text: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",")) if text is not None else ()
    if not all(names):
        raise UsageError(f"on {text!r} is not a list of names separated by commas.")
    return names
