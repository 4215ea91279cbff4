"""Read a vendor's page of supported models in its copied-text form.

``layout`` cuts the page at its headings, ``tables`` and ``commands`` read what stands under them;
here the parts become records. Of the prose only a few tokens are asked for: the rest may be worded
in any way.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from mappings.source_text import ProblemList, quote, read_source_text
from mappings.vendor_page.commands import read_quick_start
from mappings.vendor_page.layout import (
    COMPATIBILITY,
    HEADINGS,
    LIMITATIONS,
    NOTES,
    QUANTIZATION,
    REFERENCE,
    TITLE,
    Part,
    split_page,
)
from mappings.vendor_page.records import (
    ModelRow,
    QuantizationRow,
    QuickStart,
    Section,
    Statement,
    VendorPage,
)
from mappings.vendor_page.tables import Row, read_table

INTRO_TOKENS: Final = ("AOT", "Cloud AI 100", "vLLM")
SCOPES: Final = {"text-only": Section.TEXT_ONLY}

_SECTIONS: Final = {section.value: section for section in Section}


def read_vendor_page(path: Path) -> VendorPage:
    """Read the whole page.

    Raises:
        SourceError: it is not a text (then nothing more is said), or it has other headings,
            columns, cells or commands than this package lists (then every such problem is there).
    """
    problems = ProblemList(path)
    parts = split_page(read_source_text(path), problems)
    tables = [(part, _read_rows(part, problems)) for part in parts]
    _check_ids([row for _, rows in tables for row in rows], problems)
    quick_starts = tuple(_quick_starts(parts, problems))
    by_heading = {part.heading.text: part for part in parts}
    _check_tokens(by_heading, problems)
    problems.raise_if_any()
    return VendorPage(
        title=by_heading[TITLE].heading,
        intro=by_heading[TITLE].prose[0],
        compatibility=by_heading[COMPATIBILITY].prose[0],
        models=tuple(_models(tables)),
        section_notes=tuple(_section_notes(parts)),
        multimodal_limitations=by_heading[LIMITATIONS].prose,
        quick_starts=quick_starts,
        quantizations=tuple(_quantizations(tables)),
        notes=by_heading[NOTES].prose,
        reference=by_heading[REFERENCE].prose[0],
    )


def _read_rows(part: Part, problems: ProblemList) -> list[Row]:
    body = HEADINGS.get(part.heading.text)
    if body is None or not body.columns or part.block is None:
        return []
    return read_table(part.block, body.columns, problems)


def _check_ids(rows: Sequence[Row], problems: ProblemList) -> None:
    first_lines: dict[str, int] = {}
    for row in rows:
        for repository_id in row.repository_ids():
            if repository_id in first_lines:
                first = first_lines[repository_id]
                problems.add(row.line, f"{quote(repository_id)} stands on line {first} already")
            first_lines.setdefault(repository_id, row.line)


def _quick_starts(parts: Sequence[Part], problems: ProblemList) -> Iterator[QuickStart]:
    for part in parts:
        if part.heading.text not in HEADINGS and part.block is not None:
            yield read_quick_start(part, part.block, problems)


def _check_tokens(parts: Mapping[str, Part], problems: ProblemList) -> None:
    for statement in parts[TITLE].prose[:1] if TITLE in parts else ():
        for token in INTRO_TOKENS:
            if not re.search(rf"(?<!\w){re.escape(token)}(?!\w)", statement.text):
                problems.add(statement.line, f"the introduction does not name {quote(token)}")
    for statement in parts[QUANTIZATION].prose[:1] if QUANTIZATION in parts else ():
        if _scope_of(statement) is None:
            known = ", ".join(SCOPES)
            message = f"cannot tell which section this speaks of: it names none of {known}"
            problems.add(statement.line, message)


def _scope_of(statement: Statement) -> Section | None:
    text = statement.text.lower()
    return next((section for token, section in SCOPES.items() if token in text), None)


def _models(tables: Sequence[tuple[Part, Sequence[Row]]]) -> Iterator[ModelRow]:
    of_models = [
        (_SECTIONS[part.heading.text], row)
        for part, rows in tables
        if part.heading.text in _SECTIONS
        for row in rows
    ]
    for number, (section, row) in enumerate(of_models, 1):
        yield ModelRow(
            line=row.line,
            row=number,
            section=section,
            architecture=row.cells["Architecture"],
            family=row.cells["Model Family"],
            repository_ids=row.repository_ids(),
            parameters=row.cells.get("Params"),
        )


def _section_notes(parts: Sequence[Part]) -> Iterator[tuple[Section, Statement]]:
    for part in parts:
        if part.heading.text in _SECTIONS:
            for statement in part.prose:
                yield _SECTIONS[part.heading.text], statement


def _quantizations(tables: Sequence[tuple[Part, Sequence[Row]]]) -> Iterator[QuantizationRow]:
    for part, rows in tables:
        scope = _scope_of(part.prose[0]) if part.heading.text == QUANTIZATION else None
        if scope is None:
            continue
        for row in rows:
            yield QuantizationRow(
                line=row.line,
                section=scope,
                scope=part.prose[0],
                quantization=row.cells["Quantization"],
                status=row.cells["Status"],
                notes=row.cells["Notes"],
            )
