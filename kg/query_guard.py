"""Refuse queries that must not run in this process: federation, and what would break the engine.

The engine connects wherever SERVICE points and offers no switch. Telling a keyword from data takes
the engine's own parser, which is not to be had; every reading of the text beside it could be
deceived. So the word is refused wherever it stands, where a socket can open: not in a worker.
"""

import re
from typing import Final

from kg.errors import QueryFailedError, QueryRefusedError

MAX_NESTING: Final = 200
MAX_CHARACTERS: Final = 1 << 16  # longer chains of operators overflow even the stack we give

_ESCAPE: Final = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_DATA: Final = re.compile(r"<[^<>\s]*>|\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*")
_FEDERATED: Final = (
    "SERVICE is refused: no query leaves this machine. "
    "The word is refused even inside of names and texts, where it may be harmless."
)


def refuse_unsafe(query: str) -> None:
    """Pass a query that may run in this process.

    Raises:
        QueryRefusedError: it may ask another server.
        QueryFailedError: it is too long, or nested too deeply, for the engine.
    """
    if len(query) > MAX_CHARACTERS:
        raise QueryFailedError(f"The query is longer than {MAX_CHARACTERS:,} characters.")
    refuse_nested(query)
    unescaped = _ESCAPE.sub(lambda match: _character(match[1] or match[2]), query)
    if "service" in unescaped.lower() or "service" in query.lower():
        raise QueryRefusedError(_FEDERATED)


def refuse_nested(query: str, most: int = MAX_NESTING) -> None:
    """Pass a query that nests brackets at most so deep.

    Raises:
        QueryFailedError: it is nested more deeply.
    """
    if _nesting(query) > most:
        raise QueryFailedError(f"The query nests brackets more than {most:,} deep.")


def says_using(update: str) -> bool:
    """Tell whether an update seems to name its graphs by USING or WITH, outside of texts and IRIs.

    It is refused either way; this only chooses the reason.
    """
    return bool(re.search(r"\b(USING|WITH)\b", _DATA.sub(" ", update), re.IGNORECASE))


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if code < 0x110000 else ""


def _nesting(query: str) -> int:
    depth = deepest = 0
    for bracket in re.findall(r"[(){}\[\]]", query):
        depth += 1 if bracket in "({[" else -1
        deepest = max(deepest, depth)
    return deepest
