"""The application as a whole: the /api/v1 endpoints, problems, snapshots, HEAD."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import httpx2
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.server import listen, run
from kg.ask import ask
from kg.backend import Row, StoreBackend, Term
from kg.check.engine import Request, check
from kg.check.report import as_json
from kg.errors import UsageError
from kg.explain.engine import explain_answer
from kg.explain.report import as_json as explanation_json
from kg.queries import questions
from kg.workers.limits import DEFAULTS
from tests.api_examples import TODAY, client
from tests.http_server import serving

MODELS = "/api/v1/models"
CHECK = "/api/v1/check"
LLAMA = "meta-llama/Llama-3.3-70B-Instruct"
COMPATIBLE = "/api/v1/architectures/LlamaForCausalLM/compatible"
DERIVED_ONLY = {"premises", "licence", "licence_text", "rule"}
ASSERTED_ONLY = {"outcome", "level", "evidence", "raw_status"}


@pytest.fixture(scope="module")
def http(backend: StoreBackend) -> Iterator[TestClient]:
    with client(backend) as http:
        yield http


@dataclass(frozen=True)
class BrokenBackend:
    """Fails in a way that nobody foresaw."""

    snapshot: str = "broken-1"

    def select(self, query: str, bindings: dict[str, Term]) -> list[Row]:
        raise ZeroDivisionError(f"a secret of {query}")

    def answer(self, query: str, **options: object) -> None:
        raise ZeroDivisionError(f"a secret of {query}")


def _ok(response: httpx2.Response, backend: StoreBackend) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Runatlas-Snapshot"] == backend.snapshot
    body: dict[str, Any] = response.json()
    assert body["snapshot"] == backend.snapshot
    return body


def _problem(response: httpx2.Response, status: int, *said: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Runatlas-Snapshot"]
    problem: dict[str, Any] = response.json()
    assert problem["status"] == status
    for text in said:
        assert text in problem["detail"]
    return problem


def test_health(http: TestClient, backend: StoreBackend) -> None:
    assert _ok(http.get("/healthz"), backend)["status"] == "ok"


def test_landing_page(http: TestClient) -> None:
    response = http.get("/")
    assert response.headers["Content-Type"].startswith("text/html")
    links = [part.split('"')[0] for part in response.text.split('<a href="')[1:]]
    assert len(links) == 7
    for link in links:
        assert http.get(link).status_code == 200


def test_check_is_the_engine_s_answer(http: TestClient, backend: StoreBackend) -> None:
    parameters: dict[str, Any] = {
        "model": LLAMA,
        "on": "trainium2, cloud-ai-100",
        "stack": "vllm",
        "precision": "bf16",
        "feature": ["speculative-decoding", "continuous-batching"],
        "count": 1,
        "as_of": "2026-11-20",
        "strict": "true",
        "architecture": "LlamaForCausalLM",
    }
    request = Request(
        model=LLAMA,
        targets=("trainium2", "cloud-ai-100"),
        stack="vllm",
        precision="bf16",
        features=("speculative-decoding", "continuous-batching"),
        count=1,
        strict=True,
        architecture="LlamaForCausalLM",
    )
    expected = as_json(check(backend, request, as_of=TODAY.replace(day=20)))
    body = _ok(http.get(CHECK, params=parameters), backend)
    assert body == json.loads(json.dumps(expected))
    assert len(body["targets"]) == 2


def test_check_answers_for_today_and_every_platform(
    http: TestClient, backend: StoreBackend
) -> None:
    body = _ok(http.get(CHECK, params={"model": LLAMA}), backend)
    assert body["asked"]["as_of"] == TODAY.isoformat()
    assert len(body["targets"]) == 5


def test_check_lends_nothing_to_a_quantised_configuration(
    http: TestClient, backend: StoreBackend
) -> None:
    asked = {"model": "other/model", "on": "cloud-ai-100", "architecture": "LlamaForCausalLM"}
    verdicts = [
        _ok(http.get(CHECK, params={**asked, "quantised": quantised}), backend)["targets"][0]
        for quantised in ("false", "true")
    ]
    assert [verdict["verdict"] for verdict in verdicts] == ["may-work", "no-evidence"]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, "model"),
        ({"model": "llama"}, "org/name"),
        ({"model": LLAMA, "on": "mi335x"}, "mi355x"),
        ({"model": LLAMA, "stack": "vlm"}, "vllm"),
        ({"model": LLAMA, "stack": "vllm=="}, "release"),
        ({"model": LLAMA, "precision": "fp9"}, "fp8"),
        ({"model": LLAMA, "precision": "fp8:some"}, "weights"),
        ({"model": LLAMA, "feature": ["continuous-batching", "nothing"]}, "nothing"),
        ({"model": LLAMA, "count": "0"}, "count"),
        ({"model": LLAMA, "count": "many"}, "count"),
        ({"model": LLAMA, "as_of": "yesterday"}, "as_of"),
        ({"model": LLAMA, "as_of": "20261"}, "as_of"),
        ({"model": LLAMA, "strict": "perhaps"}, "strict"),
        ({"model": LLAMA, "architecture": "a b"}, "LlamaForCausalLM"),
        ({"modle": LLAMA, "model": LLAMA}, "'modle' is not taken here"),
        ({"model": [LLAMA, LLAMA]}, "'model' is given 2 times"),
    ],
)
def test_check_refuses(http: TestClient, parameters: dict[str, Any], said: str) -> None:
    _problem(http.get(CHECK, params=parameters), 400, said)


def test_a_validation_problem_names_each_parameter(http: TestClient) -> None:
    response = http.get(MODELS, params={"limit": "0", "offset": "-1"})
    errors = _problem(response, 400)["errors"]
    assert [error["parameter"] for error in errors] == ["limit", "offset"]


def test_near_misses_are_a_list(http: TestClient) -> None:
    response = http.get(CHECK, params={"model": LLAMA, "on": "mi335x"})
    assert "mi355x" in _problem(response, 400)["did_you_mean"]


ASSUMED: Final = "meta-llama/Llama-3.1-405B-Instruct"
EXPLAIN: Final = "/api/v1/explain"
INFERENCE: Final = "inference/same-architecture/cloud-ai-100/BertModel/cloud-ai-100/vLLM/AOT"


def test_explain_is_the_engine_s_answer(http: TestClient, backend: StoreBackend) -> None:
    parameters = {"model": ASSUMED, "on": "cloud-ai-100", "as_of": "2026-11-30"}
    expected = explain_answer(
        backend, Request(model=ASSUMED, targets=("cloud-ai-100",)), as_of=TODAY
    )
    body = _ok(http.get(EXPLAIN, params=parameters), backend)
    assert body == json.loads(json.dumps(explanation_json(expected)))
    assert body["verdict"] == "may-work"
    strict = _ok(http.get(EXPLAIN, params={**parameters, "strict": "true"}), backend)
    assert (strict["verdict"], strict["tree"]["children"]) == ("no-evidence", [])
    quantised = {**parameters, "quantised": "true", "architecture": "LlamaForCausalLM"}
    assert _ok(http.get(EXPLAIN, params=quantised), backend)["verdict"] == "no-evidence"


@pytest.mark.parametrize(
    ("more", "asked"),
    [
        ({"precision": "nvfp4"}, {"precision": "nvfp4"}),
        ({"stack": "vLLM"}, {"stack": "vLLM"}),
        ({"feature": ["serving", "cuda-graphs"]}, {"features": ("serving", "cuda-graphs")}),
        ({"count": "8"}, {"count": 8}),
    ],
)
def test_explain_takes_what_check_takes(
    more: dict[str, Any], asked: dict[str, Any], http: TestClient, backend: StoreBackend
) -> None:
    model = "meta-llama/Llama-4-Scout-17B-16E-Instruct"
    body = _ok(http.get(EXPLAIN, params={"model": model, "on": "h100", **more}), backend)
    request = Request(model=model, targets=("h100",), **asked)
    expected = explain_answer(backend, request, as_of=TODAY)
    assert body == json.loads(json.dumps(explanation_json(expected)))
    assert body["verdict"] == check(backend, request, as_of=TODAY).targets[0].verdict


def test_explain_follows_every_iri_in_a_tree(http: TestClient, backend: StoreBackend) -> None:
    def follow(node: dict[str, Any]) -> None:
        for child in node["children"]:
            tree = _ok(http.get(EXPLAIN, params={"iri": child["iri"]}), backend)["tree"]
            assert (tree["iri"], tree["kind"]) == (child["iri"], child["kind"])
            follow(child)

    follow(_ok(http.get(EXPLAIN, params={"iri": INFERENCE}), backend)["tree"])
    for on in ("aws-trainium", "tpu7x"):
        follow(_ok(http.get(EXPLAIN, params={"model": ASSUMED, "on": on}), backend)["tree"])


def test_explain_as_a_flowchart(http: TestClient) -> None:
    response = http.get(EXPLAIN, params={"iri": INFERENCE, "format": "mermaid"})
    assert response.headers["Content-Type"].startswith("text/vnd.mermaid")
    assert response.headers["Runatlas-Snapshot"]
    assert response.text.startswith("flowchart TD\n")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, "Give iri, or model and on"),
        ({"model": LLAMA}, "Give iri, or model and on"),
        ({"iri": INFERENCE, "model": LLAMA, "on": "h100"}, "stands alone"),
        ({"iri": INFERENCE, "strict": "true"}, "stands alone"),
        ({"iri": INFERENCE, "precision": "fp8"}, "stands alone"),
        ({"iri": "openai/gpt-oss-120b"}, "give a target, too"),
        ({"model": LLAMA, "on": "h100", "precision": "fp9"}, "fp9"),
        ({"iri": "inference/x"}, "There is no statement or inference"),
        ({"model": LLAMA, "on": "h100,mi355x"}, "h100,mi355x"),
        ({"model": LLAMA, "on": "h100", "as_of": "soon"}, "not a date"),
        ({"model": LLAMA, "on": "h100", "format": "svg"}, "format"),
        ({"model": LLAMA, "on": "h100", "depth": "1"}, "not taken here"),
    ],
)
def test_explain_refuses(http: TestClient, parameters: dict[str, str], said: str) -> None:
    _problem(http.get(EXPLAIN, params=parameters), 400, said)


def test_questions_are_listed(http: TestClient, backend: StoreBackend) -> None:
    body = _ok(http.get("/api/v1/ask"), backend)
    assert [question["name"] for question in body["questions"]] == list(questions())
    assert body["total"] == len(questions())


@pytest.mark.parametrize("name", list(questions()))
def test_question(http: TestClient, backend: StoreBackend, name: str) -> None:
    body = _ok(http.get(f"/api/v1/ask/{name}"), backend)
    asked = ask(backend, name, {}, today=TODAY)
    assert body["total"] == len(body["rows"]) == len(asked.rows)
    for row, expected, places in zip(body["rows"], asked.rows, asked.places, strict=True):
        assert list(row) == [*asked.columns, "read_at"]
        assert row.pop("read_at") == list(map(str, places))
        for column, value in row.items():
            term = expected.get(column)
            said = value["iri"] if isinstance(value, dict) else value
            stated = getattr(term, "value", None)
            assert str(said).lower() == str(stated).lower()


def test_a_question_with_values(http: TestClient, backend: StoreBackend) -> None:
    asked = {"checkpoint": "openai/gpt-oss-120b"}
    body = _ok(http.get("/api/v1/ask/paths_of_checkpoint", params=asked), backend)
    assert body["with"] == asked
    assert {row["platform"]["label"] for row in body["rows"]} == {"nvidia-gpu", "amd-gpu"}


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("coverages", 404, "coverage"),
        ("coverage?sauce=a", 400, "takes source"),
        ("coverage?source=a&source=b", 400, "once"),
        ("platforms_of_component?component=vlm", 400, "vllm"),
        ("paths_of_checkpoint?checkpoint=llama", 400, "no checkpoint 'llama'"),
    ],
)
def test_a_question_refuses(http: TestClient, address: str, status: int, said: str) -> None:
    _problem(http.get(f"/api/v1/ask/{address}"), status, said)


@pytest.mark.parametrize(
    ("address", "near"),
    [
        ("families_of_architecture?architecture=LLamaForCausalLM", "LlamaForCausalLM"),
        ("paths_of_checkpoint?checkpoint=openai/gpt-oss-120", "openai/gpt-oss-120b"),
        (
            "families_compatible_via_architecture?family=cloud-ai-100/Llama%203.11",
            "cloud-ai-100/Llama 3.1",
        ),
        ("coverage?source=model-suport", "model-support"),
        ("products_with_level?level=vendor-reported", "vendor_reported"),
        ("platforms_of_component?component=vlm", "vllm"),
        ("checkpoints_on_product?product=trainium33", "trainium3"),
    ],
)
def test_a_value_that_names_nothing_has_near_misses(
    http: TestClient, address: str, near: str
) -> None:
    problem = _problem(http.get(f"/api/v1/ask/{address}"), 400, "There is no")
    assert near in problem["did_you_mean"]


def test_models_are_listed_to_the_last(http: TestClient, backend: StoreBackend) -> None:
    offset: int | None = 0
    found: list[dict[str, Any]] = []
    while offset is not None:
        body = _ok(http.get(MODELS, params={"limit": 7, "offset": offset}), backend)
        found += body["models"]
        offset = body["next_offset"]
    assert len(found) == body["total"] == 78
    ids = [model["id"] for model in found]
    assert len(set(ids)) == 78
    assert ids == sorted(ids, key=str.casefold)
    assert sum(model["paths"] for model in found) == 72 + 2 + 12
    everything = _ok(http.get(MODELS), backend)
    assert everything["models"] == found
    assert everything["next_offset"] is None


def test_a_model_in_the_list_keeps_its_sources_apart(
    http: TestClient, backend: StoreBackend
) -> None:
    body = _ok(http.get(MODELS, params={"q": "LLAMA-3.3"}), backend)
    assert body["models"] == [
        {
            "id": LLAMA,
            "iri": "https://w3id.org/runatlas/id/checkpoint/" + LLAMA,
            "paths": 2,
            "sources": [
                {
                    "source": "cloud-ai-100",
                    "families": ["Llama 3.3"],
                    "classes": ["LlamaForCausalLM"],
                    "paths": 1,
                },
                {"source": "model-support", "families": ["Llama 3.3"], "classes": [], "paths": 1},
            ],
        }
    ]


def test_models_of_a_source(http: TestClient, backend: StoreBackend) -> None:
    totals = {
        source: _ok(http.get(MODELS, params={"source": source}), backend)["total"]
        for source in ("cloud-ai-100", "model-support")
    }
    assert totals == {"cloud-ai-100": 73, "model-support": 7}
    both = {"source": "model-support", "q": "scout"}
    assert _ok(http.get(MODELS, params=both), backend)["total"] == 1
    nothing = _ok(http.get(MODELS, params={"q": "no such text"}), backend)
    assert (nothing["total"], nothing["models"], nothing["next_offset"]) == (0, [], None)
    beyond = _ok(http.get(MODELS, params={"offset": 1000}), backend)
    assert (beyond["total"], beyond["models"], beyond["next_offset"]) == (78, [], None)


def test_a_model_is_what_is_stated_and_apart_what_is_derived(
    http: TestClient, backend: StoreBackend
) -> None:
    body = _ok(http.get(f"{MODELS}/{LLAMA}"), backend)
    assert [statement["source"] for statement in body["statements"]] == [
        "cloud-ai-100",
        "model-support",
    ]
    assert [(path["platform"], path["level"]) for path in body["paths"]] == [
        ("cloud-ai-100", "VendorReported"),
        ("aws-trainium", "DocumentedRecipe"),
    ]
    (may_work,) = body["derived"]["may_work"]
    assert may_work["premises"] == 20
    for path in body["paths"]:
        assert not DERIVED_ONLY & set(path)
        assert path["places"]
    assert not ASSERTED_ONLY & set(may_work)


def test_a_model_whose_class_is_assumed(http: TestClient, backend: StoreBackend) -> None:
    body = _ok(http.get(f"{MODELS}/meta-llama/Llama-3.1-405B-Instruct"), backend)
    assert body["derived"]["for_class"]["basis"] == "assumed from family"
    assert {path["platform"] for path in body["paths"]} == {
        "aws-trainium",
        "amd-gpu",
        "google-tpu",
    }
    assert [derived["platform"] for derived in body["derived"]["may_work"]] == ["cloud-ai-100"]


def test_a_model_without_a_class(http: TestClient, backend: StoreBackend) -> None:
    body = _ok(http.get(f"{MODELS}/openai/gpt-oss-120b"), backend)
    assert body["derived"] == {"for_class": None, "may_work": [], "not_inherited_because": None}


def test_an_unknown_model(http: TestClient) -> None:
    response = http.get(f"{MODELS}/meta-llama/Llama-3.3-70B-instruct")
    assert _problem(response, 404)["did_you_mean"][0] == LLAMA
    assert _problem(http.get(f"{MODELS}/a/b"), 404)["did_you_mean"] == []


@pytest.mark.parametrize("via", ["architecture", "family", "lineage"])
def test_leads_are_marked(http: TestClient, backend: StoreBackend, via: str) -> None:
    address = COMPATIBLE.replace("LlamaForCausalLM", "QwenForCausalLM")
    body = _ok(http.get(address, params={"via": via, "on": "cloud-ai-100"}), backend)
    assert body["total"] == len(body["rows"]) == {"architecture": 2, "family": 1, "lineage": 0}[via]
    for row in body["rows"]:
        assert row["lead"] is True
        assert row["chain"]
        assert all(path["level"] and path["outcome"] for path in row["on"]["listed"])
        for derived in row["on"]["may_work"]:
            assert set(derived) > DERIVED_ONLY
            assert not ASSERTED_ONLY & set(derived)
    assert any("no statement of support" in note for note in body["notes"])


def test_each_end_of_a_chain_says_what_it_is(http: TestClient, backend: StoreBackend) -> None:
    address = COMPATIBLE.replace("LlamaFor", "MistralFor")
    body = _ok(http.get(address, params={"via": "family"}), backend)
    said = [
        [(link[end]["kind"], link[end]["label"]) for end in ("from", "to")]
        for link in body["rows"][1]["chain"]
    ]
    assert said == [
        [("architecture", "MistralForCausalLM"), ("family", "Mistral")],
        [("family", "Mistral"), ("line", "Mistral")],
        [("line", "Mistral"), ("family", "Mixtral")],
        [("family", "Mixtral"), ("architecture", "MixtralForCausalLM")],
    ]


def test_without_a_platform_nothing_is_said_of_one(http: TestClient, backend: StoreBackend) -> None:
    body = _ok(http.get(COMPATIBLE, params={"via": "architecture"}), backend)
    assert body["on"] is None
    assert all("on" not in row for row in body["rows"])


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        (COMPATIBLE, 400, "via"),
        (f"{COMPATIBLE}?via=vendor", 400, "lineage"),
        (f"{COMPATIBLE}?via=family&on=cloud-ai-10", 400, "cloud-ai-100"),
        (f"{COMPATIBLE}?via=family&on=h100", 400, "its platform, nvidia-gpu"),
        (f"{COMPATIBLE}?via=family&at=1", 400, "'at' is not taken here"),
        (f"{COMPATIBLE.replace('Llama', 'LLama')}?via=family", 404, "LlamaForCausalLM"),
    ],
)
def test_compatible_refuses(http: TestClient, address: str, status: int, said: str) -> None:
    _problem(http.get(address), status, said)


@pytest.mark.parametrize(
    "address", ["/nothing", "/api/v1/models/", "/api/v1/models/one", "/sparql/", "/api/v1/%2e%2e"]
)
def test_nothing_there(http: TestClient, address: str) -> None:
    _problem(http.get(address), 404, "There is nothing at")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("address", ["/healthz", "/", MODELS, "/api/v1/ask/coverage"])
def test_other_methods(http: TestClient, method: str, address: str) -> None:
    response = http.request(method, address)
    _problem(response, 405, method)
    assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "address", ["/", "/healthz", MODELS, "/openapi.json", "/docs", "/api/v1/ask/coverage", "/none"]
)
def test_head_is_get_without_a_body(http: TestClient, address: str) -> None:
    head, get = http.head(address), http.get(address)
    assert head.content == b""
    assert (head.status_code, head.headers) == (get.status_code, get.headers)


@pytest.mark.parametrize(
    "address",
    ["/sparql?query=ASK%20%7B%7D", MODELS, "/api/v1/ask/coverage", f"{COMPATIBLE}?via=family"],
)
def test_a_bug_is_a_problem_and_tells_nothing(address: str) -> None:
    app = create_app(BrokenBackend())  # type: ignore[arg-type]  # it is broken
    response = TestClient(app, raise_server_exceptions=False).get(address)
    _problem(response, 500)
    assert response.headers["Runatlas-Snapshot"] == "broken-1"
    for told in ("secret", "Traceback", "ZeroDivisionError", ".py"):
        assert told not in response.text


def test_over_a_real_server(backend: StoreBackend) -> None:
    with serving(backend) as address, httpx2.Client(base_url=address, timeout=30) as http:
        assert _ok(http.get("/healthz"), backend)["status"] == "ok"
        body = _ok(http.get(CHECK, params={"model": LLAMA, "on": "trainium2"}), backend)
        assert body["targets"][0]["verdict"] == "supported"
        head = http.head(MODELS)
        assert head.content == b""
        assert head.headers["Content-Length"] == http.get(MODELS).headers["Content-Length"]
        assert "server" not in head.headers
        _problem(http.get("/nothing"), 404)
        _problem(http.post("/healthz"), 405)


@pytest.mark.parametrize(
    ("host", "option"),
    [("127.0.0.1", "--port"), ("192.0.2.1", "--host"), ("no such host", "--host")],
)
def test_an_address_that_cannot_be_listened_on(host: str, option: str) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError) as raised:
            listen(host, port)
    assert str(raised.value).startswith(f"{host}:{port} cannot be listened on: ")
    assert str(raised.value).endswith(f"; choose another with {option}")


def test_an_address_in_use_is_said_to_be(backend: StoreBackend) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"^127.0.0.1:{port} .*: address already in use; "):
            run(lambda: backend.folder, DEFAULTS, "127.0.0.1", port)


@pytest.mark.parametrize("blank", ["on", "as_of", "stack", "precision"])
def test_a_blank_value_is_not_another_question(http: httpx2.Client, blank: str) -> None:
    answer = http.get("/api/v1/check", params={"model": "a/b", blank: ""})
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
