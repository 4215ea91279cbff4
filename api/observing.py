"""Observe every request that is answered: it is counted, and written to the access log."""

import hashlib
import time
from datetime import UTC, datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.access_log import AccessLog, Entry
from api.exchange import KEY, Exchange
from api.metrics import Metrics
from api.routes import method_of, route_of

_LONGEST = 1000  # characters of what a client says


class Observed:
    """An application whose requests are observed; it stands outside of everything else."""

    def __init__(self, app: ASGIApp, metrics: Metrics, log: AccessLog | None = None) -> None:
        """Observe an application."""
        self.app, self.metrics, self.log = app, metrics, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered; count and log it when that is over."""
        exchange = Exchange()
        began = time.perf_counter()
        start_seconds: float | None = None
        status: int | None = None
        size = 0
        is_whole = False

        async def observed(message: Message) -> None:
            nonlocal start_seconds, status, size, is_whole
            await send(message)
            if message["type"] == "http.response.start":
                status = message["status"]
                start_seconds = time.perf_counter() - began
            else:
                size += len(message.get("body", b""))
                is_whole = not message.get("more_body", False)

        try:
            await self.app({**scope, KEY: exchange}, receive, observed)
        finally:
            seconds = time.perf_counter() - began
            is_cut = status is not None and not is_whole
            route, method = route_of(scope["path"]), method_of(scope["method"])
            self.metrics.count(
                exchange,
                route=route,
                method=method,
                status=status,
                start_seconds=start_seconds,
                seconds=seconds,
                size=size,
                is_cut=is_cut,
            )
            if self.log:
                what = _entry(scope, exchange, seconds)
                self.log.add(
                    {**what, "route": route, "status": status, "bytes": size, "cut": is_cut}
                )


def _entry(scope: Scope, exchange: Exchange, seconds: float) -> Entry:
    """Return what the log says of a request; of a query only its hash."""
    digest = hashlib.sha256(exchange.query.encode(errors="replace")).hexdigest()[:16]
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "client": scope["client"][0][:_LONGEST] if scope.get("client") else None,
        "method": scope["method"][:_LONGEST],
        "path": scope["path"][:_LONGEST],
        "milliseconds": round(seconds * 1000, 3),
        "snapshot": exchange.snapshot or None,
        "query": digest if exchange.query else None,
        "form": exchange.form,
        "cache": exchange.lookup,
        "ended": exchange.cause,
    }
