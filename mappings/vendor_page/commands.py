"""Read the ``vllm serve`` command under a quick start."""

import json
import re
import shlex
from collections.abc import Sequence
from typing import Final

from mappings.json_text import RepeatingObject, parse_json
from mappings.source_text import REPOSITORY_ID, ProblemList, quote
from mappings.vendor_page.layout import QUICK_START, Block, Part
from mappings.vendor_page.records import QuickStart

COMMAND: Final = ["vllm", "serve"]
MAX_CHARACTERS: Final = 10_000  # shlex takes a time that grows with the square of a word
JSON_FLAGS: Final = ("--speculative-config",)

_FLAG: Final = re.compile(r"--[a-z0-9]+(?:-[a-z0-9]+)*")


def read_quick_start(part: Part, block: Block, problems: ProblemList) -> QuickStart:
    """Read a quick start; what it returns after a problem is not to be used."""
    _check_continued(block, problems)
    words = _split_words(block, problems)
    repository_id = words[2] if len(words) > len(COMMAND) else ""
    if words and (words[:2] != COMMAND or not REPOSITORY_ID.fullmatch(repository_id)):
        problems.add(block.line, "expected a command of the form vllm serve ID --flag value")
    return QuickStart(
        line=block.line,
        title=part.heading.text.removeprefix(QUICK_START),
        repository_id=repository_id,
        command="\n".join(block.lines),
        flags=_read_flags(words[3:], block, problems),
    )


def _check_continued(block: Block, problems: ProblemList) -> None:
    *first_lines, last = block.lines
    for line, text in enumerate(first_lines, block.line):
        if not text.endswith("\\"):
            problems.add(line, "expected a backslash at the end: the command goes on below")
    if last.endswith("\\"):
        problems.add(block.line + len(first_lines), "nothing follows the backslash at the end")


def _split_words(block: Block, problems: ProblemList) -> list[str]:
    if sum(map(len, block.lines)) > MAX_CHARACTERS:
        problems.add(
            block.line, f"more than {MAX_CHARACTERS:,} characters, the limit for a command"
        )
        return []
    stripped = [line.rstrip() for line in block.lines]
    lines = (line[:-1] if line.endswith("\\") else f"{line}\n" for line in stripped)
    try:
        return shlex.split("".join(lines))
    except ValueError as error:  # an open quotation
        problems.add(block.line, f"not a shell command: {error}")
        return []


def _read_flags(
    words: Sequence[str], block: Block, problems: ProblemList
) -> tuple[tuple[str, str | None], ...]:
    flags: dict[str, str | None] = {}
    flag = ""
    for word in words:
        if _FLAG.fullmatch(word):
            if word in flags:
                problems.add(_line_of(word, block), f"flag {quote(word)} is given twice")
            flag = word
            flags[flag] = None
        elif not flag or flags[flag] is not None or word.startswith("--"):
            problems.add(_line_of(word, block), f"expected a flag, found {quote(word)}")
        else:
            flags[flag] = word
    for flag in JSON_FLAGS:
        if flag in flags and not _is_json_object(flags[flag]):
            problems.add(_line_of(flag, block), f"the value of {flag} is not a JSON object")
    return tuple(flags.items())


def _is_json_object(text: str | None) -> bool:
    try:
        value = parse_json(text or "")
    except json.JSONDecodeError:
        return False
    return isinstance(value, dict) and not isinstance(value, RepeatingObject)


def _line_of(word: str, block: Block) -> int:
    lines = enumerate(block.lines, block.line)
    return next((line for line, text in lines if word in text), block.line)
