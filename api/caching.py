"""Answers that need not be made again: tags that clients send back, and bytes that are kept."""

import hashlib
import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from kg.evaluation import Form, Request

# An answer takes this much beside its body, about: without it, empty answers without end would fit.
_BESIDE: Final = 512
# What has another value each time; a name that only looks like one of these is not kept either.
_CHANGING: Final = re.compile(r"NOW|RAND|UUID|BNODE|\\u", re.IGNORECASE)


def entity_tag(snapshot: str, request: Request, media_types: tuple[str, ...]) -> str | None:
    """Return the strong tag of an answer (RFC 9110, section 8.8.3); None for one that may change.

    The same query on the same dataset of the same snapshot, in the same formats, has the same
    answer. Its rows may come in another order from another start of the server, where the query
    does not order them.
    """
    if request.is_update or _CHANGING.search(request.query):
        return None
    asked = [snapshot, request.query, request.default_graphs, request.named_graphs, media_types]
    return f'"{hashlib.sha256(repr(asked).encode()).hexdigest()[:32]}"'


def is_known(tag: str, if_none_match: str) -> bool:
    """Tell whether a client has the answer of a tag (RFC 9110, section 13.1.2).

    ``*`` asks whether there is an answer at all, which only the query can tell.
    """
    return tag in {part.strip().removeprefix("W/") for part in if_none_match.split(",")}


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that is kept."""

    media_type: str
    form: Form
    body: bytes


class ByteCache:
    """Answers by their tags, as many as fit; those that were asked for last stay."""

    def __init__(self, size: int) -> None:
        """Keep so many bytes, which may be none; one answer may have an eighth of them."""
        self._most = self._left = size
        self.largest = size // 8
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    @property
    def size(self) -> int:
        """The bytes that the answers take which are kept."""
        return self._most - self._left

    def find(self, tag: str) -> Kept | None:
        """Return the answer of a tag, if it is kept."""
        found = self._kept.get(tag)
        if found:
            self._kept.move_to_end(tag)
        return found

    def keep(self, tag: str, answer: Kept) -> None:
        """Keep an answer, in the place of those that nobody has asked for the longest."""
        if _size(answer) > self.largest or tag in self._kept:
            return
        self._kept[tag] = answer
        self._left -= _size(answer)
        while self._left < 0:
            _, gone = self._kept.popitem(last=False)
            self._left += _size(gone)


def _size(answer: Kept) -> int:
    return len(answer.body) + _BESIDE
