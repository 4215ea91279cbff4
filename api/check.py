"""/api/v1/check: whether a model runs on hardware, on whose word."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import JSONResponse

from api.dependencies import GivenBackend, Today, answer, check_parameters, day_of
from api.documentation import responses
from kg.check.engine import Request, check
from kg.check.report import as_json
from kg.errors import UsageError

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
        ),
    ] = None,
    architecture: Annotated[
        str | None,
        Query(
            description="The class in the model's configuration, where no source states it",
            examples=["LlamaForCausalLM"],
        ),
    ] = None,
    quantised: Annotated[
        bool,
        Query(
            description="The configuration has a `quantization_config`: nothing is lent to it",
            examples=[False],
        ),
    ] = False,
    stack: Annotated[
        str | None,
        Query(description="A component, with a release if one matters", examples=["vllm==0.9.1"]),
    ] = None,
    precision: Annotated[
        str | None,
        Query(
            description="A precision, with a role if one matters: weights, compute or kv-cache",
            examples=["fp8:weights"],
        ),
    ] = None,
    feature: Annotated[
        list[str],
        Query(
            default_factory=list,
            description="A feature that is needed; may be repeated",
            examples=[["speculative-decoding"]],
        ),
    ],
    count: Annotated[
        int | None, Query(description="How many devices, from 1", ge=1, examples=[8])
    ] = None,
    as_of: Annotated[
        str | None,
        Query(
            description="The day to answer for: later statements do not count; without it, today",
            examples=["2026-11-30"],
        ),
    ] = None,
    strict: Annotated[
        bool,
        Query(description="Do not assume a class from a model's family", examples=[False]),
    ] = False,
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
