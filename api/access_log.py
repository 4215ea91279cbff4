"""The access log: one JSON object per line, which never holds up an answer.

A thread writes. What it cannot take is lost, and counted: the stream may be slow, full or closed.
"""

import json
import os
import queue
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

_MOST: Final = 10_000  # lines that wait for the stream
_TOGETHER: Final = 100  # lines that are written at once
_LEAVE_S: Final = 2.0  # seconds that the last lines have

Entry = Mapping[str, object]


class AccessLog:
    """Writes entries to a file descriptor, in order, from a thread of its own."""

    def __init__(self, descriptor: int, lose: Callable[[], None], *, most: int = _MOST) -> None:
        """Write to a descriptor; ``lose`` is called for each entry that is not written."""
        self._descriptor, self._lose = os.dup(descriptor), lose
        self._rest = b""  # of a line of which the stream took a part
        self._entries: queue.Queue[Entry | None] = queue.Queue(most)
        self._thread = threading.Thread(target=self._run, name="access log", daemon=True)
        self._thread.start()

    def add(self, entry: Entry) -> None:
        """Take an entry, unless too many wait."""
        try:
            self._entries.put_nowait(entry)
        except queue.Full:
            self._lose()

    def close(self) -> None:
        """Write what waits, as far as the stream takes it in time."""
        try:
            self._entries.put(None, timeout=_LEAVE_S)
        except queue.Full:
            return
        self._thread.join(_LEAVE_S)

    def _run(self) -> None:
        is_open = True
        while is_open:
            entries, is_open = self._next()
            for _ in range(self._put(b"".join(map(as_line, entries)))):
                self._lose()
        os.close(self._descriptor)

    def _put(self, lines: bytes) -> int:
        """Write lines after the rest of one that was torn; return how many are lost."""
        content = self._rest + lines
        at = _write(self._descriptor, content)
        left = content[at:]
        is_torn = content[at - 1 : at] != b"\n" if at else bool(self._rest)
        self._rest = left[: left.find(b"\n") + 1] if is_torn else b""
        return left.count(b"\n") - is_torn

    def _next(self) -> tuple[list[Entry], bool]:
        """Wait for entries; tell also whether there will be more."""
        entries: list[Entry] = []
        entry = self._entries.get()
        while entry is not None:
            entries.append(entry)
            if len(entries) == _TOGETHER or self._entries.empty():
                return entries, True
            entry = self._entries.get()
        return entries, False


def as_line(entry: Entry) -> bytes:
    """Write an entry as a line of ASCII, which nothing within it can break."""
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def _write(descriptor: int, content: bytes) -> int:
    """Write as much as the stream takes; return the number of bytes."""
    written = 0
    with suppress(OSError):
        while written < len(content):
            written += os.write(descriptor, content[written:])
    return written
