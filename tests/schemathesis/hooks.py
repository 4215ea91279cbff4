"""What Schemathesis does not know by itself: how a query is sent, and what may be refused."""

from typing import Any, Final

import schemathesis
from schemathesis import Case, CheckContext, Response, SerializationContext

# Why a request that fits its schema may be a 400, by what it says.
_NARROWED: Final = (
    *("is not NAME or NAME==RELEASE", "lacks a release", "is not a role"),
    *("is not a list of names", "takes its platform", "give a target", "on one target"),
)
_EXCUSES: Final = {
    "/api/v1/check": _NARROWED,
    "/api/v1/explain": (*_NARROWED, "iri stands alone", "Give iri, or model and on"),
    "/api/v1/architectures/{name}/compatible": ("takes its platform",),
    "/graph-store": ("Exactly one graph is needed", "is no IRI"),
}


@schemathesis.serializer("application/sparql-query")
def write_query(_context: SerializationContext, value: Any) -> bytes:
    """Send a query as it is."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.check
def only_names_are_refused(_context: CheckContext, response: Response, case: Case[Any]) -> None:
    """Let a request that fits its schema be refused for a name that the graph does not have."""
    meta = case.meta
    if response.status_code != 400 or not meta or not meta.generation.mode.is_positive:
        return
    problem = response.json()
    if case.path == "/sparql" or "did_you_mean" in problem:
        return
    said = problem["detail"]
    excuses = (*_EXCUSES.get(case.path, ()), "is not a date")  # such as 2026-02-30
    assert any(excuse in said for excuse in excuses), said
