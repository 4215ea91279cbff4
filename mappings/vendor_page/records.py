"""A vendor's page of supported models in its copied-text form, as its lines have it.

Cells are kept as printed. A continuation row (an empty first cell) has taken over the architecture
of the row above it; nothing else is filled in.
"""

from dataclasses import dataclass
from enum import StrEnum


class Section(StrEnum):
    """The page's tables of models; the value is the heading as printed, without the mark ``¶``."""

    TEXT_ONLY = "Text-Only Language Models"
    MULTIMODAL = "Multimodal / Vision-Language Models"
    EMBEDDING = "Embedding Models"
    AUDIO = "Audio / Encoder-Decoder Models"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the page, as printed, and the line it stands on (from 1)."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One row of a table of models; ``row`` counts from 1 over the whole page."""

    line: int
    row: int
    section: Section
    architecture: str
    family: str
    repository_ids: tuple[str, ...]
    parameters: str | None


@dataclass(frozen=True, slots=True)
class QuickStart:
    """A ``vllm serve`` command; ``flags`` pairs each flag with its value (None without one)."""

    line: int
    title: str
    repository_id: str
    command: str
    flags: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class QuantizationRow:
    """One row of the quantization table; ``scope`` says of which section's models it speaks."""

    line: int
    section: Section
    scope: Statement
    quantization: str
    status: str
    notes: str


@dataclass(frozen=True, slots=True)
class VendorPage:
    """The whole page. Every list is in file order."""

    title: Statement
    intro: Statement
    compatibility: Statement
    models: tuple[ModelRow, ...]
    section_notes: tuple[tuple[Section, Statement], ...]
    multimodal_limitations: tuple[Statement, ...]
    quick_starts: tuple[QuickStart, ...]
    quantizations: tuple[QuantizationRow, ...]
    notes: tuple[Statement, ...]
    reference: Statement
