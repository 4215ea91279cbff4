"""Mint the IRIs of instances and of named graphs."""

from functools import lru_cache
from urllib.parse import quote, unquote

from pyoxigraph import NamedNode

from kg.vocab import CURATED_GRAPHS, ID, OVERLAY_GRAPHS, SOURCE_GRAPHS


def mint_iri(kind: str, *keys: str) -> NamedNode:
    """Mint an instance's IRI from the keys that identify it at its source.

    Equal keys give equal IRIs, so a rebuild from unchanged sources yields unchanged quads.
    Distinct keys give distinct IRIs: each is percent-encoded on its own, never shortened, hashed or
    normalised.
    """
    return NamedNode(f"{ID}{kind}/{_path(keys)}")


def mint_checkpoint(repository_id: str) -> NamedNode:
    """Mint a checkpoint's IRI: its repository id, organisation and name as two segments."""
    return mint_iri("checkpoint", *repository_id.split("/"))


def mint_part(kind: str, whole: NamedNode, *keys: str) -> NamedNode:
    """Mint the IRI of a part of something: the whole's keys, then its own."""
    return mint_iri(kind, *keys_of(whole)[1:], *keys)


def keys_of(iri: NamedNode) -> tuple[str, ...]:
    """Return the kind and the keys that an instance's IRI was minted from."""
    return tuple(unquote(key) for key in iri.value.removeprefix(ID).split("/"))


def local_name(iri: NamedNode) -> str:
    """Return what stands after the last slash or hash of an IRI."""
    return unquote(iri.value.rpartition("/")[2].rpartition("#")[2])


def source_graph(source: str, release: str, overlay: str | None = None) -> NamedNode:
    """Name the graph of one release of a source; a user's own go below the overlay's name."""
    if overlay is None:
        return NamedNode(SOURCE_GRAPHS + _path((source, release)))
    return NamedNode(OVERLAY_GRAPHS + _path((overlay, "source", source, release)))


def curated_graph(table: str, overlay: str | None = None) -> NamedNode:
    """Name the graph of one curated table; a user's own go below the overlay's name."""
    if overlay is None:
        return NamedNode(CURATED_GRAPHS + _path((table,)))
    return NamedNode(OVERLAY_GRAPHS + _path((overlay, "curated", table)))


def _path(keys: tuple[str, ...]) -> str:
    return "/".join(map(_encoded, keys))


# The same few kinds, names and tables are encoded again and again.
@lru_cache(maxsize=4096)
def _encoded(key: str) -> str:
    return quote(key, safe="")
