"""Refuse queries that must not run here: federation, and nesting that would break the engine.

The engine connects wherever SERVICE points and overflows its stack on deep nesting, and offers no
switch for either. This looks at the text, beside the engine's own parser, so it errs on the side of
refusing: in a text with a backslash, behind which it could hide, the word alone is enough.
"""

import re
from typing import Final

from kg.errors import QueryFailedError, QueryRefusedError

MAX_NESTING: Final = 200
MAX_CHARACTERS: Final = 1 << 20

_ESCAPE: Final = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
# Comments, IRIs, strings, variables and language tags, then names; each is read to its end at once,
# so that no text makes this slow. Dots and letters beyond ASCII end a name: a keyword right behind
# one is seen.
_TOKEN: Final = re.compile(
    r"""
      \#[^\r\n]*+
    | <[^<>"{}|^`\\\x00-\x20]*+>
    | '''(?:[^'\\]|\\.|'(?!''))*+(?:''')?  |  '(?:[^'\\\r\n]|\\.)*+'?
    | \"""(?:[^"\\]|\\.|"(?!""))*+(?:\""")?  |  "(?:[^"\\\r\n]|\\.)*+"?
    | [?$@]\w++
    | (?P<word>[\w-]++)(?P<local>:[\w:%-]*+)?
    | :[\w:%-]*+
    """,
    re.ASCII | re.DOTALL | re.VERBOSE,
)
_FEDERATED: Final = "SERVICE is refused: no query leaves this machine."


def refuse_unsafe(query: str) -> None:
    """Pass a query that may run here.

    Raises:
        QueryRefusedError: it may ask another server.
        QueryFailedError: it is too long, or nested too deeply, for the engine.
    """
    if len(query) > MAX_CHARACTERS:
        raise QueryFailedError(f"The query is longer than {MAX_CHARACTERS:,} characters.")
    if _nesting(query) > MAX_NESTING:
        raise QueryFailedError(f"The query nests brackets more than {MAX_NESTING} deep.")
    if _may_federate(query):
        raise QueryRefusedError(_FEDERATED)


def _may_federate(query: str) -> bool:
    unescaped = _ESCAPE.sub(lambda match: _character(match[1] or match[2]), query)
    if "service" not in unescaped.lower():
        return False
    return "\\" in query or any(_is_keyword(token) for token in _TOKEN.finditer(query))


def _is_keyword(token: re.Match[str]) -> bool:
    word = (token["word"] or "").lower()
    return word.endswith("service") if token["local"] else "service" in word


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if code < 0x110000 else ""


def _nesting(query: str) -> int:
    depth = deepest = 0
    for bracket in re.findall(r"[(){}\[\]]", query):
        depth += 1 if bracket in "({[" else -1
        deepest = max(deepest, depth)
    return deepest
