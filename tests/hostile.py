"""What strangers send to break an endpoint, and a graph on which it hurts."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

CLIQUE: Final = 300  # nodes that all know each other
SPOKES: Final = 20_000  # triples of one hub
LOOKUPS: Final = 1_000  # things with a value each, which others ask for meanwhile
FORMULAS: Final = ("=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", '"=1+1"')

QUERY: Final = "application/sparql-query"
FORM: Final = "application/x-www-form-urlencoded"

_ALL: Final = "?a ?b ?c"
_PRODUCT: Final = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i"
_COUNT: Final = "(COUNT(*) AS ?n)"
_HUNDRED_THOUSAND: Final = ",".join(map(str, range(100_000)))
_DOUBLED: Final = " ".join(f"BIND(CONCAT(?x{i}, ?x{i}) AS ?x{i + 1})" for i in range(30))

# Each query, and the statuses that are right for it: its answer if there is time for it, or the
# limit that it meets.
QUERIES: Final[Mapping[str, tuple[str, frozenset[int]]]] = {
    name: (query, frozenset(statuses))
    for name, query, *statuses in (
        ("5,000 nested (", f"ASK {{ FILTER({'(' * 5000}1{')' * 5000}) }}", 400),
        ("5,000 nested {", f"ASK {'{' * 5000}{'}' * 5000}", 400),
        (
            "20,000 terms of ||",
            f"ASK {{ {_ALL} FILTER({'||'.join(f'?c={i}' for i in range(20_000))}) }}",
            *(200, 400, 504, 507),
        ),
        (
            "20,000 terms of UNION",
            f"ASK {{ {' UNION '.join(f'{{ ?a ?b {i} }}' for i in range(20_000))} }}",
            *(200, 400, 504, 507),
        ),
        (
            "IN of 100,000 terms",
            f"SELECT {_COUNT} {{ {_ALL} FILTER(?c IN ({_HUNDRED_THOUSAND})) }}",
            *(200, 504, 507),
        ),
        ("CONCAT doubled 30 times", f"SELECT * {{ BIND('x' AS ?x0) {_DOUBLED} }}", 504, 507),
        ("cross join, COUNT", f"SELECT {_COUNT} {{ {_PRODUCT} }}", 504),
        ("p* over a clique", f"SELECT {_COUNT} {{ ?a <p:knows>* ?b }}", 200, 504, 507),
        ("((p*)*)* over a clique", f"SELECT {_COUNT} {{ ?a ((<p:knows>*)*)* ?b }}", 200, 504, 507),
        (
            "ORDER BY over a cross product, LIMIT",
            "SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY ?f ?c LIMIT 1",
            *(504, 507),
        ),
        ("GROUP_CONCAT of everything", f"SELECT (GROUP_CONCAT(?c) AS ?g) {{ {_ALL} }}", 200),
        (
            "GROUP_CONCAT of a cross product",
            "SELECT (GROUP_CONCAT(?b) AS ?g) { ?a ?b ?c . ?d ?e ?f }",
            *(504, 507),
        ),
        ("DESCRIBE of a hub", "DESCRIBE <s:hub>", 200),
        ("NUL", "ASK { ?s ?p '\0' }", 200, 400),
        ("a regular expression", "ASK { ?a ?b ?c FILTER(REGEX(STR(?c), '(a*)*(a*)*$')) }", 200),
    )
}

# Each body, with its media type and other fields, and the status that is right for it.
BODIES: Final[Mapping[str, tuple[bytes, Mapping[str, str], int]]] = {
    "10 MB of query": (b"ASK {" + b" " * 10_000_000 + b"}", {"Content-Type": QUERY}, 413),
    "10 MB of form": (b"query=ASK{" + b"+" * 10_000_000 + b"}", {"Content-Type": FORM}, 413),
    "invalid UTF-8": (b"ASK { ?s ?p '\xff' }", {"Content-Type": QUERY}, 400),
    "invalid UTF-8 in a form": (b"query=ASK%20%7B%FF%7D", {"Content-Type": FORM}, 400),
    "gzip bomb": (
        b"\x1f\x8b" + bytes(1000),
        {"Content-Type": QUERY, "Content-Encoding": "gzip"},
        415,
    ),
}


def write_graph(file: Path) -> None:
    """Write a clique, a hub, things to look up, and texts that a spreadsheet would calculate."""
    file.write_text("".join(_lines()), encoding="utf-8")


def value_of(number: int) -> int:
    """Return the value of a thing to look up."""
    return number * 7919 % 10_007


def lookup(number: int) -> str:
    """Return the query for that value."""
    return f"SELECT ?value {{ <s:thing/{number}> <p:value> ?value }}"


def _lines() -> Iterator[str]:
    for one in range(CLIQUE):
        for other in range(CLIQUE):
            if one != other:
                yield f"<s:{one}> <p:knows> <s:{other}> .\n"
    for number in range(SPOKES):
        yield f'<s:hub> <p:spoke> "{number}" .\n'
    for number in range(LOOKUPS):
        yield (
            f"<s:thing/{number}> <p:value> "
            f'"{value_of(number)}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
        )
    for text in FORMULAS:
        escaped = text.replace('"', '\\"')
        yield f'<s:formulas> <p:formula> "{escaped}" .\n'
