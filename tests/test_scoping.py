"""Scoping rules that no constraint can state: what is not there, and what is answered."""

from datetime import date
from typing import Final

import pytest
from pyoxigraph import Literal, NamedNode

from kg.backend import StoreBackend
from kg.build import Built
from kg.check.engine import Request, check
from kg.check.verdict import Verdict
from kg.iris import mint_checkpoint
from kg.vocab import RA

TODAY: Final = date(2026, 11, 30)


def _verdict(backend: StoreBackend, request: Request) -> Verdict:
    (judged,) = check(backend, request, as_of=TODAY).targets
    return judged.verdict


def test_absence_is_never_called_unsupported(built: Built, backend: StoreBackend) -> None:
    """R39: neither document states a failure, and what they leave out is no evidence."""
    store = built.graph.store
    outcomes = {quad.object for quad in store.quads_for_pattern(None, RA.outcome, None, None)}
    assert outcomes == {RA.Supported}
    left_out = Request(model="meta-llama/Llama-3.1-405B-Instruct", targets=("h100",))
    assert _verdict(backend, left_out) is Verdict.NO_EVIDENCE


def test_the_model_of_a_quick_start_is_not_the_listed_one(built: Built) -> None:
    """R48: Llama-3.1-8B-Instruct has the recipe, and Llama-3.1-8B the row, of the page."""
    store = built.graph.store
    levels = {
        name: {
            level.object
            for path in store.quads_for_pattern(None, RA.checkpoint, mint_checkpoint(name), None)
            for level in store.quads_for_pattern(path.subject, RA.level, None, None)
        }
        for name in ("meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B")
    }
    assert levels == {
        "meta-llama/Llama-3.1-8B-Instruct": {RA.DocumentedRecipe},
        "meta-llama/Llama-3.1-8B": {RA.VendorReported},
    }


@pytest.mark.parametrize(
    ("request_", "verdict"),
    [
        (Request(model="openai/gpt-oss-120b", targets=("blackwell",), count=8), "supported"),
        (
            Request(model="openai/gpt-oss-120b", targets=("blackwell",), count=2),
            "other-configuration",
        ),
        (
            Request(model="openai/gpt-oss-120b", targets=("blackwell",), precision="fp8"),
            "other-configuration",
        ),
        (
            Request(model="deepseek-ai/DeepSeek-R1-0528", targets=("blackwell",), count=8),
            "not-itemised",
        ),
    ],
    ids=["as documented", "other count", "other precision", "count that no recipe gives"],
)
def test_a_recipe_for_one_count_or_precision_is_none_for_another(
    request_: Request, verdict: str, backend: StoreBackend
) -> None:
    """R60: devices and precisions of a recipe are its own."""
    assert _verdict(backend, request_).value == verdict


def test_a_vendors_report_is_no_second_source(built: Built) -> None:
    """R14: no level that a vendor alone attests admits upstream or an independent party."""
    store = built.graph.store
    parties = {
        quad.object for quad in store.quads_for_pattern(RA.VendorReported, RA.admitsAttester, None)
    }
    assert parties == {RA.VendorParty}


def test_flags_stand_on_deployments_alone(built: Built) -> None:
    """R49: the page's two commands and their flags, and no number among the model's facts."""
    store = built.graph.store
    holders = {quad.subject for quad in store.quads_for_pattern(None, RA.flag, None, None)}
    assert len(holders) == 2
    for holder in holders:
        assert isinstance(holder, NamedNode)
        assert list(store.quads_for_pattern(None, RA.deployment, holder, None))
    texts = [quad.object for quad in store.quads_for_pattern(None, RA.flag, None, None)]
    assert all(isinstance(text, Literal) for text in texts)
