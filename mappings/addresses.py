"""Write an address in one way, so that one page is one document, however it is cited."""

import re
from typing import Final
from unicodedata import normalize
from urllib.parse import quote, unquote

from pyoxigraph import NamedNode

from kg.iris import mint_iri

SCHEME: Final = "https"
# Taken apart by RFC 3986, appendix B: any text that begins with a scheme has these parts.
_PARTS: Final = re.compile(r"https?://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.IGNORECASE)
_DEFAULT_PORT: Final = re.compile(r":0*(?:80|443)?\Z")
_ESCAPE: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_ENDING_HOST: Final = frozenset("/?#@:")
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~-]")


def mint_document(url: str) -> NamedNode:
    """Mint the IRI of the document at an address, equal for every way to write that address."""
    return mint_iri("document", canonical_address(url))


def canonical_address(url: str) -> str:
    """Return an address of http or https as one would type it: where it leads, and no more.

    The scheme is https; the host is in lower case, without user, final dot and default port; there
    is neither a fragment nor an empty query; what need not be escaped is not, and the path has no
    dot segments (RFC 3986, 6.2). Its own canonical address is the same again.
    """
    parts = _PARTS.fullmatch(url)
    if parts is None:
        return url
    authority, path, query = parts[1], parts[2], parts[3] or ""
    if query == "?":
        query = ""
    return f"{SCHEME}://{_host(authority)}{_without_dots(_escaped(path))}{_escaped(query)}"


def _host(authority: str) -> str:
    host = _DEFAULT_PORT.sub("", authority.rpartition("@")[2])
    name, colon, port = host.partition(":")
    name = _ESCAPE.sub(_read_escape, name).casefold()
    folded = normalize("NFKC", name).casefold()
    # Some characters fold to one that would end the host: no browser follows such a name.
    return (name if set(folded) & _ENDING_HOST else folded).rstrip(".") + colon + port


def _escaped(text: str) -> str:
    return _ESCAPE.sub(_read_escape, quote(text, safe="%/?:@!$&'()*+,;=~[]"))


def _read_escape(escape: re.Match[str]) -> str:
    character = unquote(escape[0])
    return character if _UNRESERVED.fullmatch(character) else escape[0].upper()


def _without_dots(path: str) -> str:
    """Remove dot segments (RFC 3986, 5.2.4); no path is the path ``/``."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments and segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
