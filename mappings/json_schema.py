"""Check a JSON document against a JSON Schema, and note every problem with its pointer.

The schema of a format is published as it is, and read as it is: what a reader takes cannot differ
from what the schema says. Only the keywords that are used here are known (draft 2020-12); another
one is an error of the schema, because it would promise what nobody checks. A message says what is
wanted in the words of the schema's own descriptions.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from difflib import get_close_matches
from typing import Any, Final, TypeAlias

from mappings.json_text import JsonValue, Opaque, RepeatingObject, join_pointer, kind_of
from mappings.source_text import ProblemList, quote, says_something, unseen_character

Schema: TypeAlias = Mapping[str, Any]

_CHECKED: Final = frozenset(
    (
        *("$ref", "additionalProperties", "anyOf", "const", "enum", "format", "items", "maximum"),
        *("minItems", "minimum", "not", "pattern", "properties", "required", "type"),
        "uniqueItems",
    )
)
_ANNOTATIONS: Final = frozenset(("$defs", "$id", "$schema", "default", "description", "title"))
_TYPES: Final[Mapping[str, type]] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "object": dict,
    "string": str,
}


class JsonSchema:
    """A schema whose every keyword is known here."""

    def __init__(self, text: str) -> None:
        """Read a schema.

        Raises:
            ValueError: it is not JSON, or has a keyword that is not checked here.
        """
        self.whole: Final[Schema] = json.loads(text)
        self._refuse_unknown(self.whole)

    def _refuse_unknown(self, schema: Schema) -> None:
        unknown = schema.keys() - _CHECKED - _ANNOTATIONS
        if unknown or schema.get("additionalProperties") or not self._is_anchored(schema):
            raise ValueError(f"a schema with a keyword that is not checked: {sorted(unknown)}")
        below = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
        below += [*schema.get("anyOf", []), *([schema["not"]] if "not" in schema else [])]
        for part in [*below, *([schema["items"]] if "items" in schema else [])]:
            self._refuse_unknown(part)

    @staticmethod
    def _is_anchored(schema: Schema) -> bool:
        """Tell whether a pattern spans the whole string, as it is matched here."""
        pattern = str(schema.get("pattern", "^$"))
        return pattern.startswith("^") and pattern.endswith("$")

    def resolve(self, schema: Schema) -> Schema:
        """Return a schema with what it refers to put in; its own words come first."""
        while "$ref" in schema:
            target = self.whole["$defs"][schema["$ref"].rpartition("/")[2]]
            own = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**target, **own}
        return schema

    def check(self, document: JsonValue, problems: ProblemList) -> None:
        """Note every way in which a document differs from the schema, in the document's order."""
        self._check(document, self.whole, "", problems)

    def _check(self, value: JsonValue, schema: Schema, pointer: str, problems: ProblemList) -> None:
        schema = self._choice(value, self.resolve(schema))
        if message := _fault(value, schema) or self._refusal(value, schema):
            problems.add(pointer, message)
        elif isinstance(value, dict):
            self._check_members(value, schema, pointer, problems)
        elif isinstance(value, list):
            for index, entry in enumerate(value):
                self._check(entry, schema["items"], f"{pointer}/{index}", problems)

    def _refusal(self, value: JsonValue, schema: Schema) -> str | None:
        """Say which of the things that are not to be given a text is."""
        if isinstance(value, str) and "not" in schema:
            for choice in map(self.resolve, schema["not"]["anyOf"]):
                if _fits(value, choice):
                    return f"{quote(value)} is {choice['description']}"
        return None

    def _choice(self, value: JsonValue, schema: Schema) -> Schema:
        """Return the choice that a value is held to: the one that takes null, or the other."""
        if "anyOf" not in schema:
            return schema
        for choice in map(self.resolve, schema["anyOf"]):
            if (value is None) == (choice["type"] == "null"):
                return {**choice, "description": schema["description"]}
        raise ValueError("anyOf is for a choice between null and one thing")

    def _check_members(
        self,
        value: Mapping[str, JsonValue],
        schema: Schema,
        pointer: str,
        problems: ProblemList,
    ) -> None:
        members: Mapping[str, Schema] = schema["properties"]
        for key in schema["required"]:
            if key not in value:
                wanted = self.resolve(members[key])["description"]
                problems.add(pointer, f"missing key {quote(key)}: {wanted}")
        repeats = value.repeats if isinstance(value, RepeatingObject) else {}
        for key, member in value.items():
            place = join_pointer(pointer, key)
            if key in repeats:
                problems.add(place, f"key {quote(key)} is given {repeats[key]} times")
            if key in members:
                self._check(member, members[key], place, problems)
            else:
                problems.add(place, f"unknown key {quote(key)}{_meant(key, members)}")

    def blank(self) -> Any:
        """Return a document with every key and no value, for a person to fill in."""
        return self._blank(self.whole)

    def blank_part(self, name: str) -> Any:
        """Return a part that the schema defines, with every key and no value."""
        return self._blank(self.whole["$defs"][name])

    def _blank(self, schema: Schema) -> Any:
        schema = self.resolve(schema)
        for keyword in ("default", "const"):
            if keyword in schema:
                return schema[keyword]
        if "properties" in schema:
            return {key: self._blank(part) for key, part in schema["properties"].items()}
        if "items" in schema:
            return [self._blank(schema["items"])] if schema.get("minItems") else []
        return "" if "enum" in schema or schema["type"] == "string" else None


def _fault(value: JsonValue, schema: Schema) -> str | None:
    """Say what is wrong with a value itself, whatever is in it."""
    types = _types(schema)
    wanted = schema["description"]
    if (value is None and "null" not in types) or (isinstance(value, str) and not value.strip()):
        return f"still to be given: {wanted}"
    if types and not any(_is_a(value, name) for name in types):
        return f"expected {wanted}; found {kind_of(value)}"
    if isinstance(value, str):
        return _text_fault(value, schema)
    if isinstance(value, list):
        return _list_fault(value, schema)
    if type(value) is int and not schema["minimum"] <= value <= schema["maximum"]:
        return f"{value} is not {wanted}"
    return None


def _is_a(value: JsonValue, name: str) -> bool:
    kind = _TYPES[name]
    return isinstance(value, kind) and (kind is not int or not isinstance(value, bool))


def _types(schema: Schema) -> list[str]:
    types = schema.get("type", "string" if "enum" in schema or "const" in schema else [])
    return [types] if isinstance(types, str) else list(types)


def _text_fault(value: str, schema: Schema) -> str | None:
    if _fits(value, schema):
        return None
    wanted = schema["description"]
    if schema.get("format") == "words":
        if unseen := unseen_character(value, keep="\t\n"):
            return f"{quote(value)} holds the control or format character {unseen}: leave it out"
        if not says_something(value):
            return f"{quote(value)} says nothing; still to be given: {wanted}"
    return f"{quote(value)} is not {wanted}{_meant(value, _known(value, schema))}"


def _fits(value: str, schema: Schema) -> bool:
    pattern = schema.get("pattern", "^[\\s\\S]*$")[1:-1]
    known = value in _known(value, schema) and re.fullmatch(pattern, value)
    return bool(known) and _FORMATS[schema.get("format")](value)


def _known(value: str, schema: Schema) -> list[str]:
    return [schema["const"]] if "const" in schema else schema.get("enum", [value])


def _is_day(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


# The format "words" is of this schema alone: a text with a letter or digit.
_FORMATS: Final[Mapping[str | None, Callable[[str], bool]]] = {
    None: lambda _: True,
    "date": _is_day,
    "words": says_something,
}


def _list_fault(value: list[JsonValue], schema: Schema) -> str | None:
    if len(value) < schema.get("minItems", 0):
        return f"still to be given: {schema['description']}"
    if schema.get("uniqueItems"):
        texts = [json.dumps(entry, default=_opaque, sort_keys=True) for entry in value]
        if len(set(texts)) < len(texts):
            return f"the same twice in {schema['description']}"
    return None


def _opaque(value: Opaque) -> str:
    return value.value


def _meant(word: str, known: Iterable[str]) -> str:
    near = [name for name in get_close_matches(word, known, n=2) if name != word]
    return f"; did you mean {' or '.join(map(quote, near))}?" if near else ""
