"""/api/v1/architectures: what is compatible with a class, as leads with their chains."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from pyoxigraph import NamedNode
from starlette.responses import JSONResponse

from api.dependencies import GivenBackend, answer, check_parameters, thing
from api.derived import may_work_json
from api.documentation import responses
from kg.backend import Backend
from kg.compatible.engine import compatible
from kg.compatible.leads import Compatible, Lead, Link, Listed, OnPlatform, Via, Witness
from kg.terms import shorten

router = APIRouter(tags=["Questions"], dependencies=[Depends(check_parameters)])


@router.get(
    "/api/v1/architectures/{name}/compatible",
    summary="What is compatible with an architecture class",
    responses=responses(
        "Leads, each with its chain",
        "compatible-via-family",
        "compatible-via-family-nothing",
        "compatible-via-architecture",
        "compatible-via-lineage",
        "compatible-via-lineage-nothing",
        "unknown-via",
        "compatible-on-product",
        "unknown-architecture",
    ),
)
def get_compatible(
    backend: GivenBackend,
    name: Annotated[
        str,
        Path(
            description="The class, exactly as printed",
            examples=["MllamaForConditionalGeneration"],
        ),
    ],
    *,
    via: Annotated[
        Via,
        Query(
            description="`architecture`: families and checkpoints of the same class. `family`: "
            "other classes of the same modality in its families, or in families of the same "
            "publisher's line. `lineage`: ancestors and descendants of its checkpoints, as stated",
            examples=["family"],
        ),
    ],
    on: Annotated[
        str | None,
        Query(
            description="A platform: each row then says what is listed there, and what may work",
            examples=["cloud-ai-100"],
        ),
    ] = None,
) -> JSONResponse:
    """Give leads: computed when asked, never stored, and no statement of support.

    Every row shows the chain that leads to it, step by step, with the checkpoints that carry a
    step and the statements of their class. Each end of a step says its `kind`: architecture,
    family, line (of one publisher) or checkpoint. A row is `contested` if one of these checkpoints
    is printed under another class too. Quantised and adapter checkpoints are no targets: those that
    a lineage leads to stand under `not_inheriting`. Where there are no rows, the first of the
    `notes` says why.

    With `on`, a row says apart from each other what is asserted there (`listed` with evidence,
    `other_outcomes` without), and what is derived for the target's class (`may_work`, which has no
    level and no evidence). The paths are those of every checkpoint of the target class; via
    architecture those of the row's family, via lineage those of the row's checkpoint.
    """
    found = compatible(backend, name, via=via, on=on)

    rows = [_row(backend, lead, found) for lead in found.leads]
    return answer(
        backend,
        {
            "architecture": _named(found.architecture, found),
            "via": found.via.value,
            "on": found.platform and thing(found.platform.iri, found.platform.id),
            "total": len(rows),
            "rows": rows,
            "not_inheriting": [_row(backend, lead, found) for lead in found.not_inheriting],
            "notes": list(found.notes),
        },
    )


def _named(iri: NamedNode | None, found: Compatible) -> dict[str, str] | None:
    return thing(iri, found.labels.get(iri) or shorten(iri)) if iri else None


def _end(iri: NamedNode, found: Compatible) -> dict[str, str]:
    return {"kind": found.kind(iri), **(_named(iri, found) or {})}


def _row(backend: Backend, lead: Lead, found: Compatible) -> dict[str, Any]:
    return {
        "lead": True,
        "architecture": _named(lead.architecture, found),
        "family": _named(lead.family, found),
        "checkpoint": _named(lead.checkpoint, found),
        "modality": lead.modality and shorten(lead.modality).removeprefix("ra:"),
        "contested": lead.contested,
        "chain": [_link(backend, link, found) for link in lead.chain],
        **({"on": _on(lead.on)} if lead.on else {}),
    }


def _link(backend: Backend, link: Link, found: Compatible) -> dict[str, Any]:
    return {
        "step": link.step,
        "from": _end(link.start, found),
        "to": _end(link.end, found),
        "through": [_witness(backend, witness) for witness in link.through],
        "places": [str(place) for place in link.places],
    }


def _witness(backend: Backend, witness: Witness) -> dict[str, Any]:
    return {
        "checkpoint": thing(witness.checkpoint, shorten(witness.checkpoint)),
        "also_printed": list(witness.also_printed),
        "statements": [
            {
                "iri": statement.value,
                "places": [str(place) for place in backend.places(statement)],
            }
            for statement in witness.statements
        ],
    }


def _on(on: OnPlatform) -> dict[str, Any]:
    return {
        "listed": [_listed(path) for path in on.listed],
        "other_outcomes": [_listed(path) for path in on.other_outcomes],
        "may_work": [may_work_json(derived) for derived in on.may_work],
    }


def _listed(path: Listed) -> dict[str, Any]:
    return {
        "path": path.path.value,
        "checkpoint": shorten(path.checkpoint),
        "source": shorten(path.source),
        "outcome": shorten(path.outcome).removeprefix("ra:"),
        "level": path.level and shorten(path.level).removeprefix("ra:"),
        "stack": path.stack,
        "tested_variants": list(path.tested_variants),
        "places": [str(place) for place in path.places],
    }
