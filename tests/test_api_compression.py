"""Answers in gzip for those who take it (RFC 9110, sections 8.4, 8.8.3.3 and 12.5.3)."""

import gzip
import zlib
from collections.abc import Iterator

import httpx2
import pytest

from api.compression import SMALLEST, takes_gzip
from kg.backend import StoreBackend
from kg.workers.limits import MIB, Limits
from tests.http_server import serving_by_workers

LIMITS = Limits(workers=2, timeout=20, progress=2, memory=192 * MIB)
# What is large comes in parts, what is smaller at once.
LARGE = "/sparql?query=SELECT * { ?s ?p ?o }"
MEDIUM = "/sparql?query=SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 100"
SMALL = "/sparql?query=ASK {}"
ADDRESSES = (
    LARGE,
    MEDIUM,
    f"{MEDIUM}&format=html",
    "/sparql",
    "/graph-store?default",
    "/.well-known/void",
    "/api/v1/models",
    "/api/v1/ask",
    "/docs",
    "/openapi.json",
)
GZIP = {"Accept-Encoding": "gzip"}
PLAIN = {"Accept-Encoding": "identity"}


@pytest.fixture(scope="module")
def http(backend: StoreBackend) -> Iterator[httpx2.Client]:
    with (
        serving_by_workers(backend, LIMITS) as address,
        httpx2.Client(base_url=address, timeout=60) as client,
    ):
        yield client


def _raw(
    http: httpx2.Client, address: str, headers: dict[str, str], method: str = "GET"
) -> tuple[httpx2.Headers, bytes]:
    """Return an answer's headers and its body as it was sent."""
    with http.stream(method, address, headers=headers) as response:
        assert response.status_code == 200
        return response.headers, b"".join(response.iter_raw())


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_answer_is_the_same(http: httpx2.Client, address: str) -> None:
    head, body = _raw(http, address, GZIP)
    plain_head, plain = _raw(http, address, PLAIN)
    assert head["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain_head
    assert "Accept-Encoding" in head["Vary"]
    assert head["Vary"] == plain_head["Vary"]
    assert head["Content-Type"] == plain_head["Content-Type"]
    assert sorted(gzip.decompress(body).split(b"{")) == sorted(plain.split(b"{"))
    assert len(body) < len(plain) / 2
    for headers, content in ((head, body), (plain_head, plain)):
        assert headers.get("Content-Length", str(len(content))) == str(len(content))


@pytest.mark.parametrize("address", [SMALL, "/healthz"])
def test_what_is_small_is_left_as_it_is(http: httpx2.Client, address: str) -> None:
    head, body = _raw(http, address, GZIP)
    assert len(body) < SMALLEST
    assert "Content-Encoding" not in head
    assert "Accept-Encoding" in head["Vary"]


def test_errors_are_compressed_like_answers(http: httpx2.Client) -> None:
    response = http.get("/sparql", params={"query": f"ASK {{ <{'long' * 500} }}"}, headers=GZIP)
    assert response.status_code == 400
    assert "Accept-Encoding" in response.headers["Vary"]
    assert response.json()["status"] == 400


@pytest.mark.parametrize("address", [MEDIUM, LARGE, f"{MEDIUM}&format=html", "/docs", SMALL])
@pytest.mark.parametrize("headers", [GZIP, PLAIN], ids=["gzip", "plain"])
def test_head_has_the_headers_of_get(
    http: httpx2.Client, address: str, headers: dict[str, str]
) -> None:
    _raw(http, address, headers)  # an answer that is kept has a length, one that comes has none
    get, _ = _raw(http, address, headers)
    head, body = _raw(http, address, headers, "HEAD")
    assert body == b""
    assert {**head, "date": ""} == {**get, "date": ""}


@pytest.mark.parametrize(
    ("accept_encoding", "taken"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("x-gzip", True),
        ("gzip, deflate, br, zstd", True),
        ("br;q=1.0, gzip;q=0.8, *;q=0.1", True),
        ("gzip ; q=0.001", True),
        ("*", True),
        ("identity;q=0.5, gzip", True),
        ("identity, gzip", True),
        ("identity;q=0, *", True),
        ("", False),
        ("identity", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000", False),
        ("gzip;q=0, *", False),
        ("*;q=0", False),
        ("identity, gzip;q=0.5", False),
        ("gzip;q=nan", False),
        ("gzip;q=2", False),
        ("gzipped", False),
        ("not gzip", False),
    ],
)
def test_who_takes_gzip(http: httpx2.Client, accept_encoding: str, taken: bool) -> None:
    assert takes_gzip(accept_encoding) == taken
    head, _ = _raw(http, MEDIUM, {"Accept-Encoding": accept_encoding})
    assert ("Content-Encoding" in head) == taken


# Tags


def test_each_form_has_its_tag(http: httpx2.Client) -> None:
    compressed, plain = (_raw(http, MEDIUM, headers)[0]["ETag"] for headers in (GZIP, PLAIN))
    assert compressed != plain
    assert not compressed.startswith("W/")
    for tag, headers in ((compressed, GZIP), (plain, PLAIN), (plain, GZIP)):
        for known in (tag, f"W/{tag}", f'"other", {tag}'):
            answer = http.get(MEDIUM, headers={**headers, "If-None-Match": known})
            assert (answer.status_code, answer.content) == (304, b"")
            assert answer.headers["ETag"] == tag
            assert "Accept-Encoding" in answer.headers["Vary"]


def test_the_form_that_is_better_liked_is_named(http: httpx2.Client) -> None:
    compressed, plain = (_raw(http, MEDIUM, headers)[0]["ETag"] for headers in (GZIP, PLAIN))
    answer = http.get(MEDIUM, headers={**GZIP, "If-None-Match": f"{plain}, {compressed}"})
    assert (answer.status_code, answer.headers["ETag"]) == (304, compressed)


def test_who_takes_no_gzip_is_not_sent_back_to_it(http: httpx2.Client) -> None:
    compressed = _raw(http, MEDIUM, GZIP)[0]["ETag"]
    for headers in (PLAIN, {"Accept-Encoding": "gzip;q=0"}):
        answer = http.get(MEDIUM, headers={**headers, "If-None-Match": compressed})
        assert answer.status_code == 200
        assert answer.headers["ETag"] != compressed


def test_a_small_answer_has_the_plain_tag(http: httpx2.Client) -> None:
    plain = _raw(http, SMALL, PLAIN)[0]["ETag"]
    pretended = plain.removesuffix('"') + '-gzip"'
    assert _raw(http, SMALL, GZIP)[0]["ETag"] == plain
    posted = http.post(SMALL.partition("?")[0], data={"query": "ASK {}"}, headers=GZIP)
    assert posted.headers["ETag"] == plain
    known = {**GZIP, "If-None-Match": pretended}
    assert http.post("/sparql", data={"query": "ASK {}"}, headers=known).headers["ETag"] == plain


# Answers in parts


def test_a_part_arrives_before_the_next_one_is_there(http: httpx2.Client) -> None:
    """After its rows the query is silent, and is ended: what was sent can be read until then."""
    reader = zlib.decompressobj(zlib.MAX_WBITS | 16)
    came = bytearray()
    with (
        pytest.raises(httpx2.RemoteProtocolError),
        http.stream(
            "POST", "/sparql", data={"query": _rows_then_silence(9000)}, headers=GZIP
        ) as response,
    ):
        assert response.headers["Content-Encoding"] == "gzip"
        assert "Content-Length" not in response.headers
        for part in response.iter_raw():
            came += reader.decompress(part)
    assert len(came) > 2 << 16
    assert came.startswith(b'{"head"')
    assert not reader.eof


def _rows_then_silence(rows: int) -> str:
    return (
        f"SELECT * {{ {{ SELECT * {{ ?a ?b ?c }} LIMIT {rows} }} UNION {{ ?a ?b ?c . ?d ?e ?f . "
        "?g ?h ?i FILTER(CONCAT(STR(?a), STR(?d), STR(?g)) = 'none') } }"
    )
