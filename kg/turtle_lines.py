"""Find the lines of a Turtle file on which each subject's block starts."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

_Token: TypeAlias = tuple[str, str]

# In this order: a dot inside a string, an IRI or a name ends no block.
_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*)
    |(?P<string>\"{3}(?:[^"\\]|\\.|"(?!""))*\"{3}|'{3}(?:[^'\\]|\\.|'(?!''))*'{3}
      |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |<(?P<iri>[^<>\s]*)>
    |(?P<name>(?:[\w-][\w.-]*)?:(?:[\w:%-]|\\.)?(?:(?:[\w:%.-]|\\.)*(?:[\w:%-]|\\.))?)
    |(?P<word>@?[\w+-](?:[\w.+-]*[\w+-])?)
    |(?P<sign>\^\^|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVES: Final = ("@prefix", "@base", "prefix", "base")


def subject_lines(text: str) -> Mapping[str, list[int]]:
    """Return the lines on which blocks of each subject that is an IRI start.

    The text has been parsed before: what is not Turtle is not found out here.
    """
    prefixes: dict[str, str] = {}
    lines: dict[str, list[int]] = {}
    for line, block in _blocks(text):
        kind, first = block[0]
        if kind == "word" and first.lower() in _DIRECTIVES:
            if first.lower().endswith("prefix"):
                (_, name), (_, iri) = block[1:3]
                prefixes[name.removesuffix(":")] = iri
        elif kind == "iri":
            lines.setdefault(first, []).append(line)
        elif kind == "name":
            prefix, _, local = first.partition(":")
            lines.setdefault(prefixes[prefix] + re.sub(r"\\(.)", r"\1", local), []).append(line)
    return lines


def _blocks(text: str) -> Iterator[tuple[int, list[_Token]]]:
    """Yield each block's first line and tokens, directives included."""
    block: list[_Token] = []
    start, line = 1, 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        token = (kind, match[kind])
        if kind != "space":
            start = start if block else line
            block.append(token)
        line += match[0].count("\n")
        if token == ("sign", ".") or _is_sparql_directive(block):
            yield start, block
            block = []


def _is_sparql_directive(block: list[_Token]) -> bool:
    """Tell whether a block is a directive in the form of SPARQL, which no dot ends."""
    if not block or block[0][0] != "word" or block[0][1].lower() not in ("prefix", "base"):
        return False
    return block[-1][0] == "iri"
