"""What a pool tells whoever watches it: what runs and waits, and what has ended which worker."""

from enum import StrEnum
from typing import Final, Protocol


class Cause(StrEnum):
    """What has ended a worker."""

    DEADLINE = "deadline"  # the answer did not begin in time
    STALLED = "stalled"  # an answer that had begun made no progress
    MEMORY = "memory"
    NESTING = "nesting"  # the stack of the engine
    REFUSED = "refused"  # the engine ended as it looked for another server
    LEFT = "left"  # whoever asked has left
    GROWN = "grown"  # it had answered, and kept too much memory
    CRASH = "crash"  # the query broke the engine
    IDLE = "idle"  # it had no query
    LOST = "lost"  # its fork server ended


class Observer(Protocol):
    """Watches pools; what it does holds up their event loop."""

    def waits(self, change: int) -> None:
        """Take note that so many more queries wait for a worker."""

    def runs(self, change: int) -> None:
        """Take note that so many more queries have a worker."""

    def turns_away(self) -> None:
        """Take note that a query was told to come again."""

    def ends(self, cause: Cause) -> None:
        """Take note that a worker has ended."""


class _Silent:
    """Takes no note."""

    def waits(self, change: int) -> None: ...

    def runs(self, change: int) -> None: ...

    def turns_away(self) -> None: ...

    def ends(self, cause: Cause) -> None: ...


SILENT: Final = _Silent()
