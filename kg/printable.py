"""Make text safe for a terminal: what would steer it is shown instead."""

import re
from typing import Final

# C0 and C1 controls, DEL, and the characters that break or turn a line.
_STEERING: Final = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]"
)


def printable(text: str, *, keep: str = "") -> str:
    """Return a text with control characters written as escapes, but for those in ``keep``."""
    return _STEERING.sub(lambda match: match[0] if match[0] in keep else _escaped(match[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
