"""One page is one document, however its address is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mappings.addresses import canonical_address, mint_document

PAGE = "https://example.org/docs/guide"


@pytest.mark.parametrize(
    "url",
    [
        PAGE,
        "http://example.org/docs/guide",
        "https://example.org/docs/guide#install",
        "https://example.org/docs/guide#",
        "https://example.org/docs/guide?",
        "https://example.org/docs/guide?#install",
        "https://Example.ORG/docs/guide",
        "HTTPS://example.org/docs/guide",
        "https://example.org:443/docs/guide",
        "http://example.org:80/docs/guide",
        "https://example.org:/docs/guide",
        "https://example.org:0443/docs/guide",
        "https://example.org./docs/guide",
        "https://reader@example.org/docs/guide",
        "https://reader:secret@example.org/docs/guide",
        "https://ex%61mple.org/docs/guide",
        "https://\uff45xample.org/docs/guide",
        "https://example.org/docs/%67uide",
        "https://example.org/docs/./guide",
        "https://example.org/docs/old/../guide",
        "https://example.org/../docs/guide",
        "https://example.org/docs/%2e/guide",
    ],
)
def test_spellings_of_one_page(url: str) -> None:
    assert canonical_address(url) == PAGE
    assert mint_document(url) == mint_document(PAGE)


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("https://example.org", "https://example.org/"),
        ("http://example.org?page=1", "https://example.org/?page=1"),
        ("https://example.org/a/b/..", "https://example.org/a/"),
        ("https://example.org/a/.", "https://example.org/a/"),
        ("https://example.org/a%2fb", "https://example.org/a%2Fb"),
        ("https://example.org/caf\u00e9", "https://example.org/caf%C3%A9"),
        ("https://example.org/100%", "https://example.org/100%"),
        ("https://example.org/a//b", "https://example.org/a//b"),
        ("https://example.org/%C3%A9?q=%7e", "https://example.org/%C3%A9?q=~"),
    ],
)
def test_another_address_is_another_page(url: str, canonical: str) -> None:
    assert canonical_address(url) == canonical


@pytest.mark.parametrize(
    "other",
    [
        "https://example.org/docs/guide/",
        "https://example.org/docs/Guide",
        "https://example.org/docs/guide?v=2",
        "https://www.example.org/docs/guide",
        "https://example.org:8080/docs/guide",
        "https://example.org/docs%2Fguide",
        "https://example.org%2Fdocs/guide",
        "https://example.org\uff0fdocs/guide",
    ],
)
def test_what_a_server_may_tell_apart_stays_apart(other: str) -> None:
    assert mint_document(other) != mint_document(PAGE)


@given(st.text(max_size=60))
def test_a_canonical_address_is_its_own(rest: str) -> None:
    once = canonical_address(f"https://{rest}")
    assert canonical_address(once) == once
    assert mint_document(once)
