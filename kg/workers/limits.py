"""What queries may take, and what is kept of their answers."""

from dataclasses import dataclass
from typing import Final

from kg.query_guard import MAX_NESTING

KIB: Final = 1 << 10
MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a pool's queries; the defaults are safe on a public endpoint."""

    workers: int = 2
    timeout: float = 30.0  # seconds until the first byte of an answer
    progress: float = 30.0  # seconds without another byte, which end a transfer
    memory: int = 1024 * MIB  # bytes of a worker, beyond the store
    result: int | None = None  # bytes of an answer
    waiting: int = 64  # queries that wait for a worker
    wait: float = 30.0  # seconds that one waits
    cache: int = 64 * MIB  # bytes of answers that are kept
    query: int = MIB  # bytes of a request with a query
    nesting: int = MAX_NESTING  # brackets of a query within each other


DEFAULTS: Final = Limits()
