"""What the OpenAPI description says of responses: examples that were really answered."""

import json
import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlencode

from api.middleware import SNAPSHOT_HEADER
from api.problems import MEDIA_TYPE

_PROBLEM: Final = {
    "type": "object",
    "required": ["title", "status", "detail"],
    "properties": {
        "title": {"type": "string", "description": "The status's own phrase"},
        "status": {"type": "integer", "description": "The HTTP status"},
        "detail": {"type": "string", "description": "What is wrong, for people"},
        "did_you_mean": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Known names that come near an unknown one",
        },
        "errors": {
            "type": "array",
            "items": {"type": "object"},
            "description": "Each parameter without a valid value, and why",
        },
    },
}
_HEADERS: Final = {
    SNAPSHOT_HEADER: {
        "description": "The name of the snapshot that answered",
        "schema": {"type": "string"},
    }
}

REQUEST: Final = "x-request"
_SERVER: Final = "localhost:8000"

_JSON_TYPES: Final[Mapping[type, str]] = {dict: "object", list: "array", str: "string"}


@cache
def example(name: str) -> Mapping[str, Any]:
    """Return a request and its real answer; tests/test_api_examples.py keeps them true."""
    text = files(__package__).joinpath("examples", f"{name}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def responses(
    description: str, *names: str, method: str = "get"
) -> dict[int | str, dict[str, Any]]:
    """Describe an endpoint's responses by examples, which know their status and media type."""
    described: dict[int | str, dict[str, Any]] = {}
    for name in names:
        shown = example(name)
        status = shown["status"]
        phrase = description if status == HTTPStatus.OK else HTTPStatus(status).phrase
        response = described.setdefault(
            status, {"description": phrase, "headers": _HEADERS, "content": {}}
        )
        media_type = shown["media_type"].partition(";")[0]
        entry = response["content"].setdefault(
            media_type, {"schema": _schema(media_type, shown["body"]), "examples": {}}
        )
        entry["examples"][name] = {
            "summary": shown["title"],
            "value": shown["body"],
            REQUEST: request(shown["request"], method),
        }
    described["default"] = {
        "description": "Any other error",
        "headers": _HEADERS,
        "content": {MEDIA_TYPE: {"schema": _PROBLEM}},
    }
    return described


def request(asked: Mapping[str, Any], method: str = "get") -> dict[str, str]:
    """Write a request as a command for curl, and as an address to open in a browser."""
    path, query = asked["path"], asked.get("query", {})
    address = path + ("?" if query else "") + urlencode(query, doseq=True, safe="/:,")
    accept = ["-H", f"Accept: {asked['accept']}"] if "accept" in asked else []
    if method == "get" and not {"%", "+"} & {*address}:
        return {"curl": shlex.join(["curl", _SERVER + address, *accept]), "address": address}
    by_get = ["-G"] if method == "get" else []
    data = [part for pair in _pairs(query) for part in ("--data-urlencode", pair)]
    command = ["curl", *by_get, _SERVER + path, *accept, *data]
    return {"curl": shlex.join(command), "address": address}


def _pairs(query: Mapping[str, str | list[str]]) -> Iterator[str]:
    for name, values in query.items():
        for value in [values] if isinstance(values, str) else values:
            yield f"{name}={value}"


def _schema(media_type: str, body: object) -> Mapping[str, Any]:
    if media_type == MEDIA_TYPE:
        return _PROBLEM
    return {"type": _JSON_TYPES[type(body)]}
