"""A synthetic graph and questions on it; made by arithmetic, so that each run has the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kg.vocab import XSD

ITEMS: Final = 40_000  # of the whole graph, which has 320,200 triples
GROUP: Final = 400  # items of one group
MAKERS: Final = 200
_KINDS: Final = 20
_COUNTRIES: Final = 20
_DISTINCT: Final = 500  # queries of one kind that differ in what they name


def triples(items: int = ITEMS) -> Iterator[str]:
    """Yield the lines of the graph in N-Triples: eight for each item, one for each maker."""
    for item in range(items):
        one = _iri("item", item)
        yield f"{one} {_iri('kind')} {_iri('kind', item % _KINDS)} .\n"
        yield f'{one} {_iri("label")} "Item {item} of the synthetic graph" .\n'
        yield f'{one} {_iri("size")} "{item * item % 997}"^^{XSD.integer} .\n'
        yield f"{one} {_iri('group')} {_iri('group', item // GROUP)} .\n"
        yield f"{one} {_iri('maker')} {_iri('maker', item * 7919 % MAKERS)} .\n"
        yield f"{one} {_iri('within')} {_iri('item', (item - 1) // 4) if item else _iri('all')} .\n"
        yield f"{one} {_iri('linked')} {_iri('item', _linked(item, items))} .\n"
        yield f"{one} {_iri('linked')} {_iri('item', (_linked(item, items) + 13) % items)} .\n"
    for maker in range(MAKERS):
        yield f"{_iri('maker', maker)} {_iri('country')} {_iri('country', maker % _COUNTRIES)} .\n"


def _iri(name: str, number: int | None = None) -> str:
    return f"<urn:bench:{name}>" if number is None else f"<urn:bench:{name}:{number}>"


def _linked(item: int, items: int) -> int:
    return (item * 7919 + 1) % items


@dataclass(frozen=True, slots=True)
class Question:
    """Queries of one kind, which differ in what they name, and how many connections ask them."""

    name: str
    queries: tuple[str, ...]
    connections: tuple[int, ...]
    is_lookup: bool


def questions(items: int = ITEMS) -> tuple[Question, ...]:
    """Return the questions on a graph with so many items."""
    some = [number * (items // _DISTINCT or 1) % items for number in range(min(_DISTINCT, items))]
    asks = (
        f"ASK {{ {_iri('item', item)} {_iri('linked')} "
        f"{_iri('item', (_linked(item, items) + number % 2) % items)} }}"
        for number, item in enumerate(some)
    )
    lookups = (f"SELECT ?label {{ {_iri('item', item)} {_iri('label')} ?label }}" for item in some)
    joins = (
        f"SELECT ?item ?label ?country {{ ?item {_iri('group')} {_iri('group', group)} ; "
        f"{_iri('label')} ?label ; {_iri('maker')} ?maker . ?maker {_iri('country')} ?country }}"
        for group in range(items // GROUP)
    )
    grouped = (
        f"SELECT ?kind (COUNT(*) AS ?links) (SUM(?size) AS ?sizes) {{ ?item {_iri('linked')} "
        f"?other . ?other {_iri('kind')} ?kind ; {_iri('size')} ?size }} GROUP BY ?kind"
    )
    paths = (
        f"SELECT (COUNT(?item) AS ?items) {{ ?item {_iri('within')}+ {_iri('item', item)} }}"
        for item in range(1, 5)
    )
    large = f"SELECT ?item ?label {{ ?item {_iri('label')} ?label }}"
    return (
        Question("ASK", tuple(asks), (1, 8), is_lookup=True),
        Question("one-hop lookup", tuple(lookups), (1, 8), is_lookup=True),
        Question("three joins, 400 rows", tuple(joins), (1, 4), is_lookup=False),
        Question("GROUP BY over 80,000 rows", (grouped,), (1, 4), is_lookup=False),
        Question("transitive path", tuple(paths), (1, 4), is_lookup=False),
        Question("result of 5 MB", (large,), (1, 4), is_lookup=False),
    )
