"""The names by which metrics and logs know addresses: a bounded number, whatever is asked for."""

import re
from typing import Final

OTHER: Final = "other"
ROUTES: Final = (
    "/",
    "/.well-known/void",
    "/api/v1/architectures/{name}/compatible",
    "/api/v1/ask",
    "/api/v1/ask/{name}",
    "/api/v1/check",
    "/api/v1/explain",
    "/api/v1/models",
    "/api/v1/models/{org}/{name}",
    "/docs",
    "/graph-store",
    "/graph-store/{graph:path}",
    "/healthz",
    "/metrics",
    "/openapi.json",
    "/readyz",
    "/sparql",
)
METHODS: Final = frozenset(("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"))
_PLAIN: Final = frozenset(route for route in ROUTES if "{" not in route)


def _pattern(route: str) -> str:
    parts = re.split(r"\{[a-z]+(:path)?\}", route)
    return "".join(
        re.escape(part) if at % 2 == 0 else (".*" if part else "[^/]+")
        for at, part in enumerate(parts)
    )


_PATTERNS: Final = tuple(
    (re.compile(_pattern(route), re.DOTALL), route) for route in ROUTES if "{" in route
)


def route_of(path: str) -> str:
    """Return the route that answers an address, or ``other``."""
    if path in _PLAIN:
        return path
    return next((route for pattern, route in _PATTERNS if pattern.fullmatch(path)), OTHER)


def method_of(method: str) -> str:
    """Return a method by its name, or ``other``."""
    return method if method in METHODS else OTHER
