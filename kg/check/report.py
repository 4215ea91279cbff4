"""An answer as JSON: everything found, each statement with its place and citations."""

from datetime import date
from typing import Any

from pyoxigraph import NamedNode

from kg.check.classes import MayWork, Membership
from kg.check.engine import Checked
from kg.check.facts import Citation, Deployment, Exclusion, Path, Requirement, Run
from kg.check.question import Configuration
from kg.check.verdict import BindingExclusion, Finding, Judged
from kg.inferences import Inference
from kg.snapshot import Place
from kg.terms import shorten

STALE_AFTER_DAYS = 90  # rule R72b


def as_json(checked: Checked) -> dict[str, Any]:
    """Return an answer as JSON values; IRIs stand beside the short names that text shows."""
    return {
        "model": checked.model,
        "iri": checked.iri.value,
        "known": checked.known,
        "did_you_mean": list(checked.near),
        "asked": _asked(checked.asked),
        "snapshot": checked.snapshot,
        "targets": [_judged(judged, checked.asked.as_of) for judged in checked.targets],
    }


def _asked(asked: Configuration) -> dict[str, Any]:
    return {
        "as_of": asked.as_of.isoformat(),
        "stack": asked.stack and asked.stack.component.id,
        "release": asked.stack and asked.stack.version,
        "precision": asked.precision and asked.precision.precision.id,
        "role": asked.precision and asked.precision.role and shorten(asked.precision.role),
        "features": [feature.id for feature in asked.features],
        "count": asked.count,
        "strict": asked.strict,
        "architecture": asked.supplied_class,
        "variant": asked.variant,
    }


def _judged(judged: Judged, as_of: date) -> dict[str, Any]:
    return {
        "target": judged.target.id,
        "iri": judged.target.iri.value,
        "verdict": judged.verdict.value,
        "newest_statement": _day(judged.newest),
        "statements": [_finding(finding, as_of) for finding in judged.decisive],
        "related_statements": [_finding(finding, as_of) for finding in judged.others],
        "exclusions": [_binding(binding) for binding in judged.exclusions],
        "derivation": judged.derivation and _derivation(judged.derivation),
        "requirements": [_requirement(requirement) for requirement in judged.requirements],
        "hints": list(judged.hints),
        "statements_after_as_of": judged.left_out,
    }


def _finding(finding: Finding, as_of: date) -> dict[str, Any]:
    return {
        "reach": finding.reach.name.lower(),
        "fit": finding.fit.name.lower(),
        "reasons": list(finding.reasons),
        **_path(finding.path, as_of),
    }


def _path(path: Path, as_of: date) -> dict[str, Any]:
    return {
        "iri": path.iri.value,
        "source": shorten(path.source),
        "release": path.release,
        "overlay": path.overlay,
        "places": _places(path.places),
        "outcome": _token(path.outcome),
        "raw_status": path.raw_status,
        "level": path.level and _token(path.level),
        "maturity": _token(path.maturity),
        "basis": _token(path.basis),
        "platform": shorten(path.platform),
        "generations": _names(path.generations),
        "products": _names(path.products),
        "products_named_not_mapped": _names(path.named_products),
        "stack": path.stack,
        "components": _names(path.components),
        "releases": [
            {
                "component": shorten(bound.component),
                "bound": _token(bound.kind),
                "version": bound.version,
            }
            for bound in path.bounds
        ],
        "compile_mode": path.compile_mode,
        "printed_precisions": list(path.printed_precisions),
        "cells": [
            {
                "precision": shorten(cell.precision),
                "role": _token(cell.role),
                "hardware": shorten(cell.hardware),
            }
            for cell in path.cells
        ],
        "quantization": path.quantization,
        "printed_modes": list(path.printed_modes),
        "features": _names(path.features),
        "documented_with": [_deployment(deployment) for deployment in path.deployments],
        "tested_variants": list(path.tested_variants),
        "draft_models": list(path.drafts),
        "names_model_without_repository": path.model_name_only,
        "hardware_scope": path.hardware_scope,
        "limitations": list(path.limitations),
        "exclusions": [_exclusion(exclusion) for exclusion in path.exclusions],
        "evidence": [_citation(citation, as_of) for citation in path.citations],
    }


def _deployment(deployment: Deployment) -> dict[str, Any]:
    return {
        "devices": deployment.devices,
        "nodes": deployment.nodes,
        "unit": deployment.unit and _token(deployment.unit),
        "parallelism": list(deployment.parallelism),
        "topology": deployment.topology,
        "command": deployment.command,
        "flags": list(deployment.flags),
        "run": deployment.run and _run(deployment.run),
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "ran_at": _day(run.ran),
        "revision": run.revision,
        "environment": list(run.environment),
        "correctness": run.correctness
        and {
            "holds": run.correctness.holds,
            "method": run.correctness.method,
            "reference": run.correctness.reference,
            "result": run.correctness.result,
        },
        "log_sha256": run.log_sha256,
    }


def _citation(citation: Citation, as_of: date) -> dict[str, Any]:
    age = (as_of - citation.checked).days if citation.checked else None
    return {
        "iri": citation.iri.value,
        "type": _token(citation.type),
        "url": citation.url,
        "publisher": citation.publisher,
        "published": _day(citation.issued),
        "checked": _day(citation.checked),
        "age_days": age,
        "stale": age is not None and age > STALE_AFTER_DAYS,
        "claim": citation.claim,
        "content_sha256": citation.content_sha256,
    }


def _binding(binding: BindingExclusion) -> dict[str, Any]:
    path = binding.path
    said = {"statement": path.iri.value, "source": shorten(path.source), "overlay": path.overlay}
    return {**_exclusion(binding.exclusion), **said}


def _exclusion(exclusion: Exclusion) -> dict[str, Any]:
    return {
        "iri": exclusion.iri.value,
        "kind": _token(exclusion.kind),
        "text": exclusion.text,
        "products": _names(exclusion.products),
        "generations": _names(exclusion.generations),
        "components": _names(exclusion.components),
        "features": _names(exclusion.features),
        "precisions": _names(exclusion.precisions),
        "checkpoints": _names(exclusion.checkpoints),
        "labels": _names(exclusion.labels),
        "places": _places(exclusion.places),
    }


def _derivation(derivation: MayWork) -> dict[str, Any]:
    return {
        "derived": True,
        "class": _membership(derivation.membership),
        **_inference(derivation.inference),
    }


def _membership(membership: Membership) -> dict[str, Any]:
    return {
        "name": membership.name,
        "basis": membership.basis.value,
        "stated_by": list(membership.stated_by),
        "contested_by": list(membership.contested),
        "family": membership.family and shorten(membership.family),
        "aligned_family": membership.aligned and shorten(membership.aligned),
        "mapping": membership.mapping and membership.mapping.value,
        "mapping_places": _places(membership.mapping_places),
        "witnesses": [
            {"path": witness.path.value, "places": _places(witness.places)}
            for witness in membership.witnesses
        ],
    }


def _inference(inference: Inference) -> dict[str, Any]:
    return {
        "iri": inference.iri.value,
        "platform": shorten(inference.platform),
        "components": _names(inference.components),
        "compile_mode": inference.compile_mode,
        "rule": inference.rule.value,
        "premises": [premise.value for premise in inference.premises],
        "licence": inference.licence.value,
        "licence_text": inference.grant,
        "licence_places": _places(inference.licence_places),
    }


def _requirement(requirement: Requirement) -> dict[str, Any]:
    return {
        "setting": requirement.setting,
        "ambiguous": requirement.ambiguous,
        "only_if_of_the_family": requirement.of_class,
        "family": shorten(requirement.family),
        "component": shorten(requirement.component),
        "why": requirement.why,
        "read_in": requirement.read_in,
    }


def _places(places: tuple[Place, ...]) -> list[str]:
    return [str(place) for place in places]


def _names(things: frozenset[NamedNode]) -> list[str]:
    return sorted(shorten(thing) for thing in things)


def _token(term: NamedNode) -> str:
    return shorten(term).removeprefix("ra:")


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
