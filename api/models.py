"""/api/v1/models: the checkpoints, and what is stated of each."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import JSONResponse

from api.dependencies import GivenBackend, answer, check_parameters, thing
from api.derived import may_work_json
from api.documentation import responses
from kg.check import facts
from kg.check.classes import ClassFacts
from kg.models import Model, Statement, describe_model, list_models
from kg.terms import shorten

router = APIRouter(tags=["Models"], dependencies=[Depends(check_parameters)])


@router.get(
    "/api/v1/models",
    summary="List models",
    responses=responses("A page of the checkpoints, by id", "models", "unknown-source"),
)
def get_models(
    backend: GivenBackend,
    *,
    q: Annotated[
        str, Query(description="A text that the repository id contains", examples=["llama-3.3"])
    ] = "",
    source: Annotated[
        str | None,
        Query(description="A source that names the checkpoint", examples=["cloud-ai-100"]),
    ] = None,
    limit: Annotated[
        int, Query(description="How many to list at most", ge=1, le=1000, examples=[2])
    ] = 100,
    offset: Annotated[
        int, Query(description="How many to leave out first", ge=0, le=10**9, examples=[0])
    ] = 0,
) -> JSONResponse:
    """List every checkpoint that the filters leave, with each source that names it.

    `total` counts them all, whatever the page; `next_offset` is null on the last page. Families and
    classes are as each source prints them. `paths` counts asserted paths, whatever their outcome.
    """
    page = list_models(backend, containing=q, source=source, limit=limit, offset=offset)
    behind = offset + len(page.models)
    return answer(
        backend,
        {
            "total": page.total,
            "limit": limit,
            "offset": offset,
            "next_offset": behind if page.models and behind < page.total else None,
            "models": [_listed(model) for model in page.models],
        },
    )


def _listed(model: Model) -> dict[str, Any]:
    return {
        "id": model.id,
        "iri": model.iri.value,
        "paths": model.paths,
        "sources": [
            {
                "source": said.source,
                "families": list(said.families),
                "classes": list(said.classes),
                "paths": said.paths,
            }
            for said in model.sources
        ],
    }


@router.get(
    "/api/v1/models/{org}/{name}",
    summary="What is stated of a model",
    responses=responses("What is stated, and, apart, what is derived", "model", "unknown-model"),
)
def get_model(
    backend: GivenBackend,
    org: Annotated[
        str, Path(description="The organisation in the repository id", examples=["meta-llama"])
    ],
    name: Annotated[
        str,
        Path(description="The name in the repository id", examples=["Llama-3.3-70B-Instruct"]),
    ],
) -> JSONResponse:
    """Give every statement and every asserted path of a checkpoint, each with its places.

    `derived` holds no statement about the checkpoint: it gives what is derived for the
    checkpoint's class, without level and without evidence, and on whose word it is of that class.
    """
    described = describe_model(backend, f"{org}/{name}")
    return answer(
        backend,
        {
            "id": described.id,
            "iri": described.iri.value,
            "statements": [_statement(statement) for statement in described.statements],
            "lineage": [
                {"predicate": predicate, "parent": thing(parent, shorten(parent))}
                for predicate, parent in described.lineage
            ],
            "paths": [_path(path) for path in described.paths],
            "derived": _derived(described.classes),
        },
    )


def _statement(statement: Statement) -> dict[str, Any]:
    return {
        "iri": statement.iri.value,
        "source": statement.source,
        "release": statement.release,
        "overlay": statement.overlay,
        "places": [str(place) for place in statement.places],
        "said": {name: list(values) for name, values in statement.said.items()},
    }


def _path(path: facts.Path) -> dict[str, Any]:
    return {
        "iri": path.iri.value,
        "source": shorten(path.source),
        "release": path.release,
        "overlay": path.overlay,
        "places": [str(place) for place in path.places],
        "outcome": _token(shorten(path.outcome)),
        "level": _token(shorten(path.level)) if path.level else None,
        "platform": shorten(path.platform),
        "generations": sorted(map(shorten, path.generations)),
        "products": sorted(map(shorten, path.products)),
        "stack": path.stack,
        "compile_mode": path.compile_mode,
        "tested_variants": list(path.tested_variants),
    }


def _derived(classes: ClassFacts) -> dict[str, Any]:
    """Write what is derived; a quantised or adapter checkpoint is lent nothing."""
    lent = () if classes.variant_of else classes.inferences
    membership = classes.membership
    return {
        "for_class": membership
        and {
            "name": membership.name,
            "basis": membership.basis.value,
            "contested_by": list(membership.contested),
        },
        "may_work": [may_work_json(inference) for inference in lent],
        "not_inherited_because": classes.variant_of,
    }


def _token(curie: str) -> str:
    return curie.removeprefix("ra:")
