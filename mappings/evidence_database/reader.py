"""Read the evidence database, schema version 1.0.

What a key may hold is a table here, one per kind of object; its order is that of the records'
fields. Tokens that only a vocabulary can judge (modality, architecture, platform, product,
integration) are left to the mapper.
"""

import json
import re
from datetime import date
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from mappings.evidence_database.records import EvidenceDatabase
from mappings.json_checks import (
    Check,
    itself,
    list_of,
    members_named,
    no_keys,
    null_or,
    object_of,
    one_of,
    text,
)
from mappings.json_text import JsonValue, parse_json
from mappings.source_text import REPOSITORY_ID, ProblemList, quote, read_source_text

SCHEMA_VERSIONS: Final = ("1.0",)
SUPPORT_LEVELS: Final = (
    "documented_recipe",
    "upstream_verified",
    "vendor_reported",
    "independently_tested",
    "integration_only",
)
LEVELS_WITHOUT_EVIDENCE: Final = ("integration_only",)
EVIDENCE_TYPES: Final = ("vendor_docs", "upstream_docs", "vendor_report", "independent_test")

_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HOST: Final = r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?"
_REST: Final = r"(?:[A-Za-z0-9._~:@!$&'()*+,;=/?-]|%[0-9A-Fa-f]{2})*"
_URL: Final = re.compile(rf"https?://{_HOST}(?:[/?]{_REST})?(?:#{_REST})?")
_ADAPTER: Final = TypeAdapter(EvidenceDatabase)


def read_evidence_database(path: Path) -> EvidenceDatabase:
    """Read the whole document.

    Raises:
        SourceError: it is not a text or not JSON (then nothing more is said); or it has other
            keys, or values of another form, than the tables here say, gives a key or an id twice,
            or refers to a model that it does not hold (then every such problem is there).
    """
    problems = ProblemList(path)
    document = _read_json(path, problems)
    _document_check(_model_ids(document))(document, "", problems)
    problems.raise_if_any()
    return _ADAPTER.validate_python(_with_pointers(document, ""))


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return bool(_DATE.fullmatch(value))


_WORDS: Final = text(bool, "")
_SLUG_TEXT: Final = text(_SLUG.fullmatch, "{} is not a lower-case slug such as amd-gpu")
_DATE_TEXT: Final = text(_is_date, "{} is not a day of the calendar, written YYYY-MM-DD")

_EVIDENCE: Final[dict[str, Check]] = {
    "type": one_of("evidence type", EVIDENCE_TYPES),
    "url": text(_URL.fullmatch, "{} is not an absolute http or https URL"),
    "publisher": _WORDS,
    "published_at": null_or(_DATE_TEXT),
    "checked_at": _DATE_TEXT,
    "claim": _WORDS,
}
_MODEL: Final[dict[str, Check]] = {
    "id": _SLUG_TEXT,
    "display_name": _WORDS,
    "model_id": text(REPOSITORY_ID.fullmatch, "{} is not a repository id such as Qwen/Qwen3-8B"),
    "publisher": _WORDS,
    "family": _WORDS,
    "parameter_count": _WORDS,
    "modality": _WORDS,
    "architecture": _WORDS,
    "notes": _WORDS,
}


def _document_check(model_ids: frozenset[str]) -> Check:
    path = object_of(_path_members(model_ids))

    def check_path(value: JsonValue, pointer: str, problems: ProblemList) -> None:
        path(value, pointer, problems)
        _check_evidence_given(value, pointer, problems)

    return object_of(
        {
            "schema_version": one_of("schema_version", SCHEMA_VERSIONS),
            "database_version": text(_VERSION.fullmatch, "{} is not a version such as 2026.11.9"),
            "last_reviewed": _DATE_TEXT,
            "scope": _WORDS,
            "support_levels": object_of(dict.fromkeys(SUPPORT_LEVELS, _WORDS)),
            "models": list_of(object_of(_MODEL), members_named("id", "model_id")),
            "support_paths": list_of(check_path, members_named("id")),
        }
    )


def _path_members(model_ids: frozenset[str]) -> dict[str, Check]:
    return {
        "id": _SLUG_TEXT,
        "model_id": text(model_ids.__contains__, "{} is not the id of an entry of /models"),
        "platform_id": _SLUG_TEXT,
        "product_ids": list_of(_SLUG_TEXT, itself),
        "integration_ids": list_of(_SLUG_TEXT, itself),
        "software_stack": _WORDS,
        "support_level": one_of("support_level", SUPPORT_LEVELS),
        "precision_modes": list_of(_WORDS, itself),
        "quantization": _WORDS,
        "execution_modes": list_of(_WORDS, itself),
        "hardware_scope": _WORDS,
        "limitations": _WORDS,
        "evidence": list_of(object_of(_EVIDENCE), no_keys),
    }


def _check_evidence_given(value: JsonValue, pointer: str, problems: ProblemList) -> None:
    members = value if isinstance(value, dict) else {}
    level = members.get("support_level")
    if members.get("evidence") == [] and level not in LEVELS_WITHOUT_EVIDENCE:
        level_text = quote(level) if isinstance(level, str) else "this"
        problems.add(f"{pointer}/evidence", f"support_level {level_text} needs evidence")


def _read_json(path: Path, problems: ProblemList) -> JsonValue:
    document: JsonValue = None
    try:
        document = parse_json(read_source_text(path))
    except json.JSONDecodeError as error:
        problems.add(error.lineno, f"not JSON: {error.msg} (column {error.colno})")
    problems.raise_if_any()
    return document


def _model_ids(document: JsonValue) -> frozenset[str]:
    models = document.get("models") if isinstance(document, dict) else None
    entries = models if isinstance(models, list) else []
    keys = members_named("id")
    return frozenset(key for entry in entries for _, key in keys(entry))


def _with_pointers(value: JsonValue, pointer: str) -> JsonValue:
    """Return a checked value in which each object in a list tells its own place."""
    if isinstance(value, dict):
        return {key: _with_pointers(member, f"{pointer}/{key}") for key, member in value.items()}
    if isinstance(value, list):
        return [_located(entry, f"{pointer}/{index}") for index, entry in enumerate(value)]
    return value


def _located(entry: JsonValue, pointer: str) -> JsonValue:
    inside = _with_pointers(entry, pointer)
    return {**inside, "pointer": pointer} if isinstance(inside, dict) else inside
