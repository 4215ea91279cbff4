"""What check says: on the two documents, and on hand-made statements for each verdict."""

import json
import tomllib
from dataclasses import fields, replace
from datetime import date
from pathlib import Path as FilePath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import NamedNode

from kg.backend import StoreBackend
from kg.check.classes import ClassFacts
from kg.check.engine import Checked, Request, check, read_model_config
from kg.check.facts import Bound, Cell, Citation, Deployment, Path, Run
from kg.check.question import AskedPrecision, AskedStack, Configuration
from kg.check.relations import Relations
from kg.check.report import as_json
from kg.check.text import as_text
from kg.check.verdict import Verdict, judge
from kg.check.versions import release_fits
from kg.errors import RunatlasError, UnknownNameError, UsageError
from kg.iris import mint_checkpoint, mint_iri
from kg.names import Named
from kg.vocab import RA

CASES: list[dict[str, Any]] = tomllib.loads(
    (FilePath(__file__).parent / "cases" / "check" / "verdicts.toml").read_text(encoding="utf-8")
)["case"]
TODAY = date(2026, 11, 30)


def _check(backend: StoreBackend, case: dict[str, Any]) -> Checked:
    options = {
        key: case[key] for key in ("architecture", "stack", "precision", "count") if key in case
    }
    request = Request(
        model=case["model"],
        targets=(case["on"],),
        features=tuple(case.get("features", ())),
        strict=case.get("strict", False),
        **options,
    )
    as_of = date.fromisoformat(case["as_of"]) if "as_of" in case else TODAY
    return check(backend, request, as_of=as_of)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['model']} on {c['on']}: {c['why']}")
def test_verdict(case: dict[str, Any], backend: StoreBackend) -> None:
    answer = _check(backend, case)
    text = json.dumps(as_json(answer), ensure_ascii=False)
    assert [judged.verdict.value for judged in answer.targets] == [case["verdict"]]
    assert [wanted for wanted in case.get("shows", []) if wanted not in text] == []
    assert [unwanted for unwanted in case.get("lacks", []) if unwanted in text] == []


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['model']} on {c['on']}: {c['why']}")
def test_text_fits_80_columns_and_names_verdict(
    case: dict[str, Any], backend: StoreBackend
) -> None:
    lines = as_text(_check(backend, case)).splitlines()
    assert [line for line in lines if len(line) > 80 and "://" not in line] == []
    assert any(line.split()[1:2] == [case["verdict"]] for line in lines)


def test_derived_is_never_among_the_statements(backend: StoreBackend) -> None:
    answer = _check(backend, CASES[1])
    judged = as_json(answer)["targets"][0]
    assert judged["statements"] == judged["related_statements"] == []
    assert judged["derivation"]["derived"] is True
    assert "level" not in judged["derivation"] and "evidence" not in judged["derivation"]
    assert len(judged["derivation"]["class"]["witnesses"]) == 2
    assert len(judged["derivation"]["premises"]) == 20


def test_without_targets_every_platform_is_judged(backend: StoreBackend) -> None:
    answer = check(backend, Request(model="google/gemma-2b"), as_of=TODAY)
    assert [(judged.target.id, judged.verdict.value) for judged in answer.targets] == [
        ("amd-gpu", "no-evidence"),
        ("aws-trainium", "no-evidence"),
        ("cloud-ai-100", "supported"),
        ("google-tpu", "no-evidence"),
        ("nvidia-gpu", "no-evidence"),
    ]


@pytest.mark.parametrize(
    ("request_", "error", "says"),
    [
        (Request(model="a/b", targets=("mi355",)), UnknownNameError, "mi355x"),
        (Request(model="a/b", stack="vlm"), UnknownNameError, "vllm"),
        (Request(model="a/b", stack="vllm=="), UsageError, "lacks a release"),
        (Request(model="a/b", precision="fp9"), UnknownNameError, "fp8"),
        (Request(model="a/b", precision="fp8:cache"), UsageError, "kv-cache"),
        (Request(model="a/b", precision="fp8:"), UsageError, "kv-cache"),
        (Request(model="a/b", precision=""), UnknownNameError, "no precision ''"),
        (Request(model="a/b", stack=""), UnknownNameError, "no component ''"),
        (Request(model="a/b", targets=("",)), UnknownNameError, "no target ''"),
        (Request(model="../b"), UnknownNameError, "repository id"),
        (Request(model="./."), UnknownNameError, "repository id"),
        (Request(model="a/b", features=("caching",)), UnknownNameError, "prefix-caching"),
        (Request(model="a/b", count=0), UsageError, "from 1"),
        (Request(model="a/b", architecture="x y"), UsageError, "not a class"),
        (Request(model="gemma-2b"), UnknownNameError, "google/gemma-2b"),
        (Request(model="a/b", targets=("gaudi3",)), UnknownNameError, "ask hardware"),
        (Request(model="a/b", stack="vllm=0.9"), UsageError, "NAME==RELEASE"),
    ],
)
def test_bad_requests_are_refused(
    request_: Request, error: type[RunatlasError], says: str, backend: StoreBackend
) -> None:
    with pytest.raises(error, match=says):
        check(backend, request_, as_of=TODAY)


@given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_any_text_is_answered_or_refused(model: str, target: str, precision: str) -> None:
    request = Request(model=model, targets=(target,), precision=precision)
    with pytest.raises(RunatlasError):
        check(_BACKEND[0], request, as_of=TODAY)


_BACKEND: list[StoreBackend] = []


@pytest.fixture(autouse=True, scope="module")
def _keep_backend(backend: StoreBackend) -> None:
    _BACKEND[:] = [backend]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"architectures": ["LlamaForCausalLM"]}', ("LlamaForCausalLM", False)),
        (
            '{"architectures": ["LlamaForCausalLM"], "quantization_config": {}}',
            ("LlamaForCausalLM", True),
        ),
        ('{"architectures": ["A"], "text_config": {"quantization": {}}}', ("A", True)),
        ('{"architectures": ["A"], "compression_config": {}}', ("A", True)),
        ('{"architectures": ["A"], "torch_dtype": "float8_e4m3fn"}', ("A", True)),
        ('{"architectures": ["A"], "torch_dtype": "bfloat16"}', ("A", False)),
        ('{"architectures": ["A"], "peft_type": "LORA"}', ("A", True)),
        ('{"architectures": ["A"], "architectures": ["B"]}', None),
        ('{"architectures": []}', None),
        ('{"architectures": ["A", "B"]}', None),
        ('{"architectures": "A"}', None),
        ("[]", None),
        ("{", None),
        ("[" * 100_000, None),
        ("\x00", None),
    ],
)
def test_model_config(content: str, expected: tuple[str, bool] | None, tmp_path: FilePath) -> None:
    path = tmp_path / "config.json"
    path.write_text(content, encoding="utf-8")
    if expected:
        assert read_model_config(path) == expected
    else:
        with pytest.raises(UsageError, match=r"config\.json"):
            read_model_config(path)


@pytest.mark.parametrize(
    ("asked", "kind", "stated", "ordering", "expected"),
    [
        ("1.2.0", RA.release, "1.2.0", "pep440", True),
        ("1.2", RA.release, "1.2.0", "pep440", True),
        ("1.2.3", RA.release, "1.2.x", "pep440", True),
        ("1.3.0", RA.release, "1.2.x", "pep440", False),
        ("1.20.0", RA.release, "1.2.x", "pep440", False),
        ("0.9.1", RA.minRelease, "0.10.0", "pep440", False),
        ("0.10.0", RA.minRelease, "0.9.1", "pep440", True),
        ("0.10.0", RA.maxRelease, "0.9.1", "pep440", False),
        ("nightly", RA.release, "1.2.0", "pep440", None),
        ("1.2.0+fork", RA.release, "1.2.0", "pep440", None),
        ("nightly", RA.release, "nightly", "none", True),
        ("2", RA.release, "1", "none", None),
    ],
)
def test_release(
    asked: str, kind: NamedNode, stated: str, ordering: str, expected: bool | None
) -> None:
    assert release_fits(asked, kind, stated, ordering) is expected


# Hand-made statements: one platform with two chips of one generation, two components.
MODEL = mint_checkpoint("org/model")
PLATFORM, GENERATION = mint_iri("platform", "p"), mint_iri("generation", "g")
CHIP, OTHER_CHIP = mint_iri("product", "chip"), mint_iri("product", "other")
BOARD = mint_iri("product", "board")
ENGINE, OTHER_ENGINE = mint_iri("component", "engine"), mint_iri("component", "other")
FP8, BF16 = mint_iri("precision", "fp8"), mint_iri("precision", "bf16")
ABOVE = {
    CHIP: frozenset({GENERATION, PLATFORM}),
    OTHER_CHIP: frozenset({GENERATION, PLATFORM}),
    BOARD: frozenset({CHIP, GENERATION, PLATFORM}),
    GENERATION: frozenset({PLATFORM}),
}
RELATIONS = Relations(
    ABOVE,
    ABOVE,
    {CHIP: PLATFORM, OTHER_CHIP: PLATFORM, BOARD: PLATFORM, GENERATION: PLATFORM},
    {CHIP: GENERATION, OTHER_CHIP: GENERATION},
    {ENGINE: "pep440"},
    {CHIP: RA.Chip, OTHER_CHIP: RA.Chip, BOARD: RA.Board},
)
CITED = Citation(
    iri=mint_iri("evidence", "e"),
    type=RA.VendorDocs,
    url=None,
    publisher=None,
    issued=None,
    checked=date(2026, 11, 1),
    claim="",
    content_sha256=None,
)
STATED = Path(
    iri=mint_iri("path", "one"),
    checkpoint=MODEL,
    source=mint_iri("source", "s"),
    release="1",
    registered=None,
    overlay=None,
    outcome=RA.Supported,
    raw_status="yes",
    level=RA.VendorReported,
    maturity=RA.MaturityUnstated,
    basis=RA.BasisUnstated,
    platform=PLATFORM,
    generations=frozenset(),
    products=frozenset({CHIP}),
    named_products=frozenset(),
    components=frozenset({ENGINE}),
    bounds=(),
    stack="engine",
    compile_mode=None,
    precisions=frozenset({FP8}),
    printed_precisions=("FP8",),
    precision_unspecified=False,
    quantization=None,
    features=frozenset(),
    printed_modes=(),
    cells=(Cell(precision=FP8, role=RA.RoleUnstated, hardware=CHIP),),
    deployments=(),
    exclusions=(),
    tested_variants=(),
    drafts=(),
    model_name_only=False,
    hardware_scope=None,
    limitations=(),
    citations=(CITED,),
    places=(),
)
LATER = replace(CITED, checked=date(2026, 11, 20))
OTHER_SOURCE = mint_iri("source", "t")


def _also(**changes: Any) -> Path:
    return replace(STATED, **{"iri": mint_iri("path", "two"), **changes})


def _judge(target: NamedNode, *paths: Path, **asked: Any) -> Verdict:
    kind = {"product": RA.Product, "generation": RA.Generation, "platform": RA.Platform}
    named = Named(target, kind[target.value.split("/")[-2]], target.value.split("/")[-1], "")
    return judge(
        MODEL,
        named,
        Configuration(as_of=TODAY, **asked),
        paths=paths,
        classes=ClassFacts(
            membership=None, refused=None, inferences=(), variant_of=None, derived_classes={}
        ),
        requirements=(),
        relations=RELATIONS,
    ).verdict


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (RA.Supported, Verdict.SUPPORTED),
        (RA.Limited, Verdict.LIMITED),
        (RA.Failing, Verdict.FAILING),
        (RA.Unsupported, Verdict.UNSUPPORTED),
        (RA.NegativeUnspecified, Verdict.NEGATIVE_UNSPECIFIED),
        (RA.Untested, Verdict.UNTESTED),
        (RA.Planned, Verdict.PLANNED),
    ],
)
def test_each_outcome_is_its_own_verdict(outcome: NamedNode, verdict: Verdict) -> None:
    assert _judge(CHIP, replace(STATED, outcome=outcome)) is verdict
    assert _judge(PLATFORM, replace(STATED, outcome=outcome)) is verdict


def test_five_things_stay_different() -> None:
    assert _judge(CHIP) is Verdict.NO_EVIDENCE
    assert _judge(OTHER_CHIP, STATED) is Verdict.NO_EVIDENCE
    verdicts = {_judge(CHIP, replace(STATED, outcome=o)) for o in (RA.Untested, RA.Failing)}
    assert verdicts == {Verdict.UNTESTED, Verdict.FAILING}


@pytest.mark.parametrize(
    ("second", "target", "verdict"),
    [
        pytest.param(
            _also(outcome=RA.Failing, source=OTHER_SOURCE),
            CHIP,
            Verdict.CONFLICTING,
            id="two sources, one configuration",
        ),
        pytest.param(
            _also(outcome=RA.Failing, citations=(LATER,)),
            CHIP,
            Verdict.FAILING,
            id="the same source, simply newer",
        ),
        pytest.param(
            _also(outcome=RA.Failing),
            CHIP,
            Verdict.CONFLICTING,
            id="the same source on the same day",
        ),
        pytest.param(
            _also(outcome=RA.Failing, source=OTHER_SOURCE, citations=(LATER,)),
            CHIP,
            Verdict.CONFLICTING,
            id="another source is not simply newer",
        ),
        pytest.param(
            _also(outcome=RA.Failing, products=frozenset({OTHER_CHIP})),
            PLATFORM,
            Verdict.MIXED,
            id="another chip of the platform",
        ),
        pytest.param(
            _also(outcome=RA.Failing, components=frozenset({OTHER_ENGINE})),
            CHIP,
            Verdict.MIXED,
            id="another stack",
        ),
        pytest.param(
            _also(
                outcome=RA.Failing,
                bounds=(Bound(component=ENGINE, kind=RA.release, version="2"),),
            ),
            CHIP,
            Verdict.MIXED,
            id="another release",
        ),
        pytest.param(
            _also(outcome=RA.Failing, precisions=frozenset({BF16})),
            CHIP,
            Verdict.MIXED,
            id="another precision",
        ),
        pytest.param(_also(outcome=RA.Limited), CHIP, Verdict.MIXED, id="supported and limited"),
        pytest.param(_also(outcome=RA.Untested), CHIP, Verdict.SUPPORTED, id="untested elsewhere"),
    ],
)
def test_two_statements(second: Path, target: NamedNode, verdict: Verdict) -> None:
    assert _judge(target, STATED, second) is verdict
    assert _judge(target, second, STATED) is verdict


RUN = Run(ran=date(2026, 10, 1), revision="v1", environment=(), correctness=None, log_sha256="0")
ONE_CHIP = Deployment(
    iri=mint_iri("deployment", "d"),
    devices=1,
    nodes=1,
    unit=RA.Chip,
    parallelism=(),
    topology=None,
    command="run",
    flags=(),
    run=RUN,
)
PASSED = replace(STATED, level=RA.IndependentlyTested, deployments=(ONE_CHIP,))
LATE_RUN = replace(RUN, ran=date(2026, 10, 2))
DRAFTING = mint_iri("feature", "speculative-decoding")


def _failed(run: Run = RUN, *, source: NamedNode = STATED.source, **changes: Any) -> Path:
    """A failure of the same configuration, but for what changes of it."""
    names = {field.name for field in fields(Deployment)}
    deployment = {name: value for name, value in changes.items() if name in names}
    others = {name: value for name, value in changes.items() if name not in names}
    return replace(
        PASSED,
        iri=mint_iri("path", "two"),
        source=source,
        outcome=RA.Failing,
        level=None,
        deployments=(replace(ONE_CHIP, run=run, **deployment),),
        **others,
    )


@pytest.mark.parametrize(
    ("failed", "verdict"),
    [
        pytest.param(_failed(), Verdict.CONFLICTING, id="on the same day"),
        pytest.param(_failed(LATE_RUN), Verdict.FAILING, id="on a later day"),
        pytest.param(
            _failed(LATE_RUN, source=OTHER_SOURCE), Verdict.CONFLICTING, id="of another lab"
        ),
        pytest.param(
            _failed(replace(RUN, ran=date(2026, 9, 30)), citations=(LATER,)),
            Verdict.SUPPORTED,
            id="on an earlier day, looked at later",
        ),
        pytest.param(_failed(LATE_RUN, devices=8), Verdict.MIXED, id="on more chips"),
        pytest.param(_failed(LATE_RUN, unit=RA.Node), Verdict.MIXED, id="on a node"),
        pytest.param(_failed(LATE_RUN, nodes=2), Verdict.MIXED, id="on two nodes"),
        pytest.param(_failed(LATE_RUN, topology="4x4"), Verdict.MIXED, id="in a topology"),
        pytest.param(_failed(LATE_RUN, parallelism=("tensor=8",)), Verdict.MIXED, id="in parallel"),
        pytest.param(
            _failed(LATE_RUN, features=frozenset({DRAFTING})), Verdict.MIXED, id="with a feature"
        ),
        pytest.param(_failed(LATE_RUN, drafts=("small",)), Verdict.MIXED, id="with a draft"),
        pytest.param(_failed(LATE_RUN, compile_mode="AOT"), Verdict.MIXED, id="compiled ahead"),
        pytest.param(
            _failed(LATE_RUN, cells=(Cell(precision=FP8, role=RA.KVCache, hardware=CHIP),)),
            Verdict.MIXED,
            id="of another role",
        ),
        pytest.param(
            _failed(replace(LATE_RUN, revision="v2")), Verdict.MIXED, id="of another revision"
        ),
    ],
)
def test_two_runs(failed: Path, verdict: Verdict) -> None:
    assert _judge(CHIP, PASSED, failed) is verdict
    assert _judge(CHIP, failed, PASSED) is verdict


def test_what_a_source_leaves_open_may_be_what_a_run_contradicts() -> None:
    listed = replace(STATED, source=OTHER_SOURCE)
    assert _judge(CHIP, listed, _failed(features=frozenset({DRAFTING}))) is Verdict.CONFLICTING
    counted = replace(listed, deployments=(replace(ONE_CHIP, devices=8, run=None),))
    assert _judge(CHIP, counted, _failed()) is Verdict.MIXED


def test_a_newer_statement_replaces_none_that_says_more() -> None:
    older = replace(STATED, products=frozenset({CHIP, OTHER_CHIP}))
    newer = _also(outcome=RA.Failing, citations=(LATER,))
    assert _judge(PLATFORM, older, newer) is Verdict.CONFLICTING


WIDE = replace(STATED, products=frozenset(), generations=frozenset({GENERATION}))
PAIRLESS = replace(
    STATED,
    products=frozenset({CHIP, OTHER_CHIP}),
    precisions=frozenset({FP8, BF16}),
    printed_precisions=("FP8", "BF16"),
    cells=(),
)
ON_INSTANCE = replace(PASSED, deployments=(replace(ONE_CHIP, unit=RA.Instance),))
ON_BOARDS = replace(
    PASSED,
    products=frozenset({BOARD}),
    deployments=(replace(ONE_CHIP, devices=4, unit=RA.Board),),
)
FP8_ASKED = AskedPrecision(Named(FP8, RA.Precision, "fp8", "FP8"), None)
ENGINE_ASKED = AskedStack(Named(ENGINE, RA.Component, "engine", "engine"), "1.0")


@pytest.mark.parametrize(
    ("path", "target", "asked", "verdict"),
    [
        (WIDE, CHIP, {}, Verdict.WIDER_SCOPE),
        (WIDE, GENERATION, {}, Verdict.SUPPORTED),
        (replace(WIDE, named_products=frozenset({CHIP})), CHIP, {}, Verdict.NAMED_NOT_MAPPED),
        (replace(WIDE, named_products=frozenset({CHIP})), OTHER_CHIP, {}, Verdict.NO_EVIDENCE),
        (replace(STATED, tested_variants=("model-FP8",)), CHIP, {}, Verdict.OTHER_VARIANT),
        (PAIRLESS, CHIP, {"precision": FP8_ASKED}, Verdict.NOT_ITEMISED),
        (PAIRLESS, PLATFORM, {"precision": FP8_ASKED}, Verdict.SUPPORTED),
        (PAIRLESS, CHIP, {}, Verdict.SUPPORTED),
        (STATED, CHIP, {"precision": FP8_ASKED}, Verdict.SUPPORTED),
        (
            replace(STATED, precisions=frozenset({BF16}), printed_precisions=("BF16",), cells=()),
            CHIP,
            {"precision": FP8_ASKED},
            Verdict.OTHER_CONFIGURATION,
        ),
        (
            replace(STATED, precisions=frozenset(), printed_precisions=(), cells=()),
            CHIP,
            {"precision": FP8_ASKED},
            Verdict.NOT_ITEMISED,
        ),
        (STATED, CHIP, {"stack": ENGINE_ASKED}, Verdict.NOT_ITEMISED),
        (
            replace(STATED, components=frozenset({OTHER_ENGINE})),
            CHIP,
            {"stack": ENGINE_ASKED},
            Verdict.OTHER_CONFIGURATION,
        ),
        (STATED, CHIP, {"count": 8}, Verdict.NOT_ITEMISED),
        (PASSED, CHIP, {"count": 1}, Verdict.SUPPORTED),
        (PASSED, GENERATION, {"count": 1}, Verdict.SUPPORTED),
        (PASSED, CHIP, {"count": 8}, Verdict.OTHER_CONFIGURATION),
        (ON_INSTANCE, CHIP, {"count": 1}, Verdict.NOT_ITEMISED),
        (ON_INSTANCE, PLATFORM, {"count": 1}, Verdict.NOT_ITEMISED),
        (ON_BOARDS, CHIP, {"count": 4}, Verdict.NOT_ITEMISED),
        (ON_BOARDS, BOARD, {"count": 4}, Verdict.SUPPORTED),
        (ON_BOARDS, PLATFORM, {"count": 4}, Verdict.SUPPORTED),
        (replace(ON_BOARDS, products=frozenset({CHIP})), BOARD, {"count": 4}, Verdict.NO_EVIDENCE),
        (replace(WIDE, deployments=(ONE_CHIP,)), GENERATION, {"count": 1}, Verdict.SUPPORTED),
        (
            replace(WIDE, deployments=ON_INSTANCE.deployments),
            GENERATION,
            {"count": 1},
            Verdict.NOT_ITEMISED,
        ),
    ],
)
def test_configuration(
    path: Path, target: NamedNode, asked: dict[str, Any], verdict: Verdict
) -> None:
    assert _judge(target, path, **asked) is verdict


@given(st.permutations([STATED, WIDE, PAIRLESS, _also(outcome=RA.Failing, source=OTHER_SOURCE)]))
def test_the_order_of_statements_does_not_matter(paths: list[Path]) -> None:
    assert _judge(CHIP, *paths) is Verdict.CONFLICTING


def test_a_configuration_file_is_read_within_bounds(tmp_path: FilePath) -> None:
    large = tmp_path / "config.json"
    large.write_bytes(b" " * (2 << 20))
    for path in (large, FilePath("/dev/zero"), tmp_path):
        with pytest.raises(UsageError, match=r"larger than|not a regular file"):
            read_model_config(path)


# fmt: off
VARIANTS = (
    "FP8KV", "fp8dynamic", "4bit", "MLX-8bit", "EXL2", "4.0bpw", "Q4_K_M", "IQ4_XS", "int4awq",
    "AWQ4", "bnb4", "quantized", "hqq", "AutoRound", "aqlm", "eetq", "smoothquant", "ggml",
    "GGUF", "PEFT", "LoRAs", "DoRA", "fp6", "int3", "uint4", "w4afp8", "w8a8", "nvfp4a16",
    "mxfp4", "adapter",
)
# fmt: on
# fmt: off
PLAIN = (
    "Instruct", "chat", "70b", "8x7B", "v0.1", "2507", "A3B", "Thinking", "exploration",
    "mini-4k", "bf16", "qna", "printer",
)
# fmt: on


@pytest.mark.parametrize("word", VARIANTS)
def test_a_quantised_or_adapter_upload_inherits_nothing(word: str, backend: StoreBackend) -> None:
    request = Request(
        model=f"me/Llama-tune-{word}", targets=("cloud-ai-100",), architecture="LlamaForCausalLM"
    )
    (judged,) = check(backend, request, as_of=TODAY).targets
    assert judged.verdict is Verdict.NO_EVIDENCE
    assert "quantised or adapter" in judged.hints[0]


@pytest.mark.parametrize("word", PLAIN)
def test_an_ordinary_name_inherits(word: str, backend: StoreBackend) -> None:
    request = Request(
        model=f"me/Llama-tune-{word}", targets=("cloud-ai-100",), architecture="LlamaForCausalLM"
    )
    (judged,) = check(backend, request, as_of=TODAY).targets
    assert judged.verdict is Verdict.MAY_WORK


def test_a_quantised_configuration_inherits_nothing_by_any_basis(backend: StoreBackend) -> None:
    request = Request(
        model="meta-llama/Llama-3.1-405B-Instruct", targets=("cloud-ai-100",), quantised=True
    )
    (judged,) = check(backend, request, as_of=TODAY).targets
    assert judged.verdict is Verdict.NO_EVIDENCE


def test_a_quantised_configuration_is_not_the_listed_checkpoint(backend: StoreBackend) -> None:
    request = Request(model="meta-llama/Llama-3.1-8B", targets=("cloud-ai-100",), quantised=True)
    answer = check(backend, request, as_of=TODAY)
    assert answer.targets[0].verdict is Verdict.OTHER_VARIANT
    assert "Statements are of the plain id" in as_text(answer)


# From the best answer to the least: a narrower question never gets a better one.
_RANK = (
    Verdict.SUPPORTED,
    Verdict.OTHER_VARIANT,
    Verdict.EXCLUDED,
    Verdict.NOT_ITEMISED,
    Verdict.OTHER_CONFIGURATION,
    Verdict.NAMED_NOT_MAPPED,
    Verdict.WIDER_SCOPE,
    Verdict.MAY_WORK,
    Verdict.NO_EVIDENCE,
)
_FEATURES = (
    "tensor-parallelism",
    "serving",
    "continuous-batching",
    "data-parallelism",
    "prefix-caching",
    "disaggregated-serving",
    "speculative-decoding",
    "expert-parallelism",
)


@settings(max_examples=150, deadline=None)
@given(
    case=st.sampled_from(
        [
            ("meta-llama/Llama-3.3-70B-Instruct", "aws-trainium"),
            ("meta-llama/Llama-3.3-70B-Instruct", "trainium3"),
            ("openai/gpt-oss-120b", "blackwell"),
            ("deepseek-ai/DeepSeek-R1-0528", "nvidia-gpu"),
            ("meta-llama/Llama-3.1-8B-Instruct", "cloud-ai-100"),
        ]
    ),
    stack=st.sampled_from([None, "vllm", "tensorrt-llm", "tensorrt-llm==1.2.0"]),
    precision=st.sampled_from([None, "bf16", "fp8", "nvfp4", "mxfp6"]),
    role=st.sampled_from([None, "weights", "kv-cache"]),
    features=st.lists(st.sampled_from(_FEATURES), max_size=7),
    count=st.sampled_from([None, 4, 8]),
    drop=st.integers(0, 4),
)
def test_asking_for_more_never_helps(
    case: tuple[str, str],
    stack: str | None,
    precision: str | None,
    role: str | None,
    features: list[str],
    count: int | None,
    drop: int,
) -> None:
    wanted = f"{precision}:{role}" if precision and role else precision
    narrow = Request(
        model=case[0],
        targets=(case[1],),
        stack=stack,
        precision=wanted,
        features=tuple(features),
        count=count,
    )
    changes: list[dict[str, Any]] = [
        {"stack": None},
        {"precision": precision},
        {"precision": None},
        {"features": tuple(features[1:])},
        {"count": None},
    ]
    if drop == 1 and role is None:
        return
    wide = replace(narrow, **changes[drop])
    answers = [check(_BACKEND[0], r, as_of=TODAY).targets[0].verdict for r in (wide, narrow)]
    if Verdict.EXCLUDED not in answers:
        assert _RANK.index(answers[0]) <= _RANK.index(answers[1]), (wide, narrow)
