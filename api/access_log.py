"""The access log: one JSON object per line, which never holds up an answer.

A thread writes. What it cannot take is lost, and counted: the stream may be slow, full or closed.
"""

import json
import os
import queue
import threading
from collections.abc import Callable, Mapping
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
            try:
                _write(self._descriptor, b"".join(map(as_line, entries)))
            except OSError:
                for _ in entries:
                    self._lose()
        os.close(self._descriptor)

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


def _write(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]
