"""Write what is derived for a class as JSON values; it has no level and no evidence."""

from typing import Any

from kg.inferences import Inference
from kg.terms import shorten


def may_work_json(inference: Inference) -> dict[str, Any]:
    """Return a derivation, with the number of its premises and the licence that it rests on."""
    return {
        "iri": inference.iri.value,
        "platform": shorten(inference.platform),
        "components": sorted(map(shorten, inference.components)),
        "compile_mode": inference.compile_mode,
        "premises": len(inference.premises),
        "licence": inference.licence.value,
        "licence_text": inference.grant,
        "rule": inference.rule.value,
    }
