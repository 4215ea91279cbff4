"""/api/v1/explain: what an answer rests on, down to the rows that sources print."""

from enum import StrEnum
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

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
from kg.check.engine import Request
from kg.errors import UsageError
from kg.explain.engine import explain_answer, explain_iri
from kg.explain.mermaid import as_mermaid
from kg.explain.report import as_json

MERMAID: Final = "text/vnd.mermaid"

router = APIRouter(tags=["Questions"], dependencies=[Depends(check_parameters)])


class Form(StrEnum):
    """How an explanation is written."""

    JSON = "json"
    MERMAID = "mermaid"


@router.get(
    "/api/v1/explain",
    summary="Explain an answer",
    responses=responses(
        "The tree of what the answer rests on",
        "explain-answer",
        "explain-stated",
        "explain-inference",
        "explain-mermaid",
        "explain-nothing",
        "explain-unknown",
    ),
)
def explain(
    backend: GivenBackend,
    today: Today,
    *,
    iri: Annotated[
        str | None,
        Query(
            description="The IRI of an inference, path, row or citation, whole or from its kind "
            "on; instead of `model` and `on`",
            examples=[
                "inference/same-architecture/cloud-ai-100/GPTJForCausalLM/cloud-ai-100/vLLM/AOT"
            ],
        ),
    ] = None,
    model: Annotated[
        str | None,
        Query(
            description="The repository id, exactly: `org/name`; with `on`",
            examples=["meta-llama/Llama-3.1-405B-Instruct"],
        ),
    ] = None,
    on: Annotated[
        str | None,
        Query(description="One platform, generation or product", examples=["cloud-ai-100"]),
    ] = None,
    architecture: GivenArchitecture = None,
    quantised: GivenQuantised = False,
    stack: GivenStack = None,
    precision: GivenPrecision = None,
    feature: GivenFeatures,
    count: GivenCount = None,
    as_of: GivenDay = None,
    strict: GivenStrict = False,
    format: Annotated[
        Form,
        Query(description="`json`, or `mermaid` for a flowchart", examples=["json"]),
    ] = Form.JSON,
) -> Response:
    """Give the tree under an answer: of `check`, by `model` and `on`, or of a thing, by `iri`.

    Each node has a `kind`: `answer` (worked out when asked), `derived`, `asserted` (by a source),
    `curated` (a row of ours, with its reason), `rule`, or `supplied` (by the asker). Each child
    has a `role` and a `bearing`: `needed`, `one of several` (the node above falls for certain only
    without all of that role), or `context`. `falls_without` lists what takes the answer away. A
    verdict without statement or derivation has no children: there is nothing to explain.
    """
    if iri is not None:
        narrowed = architecture or quantised or stack or precision or feature or count
        if model or on or narrowed or as_of or strict:
            raise UsageError("iri stands alone, or with format.")
        explanation = explain_iri(backend, iri)
    elif model is None or on is None:
        raise UsageError("Give iri, or model and on.")
    else:
        request = Request(
            model=model,
            targets=(on,),
            architecture=architecture,
            quantised=quantised,
            stack=stack,
            precision=precision,
            features=tuple(feature),
            count=count,
            strict=strict,
        )
        day = today if as_of is None else day_of(as_of)
        explanation = explain_answer(backend, request, as_of=day)
    if format is Form.MERMAID:
        return Response(as_mermaid(explanation), media_type=MERMAID)
    return answer(backend, as_json(explanation))
