"""Whether two servers give the same answer: the same rows, each as often, in any order."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from kg.vocab import XSD

# Engines differ in whether they say the datatype of a plain literal, and in its old name.
_TYPES: Final = {"typed-literal": "literal"}
_SILENT: Final = XSD.string.value
_VIRTUOSO_ASK: Final = "__ASK_RETVAL"  # the column of a table that stands for a boolean


def rows(body: bytes) -> Counter[object]:
    """Return the rows of an answer in SPARQL 1.1 Query Results JSON, and how often each comes.

    Raises:
        ValueError: it is no such answer.
    """
    answer = json.loads(body)
    if answer["head"].get("vars") == [_VIRTUOSO_ASK]:
        return Counter({bool(answer["results"]["bindings"]): 1})
    if "boolean" in answer:
        return Counter({answer["boolean"]: 1})
    return Counter(map(_row, answer["results"]["bindings"]))


def difference(expected: Counter[object], found: Counter[object]) -> str | None:
    """Say how an answer differs from the expected one; None if it does not."""
    if expected == found:
        return None
    missing, more = expected - found, found - expected
    shown = [f"{what} {row}" for what, of in (("without", missing), ("with", more)) for row in of]
    return f"{found.total()} rows instead of {expected.total()}: {', '.join(shown[:2])}"


def _row(binding: Mapping[str, Mapping[str, Any]]) -> frozenset[tuple[str, tuple[str, ...]]]:
    return frozenset((name, _term(term)) for name, term in binding.items())


def _term(term: Mapping[str, str]) -> tuple[str, ...]:
    datatype = term.get("datatype", "")
    return (
        _TYPES.get(term["type"], term["type"]),
        term["value"],
        "" if datatype == _SILENT else datatype,
        term.get("xml:lang", "").lower(),
    )
