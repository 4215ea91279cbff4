"""What is stated of one model says nothing of its siblings, in answers and in derived graphs."""

from datetime import date
from typing import Final

import pytest

from kg.backend import StoreBackend
from kg.build import Built
from kg.check.engine import Request, check
from kg.check.verdict import Verdict
from kg.compatible.engine import compatible
from kg.compatible.leads import Via
from kg.iris import mint_iri
from kg.terms import shorten
from kg.vocab import DERIVED_GRAPHS, RA, RDF

TODAY: Final = date(2026, 11, 30)
SCOUT: Final = "meta-llama/Llama-4-Scout-17B-16E-Instruct"
MAVERICK: Final = "meta-llama/Llama-4-Maverick-17B-128E-Instruct"
SCOUT_CLASS: Final = "Llama4ForConditionalGeneration"
TEXT, VISION = "LlamaForCausalLM", "MllamaForConditionalGeneration"


def _verdict(backend: StoreBackend, model: str, on: str, **options: str) -> Verdict:
    request = Request(model=model, targets=(on,), **options)  # type: ignore[arg-type]
    (judged,) = check(backend, request, as_of=TODAY).targets
    return judged.verdict


# Rule R21: one checkpoint and one release


@pytest.mark.parametrize("on", ["nvidia-gpu", "hopper", "blackwell", "h100", "b200"])
@pytest.mark.parametrize("architecture", [{}, {"architecture": SCOUT_CLASS}], ids=["name", "class"])
def test_a_path_of_scout_is_none_of_maverick(
    backend: StoreBackend, on: str, architecture: dict[str, str]
) -> None:
    assert _verdict(backend, SCOUT, on) in {Verdict.SUPPORTED, Verdict.WIDER_SCOPE}
    assert _verdict(backend, MAVERICK, on, **architecture) in {
        Verdict.EXCLUDED,
        Verdict.NO_EVIDENCE,
    }


@pytest.mark.parametrize(
    ("stack", "verdict"),
    [
        ("tensorrt-llm==1.2.0", Verdict.SUPPORTED),
        ("tensorrt-llm==1.2.1", Verdict.OTHER_CONFIGURATION),
        ("tensorrt-llm==1.3.0", Verdict.OTHER_CONFIGURATION),
    ],
)
def test_a_path_for_one_release_is_none_for_another(
    backend: StoreBackend, stack: str, verdict: Verdict
) -> None:
    assert _verdict(backend, SCOUT, "hopper", stack=stack) is verdict


def test_nothing_is_derived_from_a_path_of_a_source_that_refuses_it(built: Built) -> None:
    paths = {
        quad.subject
        for quad in built.graph.store.quads_for_pattern(None, RA.schemaVersion, None, None)
        for quad in built.graph.store.quads_for_pattern(None, None, quad.subject, None)
    }
    assert mint_iri("path", "model-support", "2026.11.09-2", "nvidia-trtllm-llama4-scout") in paths
    assert not paths & _derived_terms(built)


# Rule R28: compatibility is of an architecture


def test_no_derived_statement_has_a_family(built: Built) -> None:
    families = {
        quad.subject
        for quad in built.graph.store.quads_for_pattern(None, RDF.type, RA.Family, None)
    }
    assert len(families) > 40
    derived = _derived_terms(built)
    assert RA.CompatibilityInference in derived
    assert not (families | {RA.family, RA.forFamily, RA.printedFamily}) & derived


def test_families_of_like_names_share_no_class(backend: StoreBackend) -> None:
    families = {
        architecture: {
            shorten(lead.family)
            for lead in compatible(backend, architecture, via=Via.ARCHITECTURE).leads
        }
        for architecture in (TEXT, VISION)
    }
    assert "cloud-ai-100/Llama 3.2" in families[TEXT]
    assert families[VISION] == {"cloud-ai-100/Llama 3.2 Vision"}
    assert not families[TEXT] & families[VISION]


def test_a_class_reached_over_a_family_alone_is_a_lead_and_no_support(
    backend: StoreBackend,
) -> None:
    reached = compatible(backend, VISION, via=Via.FAMILY).leads
    assert [shorten(lead.architecture) for lead in reached] == [SCOUT_CLASS]
    listed, unlisted = "meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.2-1B-Instruct"
    assert _verdict(backend, listed, "cloud-ai-100") is Verdict.SUPPORTED
    assert _verdict(backend, unlisted, "cloud-ai-100") is Verdict.NO_EVIDENCE
    assert _verdict(backend, unlisted, "cloud-ai-100", architecture=TEXT) is Verdict.MAY_WORK


def _derived_terms(built: Built) -> set[object]:
    return {
        term
        for quad in built.graph.store
        if str(getattr(quad.graph_name, "value", "")).startswith(DERIVED_GRAPHS)
        for term in (quad.subject, quad.predicate, quad.object)
    }
