"""The pages: /docs shows all that the description says, and no page runs or fetches anything."""

import base64
import hashlib
import re
import shlex
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import pytest
from starlette.testclient import TestClient

from api.docs_page import render
from api.documentation import REQUEST
from kg.backend import StoreBackend
from kg.vocab import PREFIXES
from tests.api_examples import client

FETCHING: Final = {"action", "background", "cite", "data", "formaction", "poster", "src", "srcset"}
VOID: Final = {"br", "input", "link", "meta"}
OWN: Final = PREFIXES["ra"].removesuffix("def#")


class Page(HTMLParser):
    """What a page holds: its tags with their attributes, the text of each kind, and its texts."""

    def __init__(self, text: str) -> None:
        """Read a page; every element is closed in order."""
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def links(self) -> list[str]:
        return [said["href"] for tag, said in self.tags if tag == "a"]


@pytest.fixture(scope="module")
def http(backend: StoreBackend) -> Iterator[TestClient]:
    with client(backend) as http:
        yield http


@pytest.fixture(scope="module")
def description(http: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = http.get("/openapi.json").json()
    return found


@pytest.fixture(scope="module")
def sections(http: TestClient) -> dict[str, str]:
    """The page's sections, by the method and path that they name."""
    text = http.get("/docs").text
    found = re.findall(r'<section class="operation".*?</section>', text, re.DOTALL)
    return {Page(section).texts["code"][0]: section for section in found}


def _operations(description: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_every_operation_and_parameter_is_shown(
    description: dict[str, Any], sections: dict[str, str]
) -> None:
    operations = dict(_operations(description))
    assert set(sections) == set(operations)
    for name, operation in operations.items():
        page = Page(sections[name])
        assert page.texts["h3"] == [operation["summary"]]
        cells = page.texts["td"]
        for parameter in operation.get("parameters", ()):
            at = cells.index(parameter["name"])
            assert cells[at + 1] == parameter["in"], name
            assert cells[at + 2] == ("yes" if parameter["required"] else "no"), name
            assert cells[at + 3], f"{name} {parameter['name']}"
            default = parameter["schema"].get("default")
            assert default in (None, "") or str(default).lower() == cells[at + 4].lower()
            assert cells[at + 5].startswith(parameter["description"].replace("`", ""))


def test_every_response_and_example_is_shown(
    description: dict[str, Any], sections: dict[str, str]
) -> None:
    for name, operation in _operations(description):
        page = Page(sections[name])
        for status, response in operation["responses"].items():
            assert status in page.texts["td"]
            for media_type, content in response["content"].items():
                assert any(media_type in cell for cell in page.texts["td"]), name
                for shown in content.get("examples", {}).values():
                    summary = f"{shown['summary']} ({status}, {media_type})"
                    assert summary in page.texts["summary"]
                    assert shown[REQUEST]["curl"] in page.texts["pre"]


def test_the_body_of_a_post_is_shown(sections: dict[str, str]) -> None:
    page = Page(sections["POST /sparql"])
    assert "application/x-www-form-urlencoded:" in page.texts["p"]
    assert page.texts["td"].count("query") == 1 + 4  # the field, and where four parameters stand


def test_contents_lead_to_every_operation_once(http: TestClient) -> None:
    page = Page(http.get("/docs").text)
    ids = [said["id"] for _, said in page.tags if "id" in said]
    assert len(set(ids)) == len(ids)
    assert [link[1:] for link in page.links() if link.startswith("#")] != []
    assert {link[1:] for link in page.links() if link.startswith("#")} == {*ids}


def test_links_of_examples_answer_as_shown(
    http: TestClient, description: dict[str, Any], sections: dict[str, str]
) -> None:
    for name, operation in _operations(description):
        links = Page(sections[name]).links()
        statuses = [
            int(status)
            for status, response in operation["responses"].items()
            for content in response["content"].values()
            for _ in content.get("examples", ())
        ]
        # An Accept header is no part of an address.
        expected = [200 if status == 406 else status for status in statuses]
        assert [http.get(link).status_code for link in links] == expected, name


def test_commands_of_examples_answer_as_shown(
    http: TestClient, description: dict[str, Any]
) -> None:
    seen = 0
    for _, operation in _operations(description):
        for status, response in operation["responses"].items():
            for media_type, content in response["content"].items():
                for shown in content.get("examples", {}).values():
                    answer = _run(http, shown[REQUEST]["curl"])
                    assert answer.status_code == int(status)
                    assert answer.headers["Content-Type"].partition(";")[0] == media_type
                    seen += 1
    assert seen > 100


def _run(http: TestClient, command: str) -> Any:
    """Run a command for curl as curl would, for the options that we write."""
    curl, *arguments = shlex.split(command)
    assert curl == "curl"
    pairs: list[tuple[str, str]] = []
    headers: dict[str, str] = {}
    address, by_get = "", False
    while arguments:
        argument = arguments.pop(0)
        if argument == "-G":
            by_get = True
        elif argument == "-H":
            name, _, value = arguments.pop(0).partition(": ")
            headers[name] = value
        elif argument == "--data-urlencode":
            name, _, value = arguments.pop(0).partition("=")
            pairs.append((name, value))
        else:
            address = argument.removeprefix("localhost:8000")
    if pairs and not by_get:
        return http.post(address, data=dict(pairs), headers=headers)
    query = f"?{urlencode(pairs)}" if pairs else ""
    return http.get(f"{address}{query}", headers=headers)


@pytest.mark.parametrize("address", ["/", "/docs"])
def test_a_page_fetches_nothing_and_runs_nothing(http: TestClient, address: str) -> None:
    response = http.get(address)
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    page = Page(response.text)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"base", "embed", "form", "iframe", "img", "object", "script"}
    for tag, attributes in page.tags:
        assert not FETCHING & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on") or name == "style"], tag
    assert [said["href"] for tag, said in page.tags if tag == "link"] == ["data:,"]
    for link in page.links():
        assert not urlsplit(link).scheme or link.startswith(OWN), link
    (style,) = page.texts["style"]
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize("address", ["/", "/docs"])
def test_the_policy_permits_the_style_alone(http: TestClient, address: str) -> None:
    response = http.get(address)
    (style,) = Page(response.text).texts["style"]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = dict(
        directive.strip().split(" ", 1)
        for directive in response.headers["Content-Security-Policy"].split(";")
    )
    assert policy == {
        "default-src": "'none'",
        "style-src": f"'sha256-{digest}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


def test_everything_is_escaped() -> None:
    evil = '</pre><script>alert("&")</script> $body'
    shown = {"summary": evil, "value": evil, REQUEST: {"curl": evil, "address": f'/"{evil}'}}
    operation = {
        "tags": [evil],
        "summary": evil,
        "description": f"{evil}\n\n- `{evil}`\n- *{evil}*",
        "parameters": [
            {"name": evil, "in": evil, "description": evil, "schema": {"type": evil}},
            {"name": "d", "in": "query", "description": "", "schema": {"enum": [evil]}},
        ],
        "requestBody": {
            "description": evil,
            "content": {evil: {"schema": {"type": "string", "default": evil}}},
        },
        "responses": {evil: {"description": evil, "content": {evil: {"examples": {evil: shown}}}}},
    }
    text = render(
        {
            "info": {"version": evil, "description": evil},
            "tags": [{"name": evil, "description": evil}],
            "paths": {f"/{evil}": {"get": operation}},
        }
    )
    page = Page(text)
    assert "script" not in {tag for tag, _ in page.tags}
    assert evil in page.texts["h3"]
    assert evil in page.texts["pre"]
    assert f'/"{evil}' in page.links()


def test_a_long_answer_is_cut_and_leads_to_the_whole(sections: dict[str, str]) -> None:
    page = Page(sections["GET /api/v1/models/{org}/{name}"])
    assert all(text.count("\n") < 40 for text in page.texts["pre"])
    assert any("more lines are left out" in text for text in page.texts["p"])
