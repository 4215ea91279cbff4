"""The interface is described: every operation, parameter and response, with examples, and in docs.

What the description says is held against the routes; docs/http.md, against the description.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Route
from starlette.testclient import TestClient

from api.routes import OTHER, ROUTES, route_of
from kg.backend import StoreBackend
from kg.queries import questions
from tests.api_examples import EXAMPLES, client, names, read

GUIDE: Final = Path(__file__).parent.parent / "docs" / "http.md"
PAGES: Final = {"/", "/docs", "/openapi.json"}
QUESTION: Final = "/api/v1/ask/{name}"
GRAPH_BY_ADDRESS: Final = "/graph-store/{graph:path}"  # described with /graph-store

_QUADS: Final = {"application/n-quads", "application/trig"}
_GRAPHS: Final = {*_QUADS, "text/turtle", "application/ld+json", "application/rdf+xml"}
# Formats that no example of an operation shows, as others do.
NOT_SHOWN: Final = {
    "GET /sparql": {*_QUADS, "application/json", "text/html"},
    "POST /sparql": {*_QUADS, "application/json", "text/html"},
    "GET /graph-store": _GRAPHS,
    "GET /.well-known/void": {*_GRAPHS, "application/n-triples"} - {"text/turtle"},
}


@pytest.fixture(scope="module")
def http(backend: StoreBackend) -> Iterator[TestClient]:
    with client(backend) as http:
        yield http


@pytest.fixture(scope="module")
def description(http: TestClient) -> dict[str, Any]:
    response = http.get("/openapi.json")
    assert response.status_code == 200
    found: dict[str, Any] = response.json()
    return found


def _operations(description: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_route_is_described(http: TestClient, description: dict[str, Any]) -> None:
    described = set(description["paths"])
    described -= {f"/api/v1/ask/{name}" for name in questions()}
    routes = {path for path in _paths(http.app.router.routes) if path not in PAGES}  # type: ignore[attr-defined]  # FastAPI
    assert routes == described | {QUESTION, GRAPH_BY_ADDRESS}


def test_metrics_know_every_route(http: TestClient) -> None:
    assert {*ROUTES} == {*_paths(http.app.router.routes)}  # type: ignore[attr-defined]  # FastAPI
    for route in ROUTES:
        assert route_of(re.sub(r"\{.*?\}", "x", route)) == route


@pytest.mark.parametrize("path", ["", "//", "/SPARQL", "/api/v1/models/a", "/api/v1/ask/", "/x"])
def test_another_address_has_no_name_of_its_own(path: str) -> None:
    assert route_of(path) == OTHER


def _paths(routes: list[Any]) -> Iterator[str]:
    for route in routes:
        if isinstance(route, Route | APIRoute):
            yield route.path
        else:
            yield from _paths(route.original_router.routes)


def test_every_stored_question_is_described(description: dict[str, Any]) -> None:
    for question in questions().values():
        operation = description["paths"][f"/api/v1/ask/{question.name}"]["get"]
        assert [said["name"] for said in operation["parameters"]] == [
            parameter.name for parameter in question.parameters
        ]


def test_every_operation_says_what_it_does(description: dict[str, Any]) -> None:
    operations = _operations(description)
    assert len(operations) == len(questions()) + 13
    for name, operation in operations:
        assert operation["summary"], name
        assert operation["description"], name
        assert operation["tags"], name
    ids = [operation["operationId"] for _, operation in operations]
    assert len(set(ids)) == len(ids)


def test_every_parameter_is_described_with_an_example(description: dict[str, Any]) -> None:
    for name, operation in _operations(description):
        for parameter in operation.get("parameters", ()):
            where = f"{name} {parameter['name']}"
            assert parameter["description"], where
            schema = parameter["schema"]
            assert "example" in parameter or "examples" in parameter or "examples" in schema, where


def test_every_response_is_described_with_examples(description: dict[str, Any]) -> None:
    for name, operation in _operations(description):
        assert {"200", "default"} <= set(operation["responses"]), name
        assert "422" not in operation["responses"], name
        for status, response in operation["responses"].items():
            assert response["description"], f"{name} {status}"
            assert "Runatlas-Snapshot" in response["headers"], f"{name} {status}"
            for media_type, content in response["content"].items():
                where = f"{name} {status} {media_type}"
                assert content["schema"], where
                if status != "default" and media_type not in NOT_SHOWN.get(name, ()):
                    assert content["examples"], where


def test_the_formats_are_described(description: dict[str, Any]) -> None:
    for method in ("get", "post"):
        answered = description["paths"]["/sparql"][method]["responses"]["200"]["content"]
        assert set(answered) == {
            "application/json",
            "application/sparql-results+json",
            "application/sparql-results+xml",
            "text/csv",
            "text/tab-separated-values",
            "text/turtle",
            "application/n-triples",
            "application/ld+json",
            "application/rdf+xml",
            "application/n-quads",
            "application/trig",
            "text/html",
        }


def test_every_example_is_shown(description: dict[str, Any]) -> None:
    assert {path.stem for path in EXAMPLES.iterdir()} == {*names(), "questions"}
    text = json.dumps(description)
    missing = [name for name in names() if json.dumps(read(name)["body"]) not in text]
    assert missing == ["sparql-graphs"]  # it shows parameters


def test_the_guide_names_every_endpoint_and_parameter(description: dict[str, Any]) -> None:
    sections = re.split(r"(?m)^## ", GUIDE.read_text(encoding="utf-8"))
    guide = {section.partition("\n")[0].strip("`"): section for section in sections[1:]}
    for path, methods in description["paths"].items():
        if path.removeprefix("/api/v1/ask/") in questions():
            continue
        assert path in guide
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                assert f"`{parameter['name']}`" in guide[path], f"{path} {parameter['name']}"
    assert QUESTION in guide


def test_the_guide_shows_requests_that_work(http: TestClient) -> None:
    requests = re.findall(r"localhost:8000(/[^'\s]*)", GUIDE.read_text(encoding="utf-8"))
    assert len(requests) >= 8
    for request in requests:
        if "sparql" not in request:
            assert http.get(request).status_code == 200, request
