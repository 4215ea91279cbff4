"""Read a source file's text, and gather what is wrong with a file.

What the readers of all formats share: how a file becomes text, how a piece of it is quoted in a
message, and which strings are repository ids.
"""

import json
import re
from itertools import islice
from pathlib import Path
from typing import Final

from kg.errors import Problem, SourceError

MAX_BYTES: Final = 16 * 2**20
MAX_PROBLEMS: Final = 2**20
MAX_QUOTED: Final = 80
MAX_LISTED_LINES: Final = 20
REPOSITORY_ID: Final = re.compile(r"(?!\.+/)[A-Za-z0-9_.-]+/(?!\.+\Z)[A-Za-z0-9_.-]+")

_PRINTABLE: Final = json.JSONEncoder(ensure_ascii=False)
_ESCAPING: Final = json.JSONEncoder()
_TOO_MANY: Final = f"more than {MAX_PROBLEMS:,} bad characters: the rest was not checked"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_FIRST_ESCAPE: Final = 0xDC80  # Python's "surrogateescape" reads a bad byte 0xNN as U+DCNN
_BAD_CHARACTER: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]")


class ProblemList:
    """What is wrong with one file, gathered until its reader is done."""

    def __init__(self, path: Path) -> None:
        """Start with none; every problem will show the path as the caller wrote it."""
        self._path = str(path)
        self._problems: list[Problem] = []

    def add(self, place: int | str, message: str) -> None:
        """Note a problem.

        Raises:
            SourceError: it is one more than MAX_PROBLEMS, the bound on a hostile file's memory;
                the last problem says so.
        """
        if len(self._problems) == MAX_PROBLEMS:
            message = f"more than {MAX_PROBLEMS:,} problems: the rest of the file was not checked"
            self._problems.append(Problem(self._path, place, message))
            self.raise_if_any()
        self._problems.append(Problem(self._path, place, message))

    def raise_if_any(self) -> None:
        """Do nothing if all is well.

        Raises:
            SourceError: there are problems; by line, or in the order in which they were added.
        """
        if self._problems:
            raise SourceError(sorted(self._problems, key=_line_number))


def read_source_text(path: Path) -> str:
    r"""Return a file's text, without a byte order mark and with each line end as ``\n``.

    Reads at most MAX_BYTES + 1 bytes, whatever the file's size.

    Raises:
        SourceError: the file cannot be read, is larger than MAX_BYTES, is not UTF-8, or holds a
            control character. Each kind of bad byte or character is one problem, with its lines;
            after MAX_PROBLEMS of them the check stops and says so.
    """
    problems = ProblemList(path)
    data = _read_bytes(path, problems).removeprefix(_BYTE_ORDER_MARK)
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = data.decode("utf-8", "surrogateescape")
    _check_characters(text, problems)
    problems.raise_if_any()
    return text


def quote(text: str) -> str:
    """Quote a piece of a source for a message: one line, printable, MAX_QUOTED characters at most.

    A hostile file must not write to the reader's terminal.
    """
    cut = text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"
    return (_PRINTABLE if cut.isprintable() else _ESCAPING).encode(cut)


def _line_number(problem: Problem) -> int:
    return problem.place if isinstance(problem.place, int) else 0


def _read_bytes(path: Path, problems: ProblemList) -> bytes:
    data = b""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else str(error)
        problems.add(1, f"cannot be read: {reason}")
    if len(data) > MAX_BYTES:
        problems.add(1, f"larger than {MAX_BYTES:,} bytes, the limit for a source file")
    problems.raise_if_any()
    return data


def _check_characters(text: str, problems: ProblemList) -> None:
    for kind, lines in _bad_lines(text).items():
        problems.add(lines[0], kind + _also_on(lines))


def _bad_lines(text: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    line, end = 1, 0
    matches = islice(_BAD_CHARACTER.finditer(text), MAX_PROBLEMS + 1)
    for count, match in enumerate(matches):
        line += text.count("\n", end, match.start())
        end = match.start()
        kind = _kind_of(match[0]) if count < MAX_PROBLEMS else _TOO_MANY
        lines = found.setdefault(kind, [])
        if not lines or lines[-1] != line:
            lines.append(line)
    return found


def _kind_of(character: str) -> str:
    code = ord(character)
    return "not UTF-8" if code >= _FIRST_ESCAPE else f"control character U+{code:04X}"


def _also_on(lines: list[int]) -> str:
    if len(lines) == 1:
        return ""
    listed = ", ".join(str(line) for line in lines[1 : 1 + MAX_LISTED_LINES])
    unlisted = len(lines) - 1 - MAX_LISTED_LINES
    more = f" and {unlisted:,} more" if unlisted > 0 else ""
    return f" (also on line {listed}{more})"
