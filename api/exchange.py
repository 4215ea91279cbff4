"""What is noted of one request while it is answered, for the metrics and the access log."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from starlette.types import Scope

from kg.evaluation import Form
from kg.workers.observer import Cause

KEY: Final = "runatlas.exchange"


class Lookup(StrEnum):
    """What the cache has to do with an answer."""

    HIT = "hit"
    MISS = "miss"
    NOT_MODIFIED = "not-modified"  # the client has it


@dataclass(slots=True, kw_only=True)
class Exchange:
    """The notes on a request; what does not concern it stays empty."""

    snapshot: str = ""
    query: str = ""
    form: Form | None = None
    lookup: Lookup | None = None
    cause: Cause | None = None  # what has ended the worker

    def end(self, cause: Cause) -> None:
        """Note what has ended the worker."""
        self.cause = cause


def exchange_in(scope: Scope) -> Exchange:
    """Return the notes on a request; if nobody reads them, they are lost."""
    found: Exchange | None = scope.get(KEY)
    return found or Exchange()
