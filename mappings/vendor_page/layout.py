"""Cut a vendor's page into its parts: each heading with what the page puts under it.

A heading stands alone between blank lines, with or without the mark ``¶``. HEADINGS says what must
follow each: lines of prose, then a table, or a command.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from types import MappingProxyType
from typing import Final

from mappings.source_text import ProblemList, quote
from mappings.vendor_page.records import Section, Statement

MAX_CHARACTERS: Final = 2**20  # the real page has 5,300
MARK: Final = "¶"
TITLE: Final = "Supported Models — AOT Mode"
COMPATIBILITY: Final = "Architecture compatibility"
QUICK_START: Final = "Quick start — "
LIMITATIONS: Final = "Multimodal limitations"
QUANTIZATION: Final = "Quantization Support"
NOTES: Final = "Notes"
REFERENCE: Final = "QEfficient Reference"

MODEL_COLUMNS: Final = ("Architecture", "Model Family", "Representative Models")
QUANTIZATION_COLUMNS: Final = ("Quantization", "Status", "Notes")


@dataclass(frozen=True, slots=True)
class Body:
    """What must follow a heading: how many lines of prose, then a table's columns or a command."""

    least_prose: int = 0
    most_prose: int | None = None
    columns: tuple[str, ...] = ()
    command: bool = False


_SENTENCE: Final = Body(least_prose=1, most_prose=1)
_SENTENCES: Final = Body(least_prose=1)
_MODELS: Final = Body(columns=MODEL_COLUMNS)
_COMMAND: Final = Body(most_prose=0, command=True)

HEADINGS: Final[Mapping[str, Body]] = MappingProxyType(
    {
        TITLE: _SENTENCE,
        COMPATIBILITY: _SENTENCE,
        Section.TEXT_ONLY.value: Body(columns=(*MODEL_COLUMNS, "Params")),
        Section.MULTIMODAL.value: _MODELS,
        LIMITATIONS: _SENTENCES,
        Section.EMBEDDING.value: _MODELS,
        Section.AUDIO.value: _MODELS,
        QUANTIZATION: Body(least_prose=1, most_prose=1, columns=QUANTIZATION_COLUMNS),
        NOTES: _SENTENCES,
        REFERENCE: _SENTENCE,
    }
)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of the page with no blank line between them; ``line`` is the first one's number."""

    line: int
    lines: tuple[str, ...]

    def statements(self) -> Iterator[Statement]:
        """Yield each line with its number, without the spaces around it."""
        for line, text in enumerate(self.lines, self.line):
            yield Statement(line, text.strip(" "))

    def has_tab(self) -> bool:
        """Tell whether the block looks like a table."""
        return any("\t" in line for line in self.lines)


@dataclass(frozen=True, slots=True)
class Part:
    """A known heading, the prose under it, and its table or command."""

    heading: Statement
    prose: tuple[Statement, ...]
    block: Block | None


def split_page(text: str, problems: ProblemList) -> list[Part]:
    """Return the page's parts in file order, and note all that does not fit HEADINGS."""
    if len(text) > MAX_CHARACTERS:
        problems.add(1, f"more than {MAX_CHARACTERS:,} characters, the limit for a page")
        problems.raise_if_any()
    lines = text.removesuffix("\n").split("\n")
    headings: list[Statement] = []
    under: list[list[Block]] = [[]]
    for block in _read_blocks(lines):
        heading = _heading_of(block.lines[0])
        if heading is None:
            under[-1].append(block)
            continue
        _check_alone(block.line, lines, problems)
        headings.append(Statement(block.line, heading))
        under.append([])
    _refuse(under[0], problems)
    _check_headings(headings, len(lines), problems)
    return [
        _match_body(heading, blocks, problems)
        for heading, blocks in zip(headings, under[1:], strict=True)
        if _body_of(heading.text)
    ]


def _heading_of(line: str) -> str | None:
    """Return the heading that a line prints, known or marked as one, or None."""
    text = line.removesuffix(MARK).rstrip()
    is_heading = "\t" not in line and (MARK in line or _body_of(text) is not None)
    return text if is_heading else None


def _body_of(heading: str) -> Body | None:
    return _COMMAND if heading.startswith(QUICK_START) else HEADINGS.get(heading)


def _is_blank(line: str) -> bool:
    return "\t" not in line and not line.strip()


def _read_blocks(lines: Sequence[str]) -> Iterator[Block]:
    """Yield the blocks; a heading is one of its own even where a blank line is missing."""

    def block_key(numbered: tuple[int, str]) -> tuple[bool, int]:
        number, line = numbered
        return _is_blank(line), number if _heading_of(line) is not None else 0

    for (is_blank, _), group in groupby(enumerate(lines, 1), block_key):
        if not is_blank:
            numbers, texts = zip(*group, strict=True)
            yield Block(numbers[0], texts)


def _check_alone(line: int, lines: Sequence[str], problems: ProblemList) -> None:
    neighbours = (*lines[max(line - 2, 0) : line - 1], *lines[line : line + 1])
    if not all(_is_blank(neighbour) for neighbour in neighbours):
        problems.add(line, "a heading needs a blank line before and after it")


def _check_headings(headings: Sequence[Statement], last_line: int, problems: ProblemList) -> None:
    first_lines: dict[str, int] = {}
    for heading in headings:
        first = first_lines.setdefault(heading.text, heading.line)
        if _body_of(heading.text) is None:
            problems.add(heading.line, f"unknown heading {quote(heading.text)}")
        elif first != heading.line:
            problems.add(heading.line, f"{quote(heading.text)} stands on line {first} already")
    for known in HEADINGS:
        if known not in first_lines:
            problems.add(last_line, f"missing section {quote(known)}")


def _match_body(heading: Statement, blocks: Sequence[Block], problems: ProblemList) -> Part:
    body = HEADINGS.get(heading.text, _COMMAND)
    lead = _lead(body, blocks)
    rest = blocks[len(lead) :]
    follows = "table" if body.columns else "command" if body.command else ""
    if follows and not rest:
        problems.add(heading.line, f"{quote(heading.text)} has no {follows}")
    _refuse(rest[1:] if follows else rest, problems)
    prose = tuple(statement for block in lead for statement in block.statements())
    _check_prose(heading, body, prose, problems)
    return Part(heading, prose, rest[0] if follows and rest else None)


def _lead(body: Body, blocks: Sequence[Block]) -> Sequence[Block]:
    """Return the blocks at the start that are prose."""
    if body.columns:
        return list(takewhile(lambda block: not block.has_tab(), blocks))
    return blocks[: 0 if body.command else 1]


def _check_prose(
    heading: Statement, body: Body, prose: Sequence[Statement], problems: ProblemList
) -> None:
    if len(prose) < body.least_prose:
        problems.add(heading.line, f"{quote(heading.text)} has no text")
    for statement in prose[body.most_prose :] if body.most_prose is not None else ():
        problems.add(statement.line, f"unexpected text {quote(statement.text)}")
    for statement in prose:
        if "\t" in statement.text:
            problems.add(statement.line, f"a tab in a sentence: {quote(statement.text)}")


def _refuse(blocks: Iterable[Block], problems: ProblemList) -> None:
    for block in blocks:
        what = "heading" if len(block.lines) == 1 and not block.has_tab() else "text"
        kind = "unknown" if what == "heading" else "unexpected"
        problems.add(block.line, f"{kind} {what} {quote(block.lines[0])}")
