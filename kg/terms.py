"""Write RDF terms as people read them."""

import re

from pyoxigraph import Literal, NamedNode

from kg.backend import Term
from kg.iris import keys_of
from kg.vocab import ID, PREFIXES


def shorten(term: Term | None) -> str:
    """Return a literal's text, an instance's keys without their kind, or a term's CURIE."""
    if term is None:
        return ""
    if isinstance(term, Literal):
        return term.value
    if not isinstance(term, NamedNode):
        return str(term)
    if term.value.startswith(ID):
        return "/".join(keys_of(term)[1:])
    for prefix, base in PREFIXES.items():
        if term.value.startswith(base) and len(term.value) > len(base):
            return f"{prefix}:{term.value.removeprefix(base)}"
    return term.value


def words(term: NamedNode) -> str:
    """Return a term's name as words: ra:DocumentedRecipe is ``documented recipe``."""
    name = shorten(term).removeprefix("ra:")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower().replace("kvcache", "KV cache")
