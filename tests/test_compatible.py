"""Compatible classes: the chains of the two documents, then contested labels and lineage."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Store

from kg.backend import StoreBackend
from kg.compatible.engine import compatible
from kg.compatible.leads import Lead, Via
from kg.compatible.notes import IS_LEAD, NO_FAMILY, NO_LINEAGE, NO_MODALITY
from kg.errors import UnknownNameError, UsageError
from kg.iris import mint_checkpoint, mint_iri
from kg.queries import query_text
from kg.snapshot import Snapshot
from kg.terms import shorten
from kg.vocab import DCTERMS, RA, RDF, SKOS, expand

TEXT: Final = "ra:Text"
IMAGES: Final = "ra:TextAndVision"
# From each class: the other class, and the families that the chain goes over. (The lines of the
# page are in data/curated/family_hierarchy.csv.) A class that is not here leads nowhere.
VIA_FAMILY: Final = {
    "Llama4ForConditionalGeneration": [
        (IMAGES, "MllamaForConditionalGeneration", "Llama-4-Scout", "Llama 3.2 Vision")
    ],
    "MistralForCausalLM": [
        (TEXT, "MixtralForCausalLM", "Mistral", "Codestral"),
        (TEXT, "MixtralForCausalLM", "Mistral", "Mixtral"),
    ],
    "MixtralForCausalLM": [
        (TEXT, "MistralForCausalLM", "Codestral", "Mistral"),
        (TEXT, "MistralForCausalLM", "Mixtral", "Mistral"),
    ],
    "MllamaForConditionalGeneration": [
        (IMAGES, "Llama4ForConditionalGeneration", "Llama 3.2 Vision", "Llama-4-Scout")
    ],
    "Qwen2_5_VLForConditionalGeneration": [
        (IMAGES, "Qwen3VLForConditionalGeneration", "Qwen2.5-VL", "Qwen3-VL"),
        (IMAGES, "Qwen3VLMoeForConditionalGeneration", "Qwen2.5-VL", "Qwen3-VL MoE"),
    ],
    "Qwen3MoeForCausalLM": [(TEXT, "QwenForCausalLM", "Qwen3 MoE", "Qwen2 / Qwen2.5")],
    "Qwen3VLForConditionalGeneration": [
        (IMAGES, "Qwen2_5_VLForConditionalGeneration", "Qwen3-VL", "Qwen2.5-VL"),
        (IMAGES, "Qwen3VLMoeForConditionalGeneration", "Qwen3-VL", "Qwen3-VL MoE"),
    ],
    "Qwen3VLMoeForConditionalGeneration": [
        (IMAGES, "Qwen2_5_VLForConditionalGeneration", "Qwen3-VL MoE", "Qwen2.5-VL"),
        (IMAGES, "Qwen3VLForConditionalGeneration", "Qwen3-VL MoE", "Qwen3-VL"),
    ],
    "QwenForCausalLM": [(TEXT, "Qwen3MoeForCausalLM", "Qwen2 / Qwen2.5", "Qwen3 MoE")],
}
# Families that two sources name: the checkpoint is one, its class is the page's.
LLAMA_FAMILIES: Final = {
    "cloud-ai-100/CodeLlama": 3,
    "cloud-ai-100/DeepSeek-R1-Distill-Llama": 1,
    "cloud-ai-100/InceptionAI (JAIS)": 3,
    "cloud-ai-100/Llama 2": 3,
    "cloud-ai-100/Llama 3": 2,
    "cloud-ai-100/Llama 3.1": 2,
    "cloud-ai-100/Llama 3.2": 2,
    "cloud-ai-100/Llama 3.3": 1,
    "cloud-ai-100/Vicuna": 3,
    "model-support/Llama 3.3": 1,
}
FINE_TUNED_FROM: Final = expand("fair4ml:fineTunedFrom")

Triple = tuple[NamedNode, NamedNode, NamedNode | Literal]


def _changed(
    snapshot: Snapshot, *, adding: Iterable[Triple], removing: Iterable[Triple] = ()
) -> StoreBackend:
    """Return what answers from a snapshot with more triples asserted, and fewer."""
    store = Store()
    store.extend(snapshot.store)
    for triple in removing:
        store.remove(Quad(*triple))
    store.extend(Quad(*triple) for triple in adding)
    return StoreBackend(replace(snapshot, store=store))


def _classes(backend: StoreBackend) -> list[str]:
    return [shorten(row["class"]) for row in backend.select(query_text("class_names"), {})]


def _label(iri: NamedNode | None) -> str:
    return shorten(iri).rpartition("cloud-ai-100/")[2]


def _said(lead: Lead) -> tuple[str, str, str, str]:
    start, end = lead.chain[0], lead.chain[-1]
    assert end.end == lead.architecture
    assert end.start == lead.family
    return (shorten(lead.modality), shorten(end.end), _label(start.end), _label(end.start))


def test_via_family_from_every_class(backend: StoreBackend) -> None:
    classes = _classes(backend)
    assert len(classes) == 28
    found = {
        name: [_said(lead) for lead in compatible(backend, name, via=Via.FAMILY).leads]
        for name in classes
    }
    assert {name: leads for name, leads in found.items() if leads} == VIA_FAMILY


def test_a_chain_via_family_shows_each_step(backend: StoreBackend) -> None:
    (lead,) = compatible(backend, "MllamaForConditionalGeneration", via=Via.FAMILY).leads
    assert [(link.step, _label(link.start), _label(link.end)) for link in lead.chain] == [
        ("class-to-family", "MllamaForConditionalGeneration", "Llama 3.2 Vision"),
        ("family-to-broader", "Llama 3.2 Vision", "line/llama"),
        ("family-to-narrower", "line/llama", "Llama-4-Scout"),
        ("family-to-class", "Llama-4-Scout", "Llama4ForConditionalGeneration"),
    ]
    assert [[shorten(w.checkpoint) for w in link.through] for link in lead.chain] == [
        [
            "meta-llama/Llama-3.2-11B-Vision-Instruct",
            "meta-llama/Llama-3.2-90B-Vision-Instruct",
        ],
        [],
        [],
        ["meta-llama/Llama-4-Scout-17B-16E-Instruct"],
    ]
    assert [len(link.places) for link in lead.chain] == [0, 1, 1, 0]
    assert not lead.contested
    assert lead.on is None


def test_via_architecture(backend: StoreBackend) -> None:
    found = compatible(backend, "LlamaForCausalLM", via=Via.ARCHITECTURE)
    families = {
        shorten(lead.family): len(link.through) for lead in found.leads for link in lead.chain
    }
    assert families == LLAMA_FAMILIES
    assert list(families) == sorted(families)


def test_via_lineage_where_none_is_stated(backend: StoreBackend) -> None:
    found = compatible(backend, "FalconForCausalLM", via=Via.LINEAGE, on="cloud-ai-100")
    assert found.leads == found.not_inheriting == ()
    assert found.notes[:2] == (NO_LINEAGE, IS_LEAD)


def test_via_the_lineage_that_a_curated_row_states(backend: StoreBackend) -> None:
    found = compatible(backend, "LlamaForCausalLM", via=Via.LINEAGE)
    child, parent = "DeepSeek-R1-Distill-Llama-70B", "Llama-3.3-70B-Instruct"
    steps = [
        [
            (shorten(link.end).rpartition("/")[2], [place.path for place in link.places])
            for link in lead.chain
        ]
        for lead in found.leads
    ]
    row = ["curated/lineage.csv"]
    assert steps == [
        [(parent, []), (child, row), ("LlamaForCausalLM", [])],
        [(child, []), (parent, row), ("LlamaForCausalLM", [])],
    ]


def test_on_a_platform_listed_and_derived_are_apart(backend: StoreBackend) -> None:
    (there,) = compatible(
        backend, "MllamaForConditionalGeneration", via=Via.FAMILY, on="cloud-ai-100"
    ).leads
    assert there.on
    assert [(shorten(p.checkpoint), p.level) for p in there.on.listed] == [
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", RA.VendorReported)
    ]
    assert [len(derived.premises) for derived in there.on.may_work] == [1]
    assert there.on.other_outcomes == ()
    (elsewhere,) = compatible(
        backend, "MllamaForConditionalGeneration", via=Via.FAMILY, on="nvidia-gpu"
    ).leads
    assert elsewhere.on
    assert [(shorten(p.source), p.level) for p in elsewhere.on.listed] == [
        ("model-support", RA.DocumentedRecipe)
    ]
    assert elsewhere.on.may_work == ()


def test_a_listed_path_counts_for_its_own_family_via_architecture(backend: StoreBackend) -> None:
    found = compatible(backend, "LlamaForCausalLM", via=Via.ARCHITECTURE, on="aws-trainium")
    listed = {
        shorten(lead.family): [shorten(path.checkpoint) for path in lead.on.listed]
        for lead in found.leads
        if lead.on and lead.on.listed
    }
    llama = ["meta-llama/Llama-3.3-70B-Instruct"]
    assert listed == {"cloud-ai-100/Llama 3.3": llama, "model-support/Llama 3.3": llama}


def test_another_outcome_is_never_listed(snapshot: Snapshot) -> None:
    path = mint_iri(
        "path", "cloud-ai-100", "snapshot-1", "listed", "mistralai", "Mixtral-8x7B-v0.1"
    )
    backend = _changed(
        snapshot,
        adding=[(path, RA.outcome, RA.Failing)],
        removing=[(path, RA.outcome, RA.Supported)],
    )
    leads = compatible(backend, "MistralForCausalLM", via=Via.FAMILY, on="cloud-ai-100").leads
    assert leads
    for lead in leads:
        assert lead.on
        assert [p.path for p in lead.on.other_outcomes] == [path]
        assert path not in [p.path for p in lead.on.listed]


@pytest.mark.parametrize("name", ["LLamaForCausalLM", "", "Dense decoder-only transformer"])
def test_an_unknown_class(backend: StoreBackend, name: str) -> None:
    with pytest.raises(UnknownNameError) as raised:
        compatible(backend, name, via=Via.FAMILY)
    assert raised.value.kind == "architecture"


def test_an_unknown_platform(backend: StoreBackend) -> None:
    with pytest.raises(UnknownNameError) as raised:
        compatible(backend, "LlamaForCausalLM", via=Via.FAMILY, on="nvidia-gpus")
    assert raised.value.kind == "platform"
    assert raised.value.near == ("nvidia-gpu",)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("h100", "h100 is a product; on takes its platform, nvidia-gpu."),
        ("Trn2", "trainium2 is a product; on takes its platform, aws-trainium."),
        ("hopper", "hopper is a generation; on takes its platform, nvidia-gpu."),
    ],
)
def test_a_product_or_generation_leads_to_its_platform(
    backend: StoreBackend, name: str, said: str
) -> None:
    with pytest.raises(UsageError) as raised:
        compatible(backend, "LlamaForCausalLM", via=Via.FAMILY, on=name)
    assert str(raised.value) == said


def test_the_ends_of_a_chain_say_what_they_are(backend: StoreBackend) -> None:
    """The page's family Mistral stands in the line Mistral."""
    found = compatible(backend, "MistralForCausalLM", via=Via.FAMILY)
    ends = [[link.start for link in lead.chain] for lead in found.leads]
    assert [[found.kind(end) for end in chain] for chain in ends] == [
        ["architecture", "family", "line", "family"]
    ] * 2
    family, line = ends[0][1:3]
    assert found.labels[family] == found.labels[line] == "Mistral"


def test_no_rows_via_family_name_what_was_looked_through(backend: StoreBackend) -> None:
    start = (
        "No other class of the same modality stands in the families of this class, or in their "
        "publishers' lines. "
    )
    page = "cloud-ai-100"
    llama = ", ".join(f"{page}/Llama {n}" for n in ("2", "3", "3.1", "3.2", "3.3"))
    alone = ("CodeLlama", "DeepSeek-R1-Distill-Llama", "InceptionAI (JAIS)", "Vicuna")
    others = ", ".join([*(f"{page}/{name}" for name in alone), "model-support/Llama 3.3"])
    expected = {
        "LlamaForCausalLM": f"{start}In the line Llama: {llama}. In no line: {others}.",
        "GPT2LMHeadModel": f"{start}In no line: {page}/GPT-2.",
    }
    for name, note in expected.items():
        found = compatible(backend, name, via=Via.FAMILY)
        assert found.leads == ()
        assert found.notes[:2] == (note, IS_LEAD)


@pytest.mark.parametrize(("missing", "note"), [(RA.family, NO_FAMILY), (RA.modality, NO_MODALITY)])
def test_no_rows_where_nothing_is_stated(snapshot: Snapshot, missing: NamedNode, note: str) -> None:
    gpt2 = mint_checkpoint("openai-community/gpt2")
    stated = [quad.triple for quad in snapshot.store.quads_for_pattern(gpt2, missing, None)]
    assert stated
    backend = _changed(snapshot, adding=[], removing=stated)  # type: ignore[arg-type]
    found = compatible(backend, "GPT2LMHeadModel", via=Via.FAMILY)
    assert (found.leads, found.notes[0]) == ((), note)


@pytest.mark.parametrize("name", sorted(VIA_FAMILY))
def test_rows_need_no_reason(backend: StoreBackend, name: str) -> None:
    assert compatible(backend, name, via=Via.FAMILY).notes[0] == IS_LEAD


def _prints(checkpoint: str, name: str) -> list[tuple[NamedNode, NamedNode, NamedNode | Literal]]:
    """Let another source print a class for a checkpoint."""
    architecture = mint_iri("architecture", name)
    statement = mint_iri("statement", "other", "1", checkpoint, name)
    release = mint_iri("source", "other", "1")
    return [
        (architecture, RDF.type, RA.Architecture),
        (architecture, SKOS.notation, Literal(name)),
        (statement, RDF.type, RA.ModelStatement),
        (statement, DCTERMS.isPartOf, release),
        (release, RA.ofSource, mint_iri("source", "other")),
        (statement, RA.ofCheckpoint, mint_checkpoint(checkpoint)),
        (statement, RA.printedArchitecture, Literal(name)),
    ]


@pytest.mark.parametrize(
    "contested",
    ["meta-llama/Llama-3.2-11B-Vision-Instruct", "meta-llama/Llama-4-Scout-17B-16E-Instruct"],
)
def test_a_contested_label_at_either_end_is_shown(snapshot: Snapshot, contested: str) -> None:
    backend = _changed(snapshot, adding=_prints(contested, "OtherForConditionalGeneration"))
    leads = compatible(backend, "MllamaForConditionalGeneration", via=Via.FAMILY).leads
    lead = next(
        lead for lead in leads if shorten(lead.architecture) == "Llama4ForConditionalGeneration"
    )
    assert lead.contested
    witnesses = {
        shorten(witness.checkpoint): witness.also_printed
        for link in lead.chain
        for witness in link.through
    }
    assert {name for name, also in witnesses.items() if also} == {contested}
    assert witnesses[contested] == ("OtherForConditionalGeneration",)


def test_a_contested_label_leads_from_its_own_family_too(snapshot: Snapshot) -> None:
    backend = _changed(snapshot, adding=_prints("mistralai/Mixtral-8x7B-v0.1", "OtherForCausalLM"))
    leads = compatible(backend, "OtherForCausalLM", via=Via.FAMILY).leads
    assert [_said(lead) for lead in leads] == [
        (TEXT, "MistralForCausalLM", "Mixtral", "Mistral"),
        (TEXT, "MixtralForCausalLM", "Mixtral", "Codestral"),
        (TEXT, "MixtralForCausalLM", "Mixtral", "Mixtral"),
    ]
    assert all(lead.contested for lead in leads)


def test_a_line_is_not_climbed_beyond_nor_left_through_a_family_without_one(
    snapshot: Snapshot,
) -> None:
    everything = mint_iri("family", "line", "everything")
    backend = _changed(
        snapshot,
        adding=[
            (everything, RDF.type, RA.Family),
            (everything, SKOS.prefLabel, Literal("Everything")),
            *(
                (mint_iri("family", *keys), SKOS.broader, everything)
                for keys in (
                    ("line", "mistral"),
                    ("line", "qwen"),
                    ("cloud-ai-100", "GPT-2"),
                    ("cloud-ai-100", "GPT-J"),
                )
            ),
        ],
    )
    for name in ("MistralForCausalLM", "GPT2LMHeadModel"):
        leads = compatible(backend, name, via=Via.FAMILY).leads
        assert [_said(lead) for lead in leads] == VIA_FAMILY.get(name, [])


def test_a_hierarchy_that_goes_in_a_circle_ends(snapshot: Snapshot) -> None:
    line, family = mint_iri("family", "line", "llama"), mint_iri("family", "line", "inner")
    backend = _changed(
        snapshot,
        adding=[
            (family, SKOS.broader, line),
            (line, SKOS.broader, family),
            (family, RDF.type, RA.Family),
            (family, SKOS.prefLabel, Literal("Inner")),
        ],
    )
    leads = compatible(backend, "MllamaForConditionalGeneration", via=Via.FAMILY).leads
    assert [_said(lead) for lead in leads] == VIA_FAMILY["MllamaForConditionalGeneration"]


def test_lineage_leads_to_ancestors_and_descendants(snapshot: Snapshot) -> None:
    gpt2 = mint_checkpoint("openai-community/gpt2")
    tuned, tuned_again, quantised, of_quantised, adapter = (
        mint_checkpoint(f"other/{name}")
        for name in ("tuned", "again", "int8", "int8-tuned", "lora")
    )
    backend = _changed(
        snapshot,
        adding=[
            (tuned, FINE_TUNED_FROM, gpt2),
            (tuned_again, RA.mergedFrom, tuned),
            (quantised, RA.quantizedFrom, gpt2),
            (of_quantised, FINE_TUNED_FROM, quantised),
            (adapter, RA.adapterOf, tuned),
            *_prints("other/again", "OtherForCausalLM"),
        ],
    )
    found = compatible(backend, "GPT2LMHeadModel", via=Via.LINEAGE, on="cloud-ai-100")
    assert [(shorten(lead.checkpoint), shorten(lead.architecture)) for lead in found.leads] == [
        ("other/tuned", ""),
        ("other/again", "OtherForCausalLM"),
    ]
    assert [link.step for link in found.leads[1].chain] == [
        "class-to-checkpoint",
        "inverse of fair4ml:fineTunedFrom",
        "inverse of ra:mergedFrom",
        "checkpoint-to-class",
    ]
    assert all(lead.on and not lead.on.may_work for lead in found.leads)
    assert [shorten(lead.checkpoint) for lead in found.not_inheriting] == [
        "other/int8",
        "other/lora",
    ]
    assert NO_LINEAGE not in found.notes

    back = compatible(backend, "OtherForCausalLM", via=Via.LINEAGE, on="cloud-ai-100").leads
    assert [(shorten(lead.checkpoint), shorten(lead.architecture)) for lead in back] == [
        ("other/tuned", ""),
        ("openai-community/gpt2", "GPT2LMHeadModel"),
    ]
    assert back[1].on
    assert [shorten(path.checkpoint) for path in back[1].on.listed] == ["openai-community/gpt2"]
    assert len(back[1].on.may_work) == 1


def test_lineage_that_goes_in_a_circle_ends(snapshot: Snapshot) -> None:
    gpt2, other = mint_checkpoint("openai-community/gpt2"), mint_checkpoint("other/model")
    backend = _changed(
        snapshot, adding=[(gpt2, FINE_TUNED_FROM, other), (other, FINE_TUNED_FROM, gpt2)]
    )
    found = compatible(backend, "GPT2LMHeadModel", via=Via.LINEAGE)
    assert {shorten(lead.checkpoint) for lead in found.leads} == {"other/model"}
