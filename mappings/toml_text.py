"""Read a small TOML file: bounded, and refused with a line where it is not TOML."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kg.errors import Problem, SourceError
from mappings.source_text import read_source_text, show_path

# tomllib needs memory in the square of a dotted key's parts: 300 MB for a file of this size.
MAX_TOML_BYTES: Final = 16 * 2**10

_BARE: Final = r"[A-Za-z0-9_-]+"
_KEY: Final = re.compile(rf"""\s*(?:\[\s*)*(?:"([^"\\]*)"|'([^']*)'|({_BARE}))\s*[.=\]]""")


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A file's values by key, and the line on which each key first stands."""

    entries: dict[str, Any]
    lines: dict[str, int]

    def line(self, key: str) -> int:
        """Return the line of a key, or 1."""
        return self.lines.get(key, 1)


def read_toml(path: Path) -> TomlFile:
    """Read a file's keys and values.

    Raises:
        SourceError: the file cannot be read, is larger than MAX_TOML_BYTES, or is not TOML.
    """
    text = read_source_text(path, max_bytes=MAX_TOML_BYTES, what="a TOML file")
    try:
        return TomlFile(tomllib.loads(text), _key_lines(text))
    except (RecursionError, ValueError) as error:  # ValueError: also a number with too many digits
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        problem = Problem(show_path(path), _line_of(reason), f"not TOML: {reason}")
        raise SourceError([problem]) from error


def _key_lines(text: str) -> dict[str, int]:
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if found := _KEY.match(line):
            lines.setdefault(found[1] or found[2] or found[3] or "", number)
    return lines


def _line_of(message: str) -> int:
    found = re.search(r"at line (\d+)", message)
    return int(found.group(1)) if found else 1
