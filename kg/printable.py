"""Make text safe for a terminal: what would steer it is shown instead."""

import json
import re
from typing import Any, Final
from unicodedata import category

# C0 and C1 controls, DEL, and the characters that break or turn a line.
_STEERING: Final = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]"
)


def printable(text: str, *, keep: str = "") -> str:
    """Return a text with control characters written as escapes, but for those in ``keep``."""
    return _STEERING.sub(lambda match: match[0] if match[0] in keep else _escaped(match[0]), text)


def json_text(value: Any) -> str:
    """Return a value as JSON in which control and format characters are written as JSON's escapes.

    Every JSON that is printed comes from here: its reader gets the same value, a terminal none of
    them.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return "".join(map(_as_json, text)) if not text.isprintable() else text


def _as_json(character: str) -> str:
    steers = category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character != "\n"
    return json.dumps(character)[1:-1] if steers else character


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
