"""The stored queries: one file each; those with a question of their own can be asked by name.

A question's header says what it asks and takes:

    # Families that share an architecture
    #
    # Question: 2
    # Asks:     which families does ?source print under ?architecture?
    # Takes:    ?architecture architecture=LlamaForCausalLM: the class, exactly as printed
    # Returns:  ?family: the family; one row each, in order
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

_TAKES: Final = re.compile(r"\?(\w+) (\w+)(?:=(.*?))?: (.*)")
_RETURNS: Final = re.compile(r"\?(\w+): (.*)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value that a question takes: a variable, the kind of value, and what it is by default."""

    name: str
    kind: str
    default: str | None
    meaning: str


@dataclass(frozen=True, slots=True)
class Question:
    """A stored query that can be asked by name."""

    name: str
    title: str
    asks: str
    numbers: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    columns: tuple[tuple[str, str], ...]
    text: str


@cache
def query_text(name: str) -> str:
    """Return the text of a stored query."""
    return files(__name__).joinpath(f"{name}.rq").read_text(encoding="utf-8")


@cache
def questions() -> dict[str, Question]:
    """Return every stored question by its name, in order."""
    found = {}
    for path in sorted(files(__name__).iterdir(), key=lambda path: path.name):
        if path.name.endswith(".rq"):
            name = path.name.removesuffix(".rq")
            header = _header(query_text(name))
            if any(key == "Asks" for key, _ in header):
                found[name] = _question(name, header)
    return found


def _header(text: str) -> list[tuple[str, str]]:
    """Read the header's ``Key: value`` lines; an indented line goes on with the one above."""
    title, *lines = [line.removeprefix("#") for line in _comments(text)]
    entries = [("Title", title.strip())]
    for line in lines:
        key, separator, value = line.strip().partition(":")
        if line.startswith("   ") and len(entries) > 1:
            entries[-1] = (entries[-1][0], f"{entries[-1][1]} {line.strip()}")
        elif separator:
            entries.append((key, value.strip()))
    return entries


def _comments(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if not line.startswith("#"):
            return
        yield line


def _question(name: str, header: list[tuple[str, str]]) -> Question:
    values: dict[str, list[str]] = {}
    for key, value in header:
        values.setdefault(key, []).append(value)
    parameters = [_match(_TAKES, name, value) for value in values.get("Takes", ())]
    columns = [_match(_RETURNS, name, value) for value in values.get("Returns", ())]
    return Question(
        name,
        values["Title"][0],
        values["Asks"][0],
        tuple(", ".join(values.get("Question", ())).split(", ")) if "Question" in values else (),
        tuple(Parameter(*match.groups()) for match in parameters),
        tuple((match[1], match[2]) for match in columns),
        query_text(name),
    )


def _match(pattern: re.Pattern[str], name: str, value: str) -> re.Match[str]:
    match = pattern.fullmatch(value)
    if not match:
        raise ValueError(f"{name}.rq: the header line {value!r} does not have its form")
    return match
