"""Parse JSON and keep what Python's reading of it would lose or choke on.

A repeated key is remembered, no number but a short whole one is converted, so its size does not
matter, and the words NaN and Infinity, which Python takes for numbers, are told apart.
"""

import json
from collections import Counter
from enum import Enum
from typing import Final, TypeAlias


class Opaque(Enum):
    """A JSON value whose content no reader here asks for; the value says what was found."""

    NUMBER = "a number"
    NOT_JSON = "NaN or Infinity, which JSON does not have"


JsonValue: TypeAlias = "bool | int | str | Opaque | list[JsonValue] | dict[str, JsonValue] | None"


class RepeatingObject(dict[str, JsonValue]):
    """An object that gives a key more than once: it holds the last value of each."""

    def __init__(self, pairs: list[tuple[str, JsonValue]]) -> None:
        """Count the keys given more than once."""
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs)
        self.repeats: Final = {key: count for key, count in counts.items() if count > 1}


_SHORT: Final = 10  # so many characters
_KINDS: Final[dict[type, str]] = {
    bool: "a boolean",
    dict: "an object",
    int: "a number",
    list: "a list",
    RepeatingObject: "an object",
    str: "a string",
    type(None): "null",
}


def parse_json(text: str) -> JsonValue:
    """Parse a JSON text (RFC 8259).

    Raises:
        json.JSONDecodeError: it is not JSON, or is nested deeper than Python can follow.
    """
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=_read_object,
            parse_int=_read_whole_number,
            parse_float=_read_number,
            parse_constant=_read_constant,
        )
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", text, 0) from None
    return value


def kind_of(value: JsonValue) -> str:
    """Say what a value is: ``a list``."""
    return value.value if isinstance(value, Opaque) else _KINDS[type(value)]


def join_pointer(pointer: str, key: str) -> str:
    """Return the JSON pointer to an object's member (RFC 6901).

    A key that does not print is written with JSON's escapes (section 5 of the RFC).
    """
    printable = key if key.isprintable() else json.dumps(key)[1:-1]
    return f"{pointer}/{printable.replace('~', '~0').replace('/', '~1')}"


def _read_object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    return members if len(members) == len(pairs) else RepeatingObject(pairs)


def _read_whole_number(text: str) -> JsonValue:
    return int(text) if len(text) <= _SHORT else Opaque.NUMBER


def _read_number(_text: str) -> JsonValue:
    return Opaque.NUMBER


def _read_constant(_text: str) -> JsonValue:
    return Opaque.NOT_JSON
