"""Match what lint found with what curators have reviewed, and find reviews of nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from kg.backend import Backend
from kg.lint.findings import Check, Finding, Review
from kg.place_text import in_order
from kg.queries import query_text
from kg.rows import named
from kg.terms import shorten

OUTLIVED: Final = "outlived_reviews"

_Key: TypeAlias = tuple[str, str, str]


def with_reviews(backend: Backend, checks: Iterable[Check]) -> Iterator[Check]:
    """Yield checks with the reviews of what they found, then a check of reviews of nothing."""
    given = dict(_given(backend))
    met: set[_Key] = set()
    for check in checks:
        findings = []
        for finding in check.findings:
            key = check.rule, shorten(finding.focus), finding.value
            met.add(key)
            review = given[key].review if key in given else None
            findings.append(replace(finding, review=review))
        yield replace(check, findings=tuple(findings))
    gone: dict[str, list[Finding]] = {}
    for key, finding in given.items():
        if key not in met:
            gone.setdefault(key[0], []).append(replace(finding, review=None))
    for rule, found in gone.items():
        yield Check(
            OUTLIVED,
            rule,
            "Warning",
            "A row says that this was reviewed, and there is no such warning or note: take the row"
            " out of data/curated/reviewed.csv, or correct its rule, subject or value.",
            tuple(found),
        )


def _given(backend: Backend) -> Iterator[tuple[_Key, Finding]]:
    for row in backend.select(query_text("reviewed_results"), {}):
        key = shorten(row["rule"]), shorten(row["subject"]), shorten(row.get("value"))
        places = in_order(str(place) for place in backend.places(named(row["row"])))
        review = Review(shorten(row["why"]), shorten(row["read_in"]), places)
        said = " ".join(part for part in key[1:] if part)
        yield key, Finding(named(row["row"]), said, places, review)
