"""/docs: the OpenAPI description as a page, operations by tag, without a script."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any, Final
from xml.etree.ElementTree import Element

from api.documentation import REQUEST
from api.markup import Content, code, element, inline, link, paragraphs, table, write
from api.pages import read_page

_MAX_LINES: Final = 40
_PARAMETERS: Final = ("Name", "Where", "Required", "Type", "Default", "Meaning")
_FIELDS: Final = ("Name", "Required", "Type", "Meaning")
_RESPONSES: Final = ("Status", "Meaning", "Media types")

_Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Operation:
    """One operation of the description, and where it stands on the page."""

    method: str
    path: str
    said: _Json

    @property
    def anchor(self) -> str:
        return re.sub(r"\W+", "-", f"{self.method}{self.path}").strip("-")


def render(description: _Json) -> str:
    """Return the body of the page for an OpenAPI description."""
    tags = [(tag["name"], tag["description"]) for tag in description["tags"]]
    operations = [
        _Operation(method, path, said)
        for path, methods in description["paths"].items()
        for method, said in methods.items()
    ]
    grouped = {
        name: [operation for operation in operations if name in operation.said["tags"]]
        for name, _ in tags
    }
    return Template(read_page("docs")).substitute(
        version=write([code(description["info"]["version"])]),
        introduction=write(paragraphs(description["info"]["description"])),
        contents=write(_contents(grouped)),
        operations=write(_sections(tags, grouped, description)),
    )


def _contents(grouped: Mapping[str, Sequence[_Operation]]) -> Iterator[Element]:
    for name, operations in grouped.items():
        yield element("p", link(f"#{_tag_anchor(name)}", element("strong", name)))
        yield element(
            "ul",
            *(
                element("li", link(f"#{operation.anchor}", operation.said["summary"]))
                for operation in operations
            ),
        )


def _sections(
    tags: Sequence[tuple[str, str]],
    grouped: Mapping[str, Sequence[_Operation]],
    description: _Json,
) -> Iterator[Element]:
    for name, meaning in tags:
        yield element("h2", name, id=_tag_anchor(name))
        yield from paragraphs(meaning)
        for operation in grouped[name]:
            yield element(
                "section",
                *_operation(operation, description),
                class_="operation",
                id=operation.anchor,
            )


def _tag_anchor(name: str) -> str:
    return "tag-" + name.lower().replace(" ", "-")


def _operation(operation: _Operation, description: _Json) -> Iterator[Element]:
    said = operation.said
    yield element("h3", said["summary"])
    yield element("p", code(f"{operation.method.upper()} {operation.path}"), class_="address")
    yield from paragraphs(said["description"])
    if said.get("parameters"):
        yield element("h4", "Parameters")
        rows = (_parameter(parameter, description) for parameter in said["parameters"])
        yield table(_PARAMETERS, rows)
    yield from _body(said.get("requestBody"), description)
    yield element("h4", "Responses")
    yield table(_RESPONSES, (_response(*pair) for pair in said["responses"].items()))
    yield from _examples(said["responses"])


def _parameter(parameter: _Json, description: _Json) -> tuple[Sequence[Content], ...]:
    schema = parameter["schema"]
    return (
        [code(parameter["name"])],
        [parameter["in"]],
        ["yes" if parameter.get("required") else "no"],
        [_type(schema, description)],
        [code(_value(schema["default"]))] if "default" in schema else [],
        [*inline(parameter["description"]), *_sample(parameter)],
    )


def _sample(parameter: _Json) -> Iterator[Content]:
    """Yield an example of a value, if it is not the default and short enough for a cell."""
    schema = parameter["schema"]
    sample = parameter.get("example", next(iter(schema.get("examples", ())), None))
    text = _value(sample[0] if isinstance(sample, list) and sample else sample)
    if sample not in (None, "", schema.get("default")) and "\n" not in text:
        yield "; for example "
        yield code(text)


def _value(value: object) -> str:
    """Write a value as it is typed; an empty text as such."""
    return value if isinstance(value, str) and value else json.dumps(value)


def _type(schema: _Json, description: _Json) -> str:
    """Name the type of a schema, its bounds and its values."""
    if "$ref" in schema:
        return _type(description["components"]["schemas"][schema["$ref"].split("/")[-1]], {})
    if "anyOf" in schema:
        kinds = (kind for kind in schema["anyOf"] if kind.get("type") != "null")
        return " or ".join(_type(kind, description) for kind in kinds)
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if schema["type"] == "array":
        return f"{_type(schema['items'], description)}, repeatable"
    least = f", from {schema['minimum']}" if "minimum" in schema else ""
    most = f" to {schema['maximum']}" if "maximum" in schema else ""
    return f"{schema.get('format', schema['type'])}{least}{most}"


def _body(body: _Json | None, description: _Json) -> Iterator[Element]:
    if body is None:
        return
    yield element("h4", "Body")
    yield from paragraphs(body["description"])
    for media_type, content in body["content"].items():
        schema = content["schema"]
        if "properties" not in schema:
            yield element("p", code(media_type), f": {_type(schema, description)}")
            continue
        yield element("p", code(media_type), ":")
        rows = (
            (
                [code(name)],
                ["yes" if name in schema.get("required", ()) else "no"],
                [_type(field, description)],
                list(inline(field["description"])),
            )
            for name, field in schema["properties"].items()
        )
        yield table(_FIELDS, rows)


def _response(status: str, response: _Json) -> tuple[Sequence[Content], ...]:
    media_types: list[Content] = []
    for media_type in response["content"]:
        media_types += [", ", code(media_type)] if media_types else [code(media_type)]
    return ([code(status)], list(inline(response["description"])), media_types)


def _examples(responses: _Json) -> Iterator[Element]:
    for status, response in responses.items():
        for media_type, content in response["content"].items():
            for shown in content.get("examples", {}).values():
                summary = element(
                    "summary", f"{shown['summary']} ", _soft(f"({status}, {media_type})")
                )
                yield element("details", summary, *_example(shown))


def _example(shown: _Json) -> Iterator[Element]:
    value, asked = shown["value"], shown[REQUEST]
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    lines = text.rstrip().split("\n")
    more = len(lines) - _MAX_LINES
    yield element("pre", element("code", asked["curl"]), class_="wrap")
    yield element("pre", element("code", "\n".join(lines[:_MAX_LINES])), tabindex="0")
    yield element(
        "p",
        _soft(f"{more} more lines are left out here. ") if more > 0 else "",
        link(asked["address"], "Open this request" + (" for the whole answer" * (more > 0))),
    )


def _soft(text: str) -> Element:
    return element("span", text, class_="soft")
