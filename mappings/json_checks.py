"""Check a JSON value against what a document may hold, and note every problem with its pointer.

A check is built from smaller ones, as a document from its parts. Problems come in the order of the
document. pydantic would do for this but for hostile files: it gathers every error before it shows
one, 7 GB for a million empty objects with eight keys missing in each, where a ProblemList stops.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, TypeAlias

from mappings.json_text import JsonValue, RepeatingObject, join_pointer, kind_of
from mappings.source_text import ProblemList, quote, says_something

Check: TypeAlias = Callable[[JsonValue, str, ProblemList], None]
Keys: TypeAlias = Callable[[JsonValue], Iterable[tuple[str, str]]]

_UNWRITABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def text(accepts: Callable[[str], object], rule: str) -> Check:
    """Check for a string, not blank, that a test accepts; ``rule`` says what ``{}`` is not."""

    def check(value: JsonValue, pointer: str, problems: ProblemList) -> None:
        if not isinstance(value, str):
            problems.add(pointer, f"expected a string, found {kind_of(value)}")
        elif not value.strip():
            problems.add(pointer, "expected a string that is not blank")
        elif not says_something(value):
            problems.add(pointer, f"{quote(value)} says nothing: it holds no letter and no digit")
        elif bad := _UNWRITABLE.search(value):
            kind = "control character" if bad[0] < "\ud800" else "lone surrogate"
            problems.add(pointer, f"{kind} U+{ord(bad[0]):04X}")
        elif not accepts(value):
            problems.add(pointer, rule.format(quote(value)))

    return check


def one_of(name: str, known: Collection[str]) -> Check:
    """Check for one of the known values."""
    return text(known.__contains__, f"{name} {{}} is not one of {', '.join(known)}")


def null_or(check_value: Check) -> Check:
    """Check for null, or for what another check wants."""

    def check(value: JsonValue, pointer: str, problems: ProblemList) -> None:
        if value is not None:
            check_value(value, pointer, problems)

    return check


def list_of(check_entry: Check, keys: Keys) -> Check:
    """Check for a list whose entries pass, and in which no key comes twice."""

    def check(value: JsonValue, pointer: str, problems: ProblemList) -> None:
        if not isinstance(value, list):
            problems.add(pointer, f"expected a list, found {kind_of(value)}")
            return
        first_places: dict[tuple[str, str], str] = {}
        for index, entry in enumerate(value):
            place = f"{pointer}/{index}"
            check_entry(entry, place, problems)
            for below, key in keys(entry):
                first = first_places.setdefault((below, key), place + below)
                if first != place + below:
                    problems.add(place + below, f"{quote(key)} stands at {first} already")

    return check


def object_of(members: Mapping[str, Check]) -> Check:
    """Check for an object with exactly these keys, each given once, whose values pass."""

    def check(value: JsonValue, pointer: str, problems: ProblemList) -> None:
        if not isinstance(value, dict):
            problems.add(pointer, f"expected an object, found {kind_of(value)}")
            return
        for key in members:
            if key not in value:
                problems.add(pointer, f"missing key {quote(key)}")
        repeats = value.repeats if isinstance(value, RepeatingObject) else {}
        for key, member in value.items():
            place = join_pointer(pointer, key)
            if key in repeats:
                problems.add(place, f"key {quote(key)} is given {repeats[key]} times")
            if key in members:
                members[key](member, place, problems)
            else:
                problems.add(place, f"unknown key {quote(key)}")

    return check


def no_keys(_entry: JsonValue) -> Iterable[tuple[str, str]]:
    """Let entries of a list be alike."""
    return ()


def itself(entry: JsonValue) -> Iterable[tuple[str, str]]:
    """Take a list's string for its own key."""
    return [("", entry)] if isinstance(entry, str) else ()


def members_named(*names: str) -> Keys:
    """Take each of these members of a list's objects for a key."""

    def keys(entry: JsonValue) -> Iterable[tuple[str, str]]:
        members = entry if isinstance(entry, dict) else {}
        for name in names:
            value = members.get(name)
            if isinstance(value, str):
                yield f"/{name}", value

    return keys
