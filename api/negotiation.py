"""Choose a response's media type (RFC 9110, section 12.5.1)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, TypeVar

from pyoxigraph import QueryResultsFormat, RdfFormat

Format = TypeVar("Format", QueryResultsFormat, RdfFormat)


@dataclass(frozen=True, slots=True)
class Offer(Generic[Format]):
    """A media type that we answer in, and the format that it names."""

    media_type: str
    format: Format

    @property
    def is_alias(self) -> bool:
        """Tell whether the format has another media type of its own."""
        return not self.format.media_type.startswith(self.media_type)


KEPT: Final = 128  # header fields whose meaning is kept; each has at most 64 KiB

# Our preference first: it decides between equals, and answers a missing Accept.
RESULTS: Final = (
    Offer("application/sparql-results+json", QueryResultsFormat.JSON),
    Offer("application/json", QueryResultsFormat.JSON),
    Offer("application/sparql-results+xml", QueryResultsFormat.XML),
    Offer("text/csv", QueryResultsFormat.CSV),
    Offer("text/tab-separated-values", QueryResultsFormat.TSV),
)
GRAPHS: Final = (
    Offer("text/turtle", RdfFormat.TURTLE),
    Offer("application/n-triples", RdfFormat.N_TRIPLES),
    Offer("application/ld+json", RdfFormat.JSON_LD),
    Offer("application/rdf+xml", RdfFormat.RDF_XML),
    Offer("application/n-quads", RdfFormat.N_QUADS),
    Offer("application/trig", RdfFormat.TRIG),
)
# What ``format=`` names, for clients that cannot set Accept: a format for tables, one for graphs.
FORMATS: Final[Mapping[str, tuple[Offer[QueryResultsFormat] | None, Offer[RdfFormat] | None]]] = {
    "json": (RESULTS[0], GRAPHS[2]),
    "xml": (RESULTS[2], GRAPHS[3]),
    "csv": (RESULTS[3], None),
    "tsv": (RESULTS[4], None),
    "turtle": (None, GRAPHS[0]),
    "ntriples": (None, GRAPHS[1]),
    "jsonld": (None, GRAPHS[2]),
    "rdfxml": (None, GRAPHS[3]),
    "nquads": (None, GRAPHS[4]),
    "trig": (None, GRAPHS[5]),
    # as SPARQLWrapper calls them
    "n3": (None, GRAPHS[0]),
    "json-ld": (None, GRAPHS[2]),
    "rdf+xml": (None, GRAPHS[3]),
    "rdf": (None, GRAPHS[3]),
}

# Pages for people: an offer beside the others, and what ``format=`` calls it.
PAGE: Final = "html"
PAGE_TYPE: Final = "text/html"

_PART: Final = re.compile(r'(?:[^,"]|"(?:[^"\\]|\\.)*"?)+')
_PARAMETER: Final = re.compile(r'\s*;\s*([^\s=;]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;]*)')
_RANGE: Final = re.compile(r"\s*([^\s;,/]+)/([^\s;,/]+)")


@dataclass(frozen=True, slots=True)
class _Range:
    """A media range of an Accept header, and its weight."""

    type: str
    subtype: str
    parameters: frozenset[tuple[str, str]]
    weight: float

    def specificity(self, media_type: str) -> int:
        """Tell how closely the range names a media type; 0 if it does not match.

        The one parameter that our answers have is a charset of UTF-8.
        """
        type_, _, subtype = media_type.partition("/")
        if not self.parameters <= {("charset", "utf-8")}:
            return 0
        if (self.type, self.subtype) == (type_, subtype):
            return 4 if self.parameters else 3
        if (self.type, self.subtype) == (type_, "*"):
            return 2
        return 1 if (self.type, self.subtype) == ("*", "*") else 0


def negotiate(accept: str | None, offers: Sequence[Offer[Format]]) -> Offer[Format] | None:
    """Return the offer that the client likes best, or None if it accepts none of them.

    Of equal weights, the one that the client names more closely wins, then our preference.
    """
    ranges = tuple(_parse(accept if accept and accept.strip() else "*/*"))
    best = max(offers, key=lambda offer: _preference(offer.media_type, ranges))
    return best if _preference(best.media_type, ranges)[0] > 0 else None


@lru_cache(KEPT)
def prefers_page(accept: str | None) -> bool:
    """Tell whether the client likes a page better than any format for programs; browsers do.

    Of equal weights, the one that the client names more closely wins; a page never by preference.
    Programs in Java send ``text/html`` when they say nothing, but with a range of their own.
    """
    if not accept or PAGE_TYPE not in accept.lower():
        return False
    parts = _PART.findall(accept)
    if any(part.partition(";")[0].strip() == "*" for part in parts):
        return False
    ranges = tuple(_parse(accept))
    weight, closeness = _preference(PAGE_TYPE, ranges)
    others = max(_preference(offer.media_type, ranges) for offer in (*RESULTS, *GRAPHS))
    return weight > 0 and (weight, closeness) > others


def _parse(accept: str) -> Iterator[_Range]:
    """Read the media ranges; what is none, or has a weight that is none, matches nothing."""
    for part in _PART.findall(accept.lower()):
        match = _RANGE.match(part)
        if match:
            parameters = {
                name: value.strip('"') for name, value in _PARAMETER.findall(part, match.end())
            }
            weight = weight_of(parameters.pop("q", "1"))
            if weight is not None:
                yield _Range(match[1], match[2], frozenset(parameters.items()), weight)


def weight_of(text: str) -> float | None:
    """Return the weight that a text gives (RFC 9110, section 12.4.2), or None if it is none."""
    return float(text) if re.fullmatch(r"0?\.\d+|[01](?:\.0*)?|0\.\d*", text) else None


def _preference(media_type: str, ranges: Sequence[_Range]) -> tuple[float, int]:
    """Return the weight that the closest range gives a media type, and how close it is."""
    closest = max(
        ((range_.specificity(media_type), range_.weight) for range_ in ranges), default=(0, 0.0)
    )
    return (closest[1], closest[0]) if closest[0] else (0.0, 0)
