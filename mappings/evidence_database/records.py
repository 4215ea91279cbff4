"""The evidence database's document, schema version 1.0, as its file has it.

Field names are the file's own keys, so that an error's JSON pointer can be found in the file.
Where a list is a set by meaning (products, integrations, precisions, execution modes), the file's
order is kept.
"""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One citation under a support path."""

    pointer: str
    type: str
    url: str
    publisher: str
    published_at: date | None
    checked_at: date
    claim: str


@dataclass(frozen=True, slots=True)
class Model:
    """One entry of ``models``; ``id`` is the file's key, ``model_id`` the repository id."""

    pointer: str
    id: str
    display_name: str
    model_id: str
    publisher: str
    family: str
    parameter_count: str
    modality: str
    architecture: str
    notes: str


@dataclass(frozen=True, slots=True)
class SupportPath:
    """One entry of ``support_paths``; ``model_id`` refers to a model's ``id``."""

    pointer: str
    id: str
    model_id: str
    platform_id: str
    product_ids: tuple[str, ...]
    integration_ids: tuple[str, ...]
    software_stack: str
    support_level: str
    precision_modes: tuple[str, ...]
    quantization: str
    execution_modes: tuple[str, ...]
    hardware_scope: str
    limitations: str
    evidence: tuple[EvidenceItem, ...]


@dataclass(frozen=True, slots=True)
class EvidenceDatabase:
    """The whole document; every id it refers to inside itself resolves."""

    schema_version: str
    database_version: str
    last_reviewed: date
    scope: str
    support_levels: dict[str, str]
    models: tuple[Model, ...]
    support_paths: tuple[SupportPath, ...]
