"""What the server counts, in the text format of Prometheus; docs/operations.md tells of each."""

from collections.abc import Callable, Iterator
from typing import Final

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from api.exchange import Exchange, Lookup
from kg import __version__
from kg.evaluation import Form
from kg.workers.observer import Cause

MEDIA_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
NONE: Final = "none"  # the status of a request that got no answer
_BUCKETS: Final = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
)


class Metrics:
    """The metrics of one server; they outlive a switch to other data, and watch every pool."""

    def __init__(self) -> None:
        """Count from nothing."""
        self.registry = registry = CollectorRegistry()
        build = Info("runatlas_build", "The version of the software.", registry=registry)
        build.info({"version": __version__})
        self._snapshot = Gauge(
            "runatlas_snapshot_info", "The snapshot that answers.", ["snapshot"], registry=registry
        )
        self._add_http()
        self._add_sparql()
        ProcessCollector(registry=registry)
        self._requests: dict[tuple[str, str, str], Counter] = {}
        self._by_route: dict[str, tuple[Histogram, Histogram, Counter]] = {}

    def _add_http(self) -> None:
        registry = self.registry
        self._http = Counter(
            "runatlas_http_requests",
            "Requests, when their answers are over.",
            ["route", "method", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "runatlas_http_request_duration_seconds",
            "Time from the head of a request to the end of its answer.",
            ["route"],
            registry=registry,
            buckets=_BUCKETS,
        )
        self._start_seconds = Histogram(
            "runatlas_http_response_start_seconds",
            "Time from the head of a request to the beginning of its answer.",
            ["route"],
            registry=registry,
            buckets=_BUCKETS,
        )
        self._bytes = Counter(
            "runatlas_http_response_bytes",
            "Bytes of bodies that were sent, as compressed.",
            ["route"],
            registry=registry,
        )
        self._cut = Counter(
            "runatlas_http_responses_cut", "Answers that ended before their end.", registry=registry
        )
        self._connections = Gauge(
            "runatlas_http_connections", "Connections that are open.", registry=registry
        )
        self._refused = Counter(
            "runatlas_http_connections_refused",
            "Connections that were refused before a request was read.",
            ["status"],
            registry=registry,
        )
        self._lost = Counter(
            "runatlas_access_log_lost_lines",
            "Lines of the access log that its stream did not take.",
            registry=registry,
        )

    def _add_sparql(self) -> None:
        registry = self.registry
        forms = Counter(
            "runatlas_sparql_answers", "Answers to queries.", ["form"], registry=registry
        )
        self._forms = {form: forms.labels(form) for form in Form}
        lookups = Counter(
            "runatlas_cache_lookups", "Looks into the cache.", ["result"], registry=registry
        )
        self._lookups = {lookup: lookups.labels(lookup) for lookup in Lookup}
        self._cache = Gauge(
            "runatlas_cache_bytes", "Bytes of answers that are kept.", registry=registry
        )
        self._is_behind = Gauge(
            "runatlas_snapshot_behind",
            "1 while older data are served because the newest could not be opened.",
            registry=registry,
        )
        self._running = Gauge(
            "runatlas_queries_running", "Queries that have a worker.", registry=registry
        )
        self._waiting = Gauge(
            "runatlas_queries_waiting", "Queries that wait for a worker.", registry=registry
        )
        self._turned_away = Counter(
            "runatlas_queries_turned_away",
            "Queries that found too many waiting.",
            registry=registry,
        )
        ended = Counter(
            "runatlas_workers_ended", "Workers that ended.", ["cause"], registry=registry
        )
        self._ended = {cause: ended.labels(cause) for cause in Cause}

    def count(
        self,
        exchange: Exchange,
        *,
        route: str,
        method: str,
        status: int | None,
        start_seconds: float | None,
        seconds: float,
        size: int,
        is_cut: bool,
    ) -> None:
        """Count a request whose answer is over; a label is looked up once."""
        key = (route, method, str(status or NONE))
        requests = self._requests.get(key)
        if requests is None:
            requests = self._requests[key] = self._http.labels(*key)
        requests.inc()
        by_route = self._by_route.get(route)
        if by_route is None:
            by_route = self._by_route[route] = (
                self._start_seconds.labels(route),
                self._seconds.labels(route),
                self._bytes.labels(route),
            )
        if start_seconds is not None:
            by_route[0].observe(start_seconds)
        by_route[1].observe(seconds)
        by_route[2].inc(size)
        if is_cut:
            self._cut.inc()
        if exchange.form:
            self._forms[exchange.form].inc()
        if exchange.lookup:
            self._lookups[exchange.lookup].inc()

    def fails_to_renew(self) -> None:
        """Take note that newer data could not be opened."""
        self._is_behind.set(1)

    def serves(self, snapshot: str) -> None:
        """Take note of the snapshot that answers from now on, and is the newest."""
        self._is_behind.set(0)
        self._snapshot.clear()
        self._snapshot.labels(snapshot).set(1)

    def watch_connections(self, count: Callable[[], int]) -> None:
        """Have open connections counted when they are asked for."""
        self._connections.set_function(count)

    def watch_cache(self, size: Callable[[], int]) -> None:
        """Have the bytes of a cache counted when they are asked for, in the place of another's."""
        self._cache.set_function(size)

    def refuses(self, status: int) -> None:
        """Take note that a connection was refused."""
        self._refused.labels(str(int(status))).inc()

    def loses(self) -> None:
        """Take note that a line of the access log was lost."""
        self._lost.inc()

    def waits(self, change: int) -> None:
        """Take note that so many more queries wait for a worker."""
        self._waiting.inc(change)

    def runs(self, change: int) -> None:
        """Take note that so many more queries have a worker."""
        self._running.inc(change)

    def turns_away(self) -> None:
        """Take note that a query was told to come again."""
        self._turned_away.inc()

    def ends(self, cause: Cause) -> None:
        """Take note that a worker has ended."""
        self._ended[cause].inc()

    def write(self) -> bytes:
        """Write all of them in the text format."""
        return generate_latest(_Current(self.registry))


class _Current(Collector):
    """A registry without the times at which its series were made, which only OpenMetrics knows."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterator[Metric]:
        for family in self._registry.collect():
            family.samples = [
                sample for sample in family.samples if not sample.name.endswith("_created")
            ]
            yield family
