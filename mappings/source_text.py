"""Read a source file's text, and gather what is wrong with a file.

What the readers of all formats share: how a file becomes text, how a piece of it is quoted in a
message, and which strings are repository ids and which say nothing.
"""

import json
import os
import re
from collections.abc import Iterable
from errno import EINVAL
from io import BufferedReader
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Final
from unicodedata import category

from kg.errors import Problem, SourceError

MAX_BYTES: Final = 16 * 2**20
MAX_PROBLEMS: Final = 2**20
MAX_QUOTED: Final = 80
MAX_LISTED_LINES: Final = 20
REPOSITORY_ID: Final = re.compile(r"(?!\.+/)[A-Za-z0-9_.-]+/(?!\.+\Z)[A-Za-z0-9_.-]+")
# How a count may be printed: bounded, for no number is too large for a hostile file.
NUMBER: Final = r"[0-9]{1,6}(?:\.[0-9]{1,3})?"

_PRINTABLE: Final = json.JSONEncoder(ensure_ascii=False)
_ESCAPING: Final = json.JSONEncoder()
_TOO_MANY: Final = f"more than {MAX_PROBLEMS:,} bad characters: the rest was not checked"
_LAST_PROBLEM: Final = f"more than {MAX_PROBLEMS:,} problems: the rest of the file was not checked"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_FIRST_ESCAPE: Final = 0xDC80  # Python's "surrogateescape" reads a bad byte 0xNN as U+DCNN
_BAD_CHARACTER: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]")
# Letters that nobody sees: the fillers of Hangul.
_FILLERS: Final = "\u115f\u1160\u3164\uffa0"
_UNSEEN: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
_BAD_IN_NAME: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class ProblemList:
    """What is wrong with a file, or with several, gathered until their reader is done."""

    def __init__(self, path: Path) -> None:
        """Start with none; what is added by its place will show the path as the caller wrote it."""
        self._path = show_path(path)
        self._problems: list[Problem] = []

    def add(self, place: int | str, message: str) -> None:
        """Note a problem.

        Raises:
            SourceError: it is one more than MAX_PROBLEMS, the bound on a hostile file's memory;
                the last problem says so.
        """
        self.extend([Problem(self._path, place, message)])

    def extend(self, problems: Iterable[Problem]) -> None:
        """Note the problems of this or another file.

        Raises:
            SourceError: as ``add`` does.
        """
        for problem in problems:
            if len(self._problems) == MAX_PROBLEMS:
                self._problems.append(Problem(problem.path, problem.place, _LAST_PROBLEM))
                self.raise_if_any()
            self._problems.append(problem)

    def raise_if_any(self) -> None:
        """Do nothing if all is well.

        Raises:
            SourceError: there are problems; by path and line, else in the order of their adding.
        """
        if self._problems:
            raise SourceError(sorted(self._problems, key=lambda p: (p.path, _line_number(p))))


def read_source_text(path: Path, *, max_bytes: int = MAX_BYTES, what: str = "a source file") -> str:
    r"""Return a file's text, without a byte order mark and with each line end as ``\n``.

    Reads at most ``max_bytes`` + 1 bytes, whatever the file's size; ``what`` names in a message
    the kind of file that has this limit.

    Raises:
        SourceError: the file is not a regular one (a pipe could keep us waiting), has a name that
            cannot stand on a line, cannot be read, is larger than ``max_bytes``, is not UTF-8, or
            holds a control character. Each kind of bad byte or character is one problem, with its
            lines; after MAX_PROBLEMS of them the check stops and says so.
    """
    problems = ProblemList(path)
    data = _read_bytes(path, max_bytes, problems)
    if len(data) > max_bytes:
        problems.add(1, f"larger than {max_bytes:,} bytes, the limit for {what}")
        problems.raise_if_any()
    data = data.removeprefix(_BYTE_ORDER_MARK)
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = data.decode("utf-8", "surrogateescape")
    _check_characters(text, problems)
    problems.raise_if_any()
    return text


def list_folder(folder: Path) -> list[Path]:
    """Return what a folder holds, by name, without READMEs and dot files; nothing if it is missing.

    Raises:
        SourceError: it is no folder, or cannot be read.
    """
    try:
        found = sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        raise SourceError([Problem(show_path(folder), 1, reason)]) from error
    return [path for path in found if not path.name.startswith((".", "README"))]


def show_path(path: Path) -> str:
    """Write a path as it is, or quoted where it could not stand on a line of its own."""
    return _ESCAPING.encode(str(path)) if _BAD_IN_NAME.search(str(path)) else str(path)


def quote(text: str) -> str:
    """Quote a piece of a source for a message: one line, printable, MAX_QUOTED characters at most.

    A hostile file must not write to the reader's terminal.
    """
    cut = shorten(text)
    return (_PRINTABLE if cut.isprintable() else _ESCAPING).encode(cut)


def shorten(text: str) -> str:
    """Cut a piece of a source to MAX_QUOTED characters, for a message that quotes it by ``repr``.

    What is said of a curated cell stands in single quotes, as documented in docs/data.md.
    """
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"


def says_something(text: str) -> bool:
    """Tell whether a text holds a letter or digit that can be seen: blanks and dots say nothing."""
    return any(character.isalnum() and character not in _FILLERS for character in text)


def unseen_character(text: str, *, keep: str = "") -> str | None:
    """Name the first control or format character, line separator or lone surrogate of a text."""
    for character in text:
        if character not in keep and category(character) in _UNSEEN:
            return f"U+{ord(character):04X}"
    return None


def open_regular_file(path: Path) -> BufferedReader:
    """Open a file to read its bytes; never wait, as opening a pipe or reading a device would.

    Raises:
        OSError: it is not a regular file, or cannot be opened.
    """
    # Without waiting: it may have become a pipe since it was looked at.
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")
    if not S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(EINVAL, "not a regular file")
    return file


def _line_number(problem: Problem) -> int:
    return problem.place if isinstance(problem.place, int) else 0


def _read_bytes(path: Path, max_bytes: int, problems: ProblemList) -> bytes:
    data = b""
    try:
        if problem := _path_fault(path):
            problems.add(1, problem)
        else:
            with open_regular_file(path) as file:
                data = file.read(max_bytes + 1)
    except OSError as error:
        problems.add(1, f"cannot be read: {error.strerror}")
    problems.raise_if_any()
    return data


def _path_fault(path: Path) -> str | None:
    if _BAD_IN_NAME.search(str(path)):
        return "the file's name holds a control character, a line separator or a byte not UTF-8"
    if not S_ISREG(path.stat().st_mode):
        return "not a regular file"
    if _BAD_IN_NAME.search(str(path.resolve())):
        return "leads to a name with a control character, a line separator or a byte not UTF-8"
    return None


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
