"""Answers are kept within a number of bytes, and those that nobody asks for go first."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Final

import pytest
from pyoxigraph import Store
from starlette.testclient import TestClient

from api.app import create_endpoint
from api.caching import ByteCache, Kept
from kg.answerer import InProcess, Parts
from kg.backend import Backend, StoreBackend
from kg.evaluation import Form, Request
from kg.snapshot import Snapshot
from kg.workers.limits import KIB, Limits
from kg.workers.observer import Cause

ASK: Final = "ASK { ?s ?p ?o }"


def _kept(size: int) -> Kept:
    return Kept("text/csv", Form.TABLE, b"x" * size)


def _found(cache: ByteCache, tags: range) -> list[int]:
    return [tag for tag in tags if cache.find(str(tag))]


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_answers_fit_into_the_bytes_that_there_are(size: int) -> None:
    """Empty ones too: else whoever asks without end for nothing would fill the memory."""
    cache = ByteCache(64 * KIB)
    for tag in range(1000):
        cache.keep(str(tag), _kept(size))
    found = _found(cache, range(1000))
    assert 0 < len(found) <= 64 * KIB / (size + 100)
    assert found == [*range(1000 - len(found), 1000)]


def test_what_was_asked_for_last_stays() -> None:
    cache = ByteCache(64 * KIB)
    for tag in range(1000):
        cache.keep(str(tag), _kept(1000))
        assert cache.find("0")
    assert not cache.find("1")


def test_an_answer_that_would_take_the_place_of_many_is_not_kept() -> None:
    cache = ByteCache(64 * KIB)
    cache.keep("small", _kept(1))
    cache.keep("large", _kept(8 * KIB))
    assert cache.find("small")
    assert not cache.find("large")


@pytest.mark.parametrize("size", [0, 1])
def test_a_cache_of_no_bytes_keeps_nothing(size: int) -> None:
    cache = ByteCache(0)
    cache.keep("tag", _kept(size))
    assert not cache.find("tag")


@pytest.mark.parametrize(("cache", "asked"), [(64 * KIB, 1), (0, 2)])
def test_the_setting_decides_whether_the_same_query_is_answered_anew(
    cache: int, asked: int
) -> None:
    backend = StoreBackend(Snapshot("test", Path(), {}, Store(), {}))
    counting = _Counting(backend)
    app = create_endpoint(backend, counting, limits=Limits(cache=cache))
    with TestClient(app) as client:
        answers = [client.get("/sparql", params={"query": ASK}) for _ in range(2)]
    assert answers[0].content == answers[1].content
    assert answers[0].headers["etag"] == answers[1].headers["etag"]
    assert counting.asked == asked


class _Counting:
    """Answers, and counts how often."""

    is_ready = True

    def __init__(self, backend: Backend) -> None:
        self._answerer = InProcess(backend)
        self.asked = 0

    def answer(
        self,
        request: Request,
        *,
        client: str = "",
        timeout: float | None = None,
        tell: Callable[[Cause], None] | None = None,
    ) -> AbstractAsyncContextManager[Parts]:
        self.asked += 1
        return self._answerer.answer(request, client=client, timeout=timeout, tell=tell)
