"""Build HTML from elements, so that text is escaped as it is written and never by hand."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

Content = Element | str

_MARKED: Final = re.compile(r"`([^`]+)`|\*([^*\s][^*]*)\*")


def element(tag: str, *content: Content, **attributes: str) -> Element:
    """Make an element; ``class_`` is the attribute class, ``data_label`` is data-label."""
    made = Element(
        tag, {name.strip("_").replace("_", "-"): value for name, value in attributes.items()}
    )
    for part in content:
        _append(made, part)
    return made


def write(elements: Iterable[Element]) -> str:
    """Write elements as HTML."""
    return "\n".join(tostring(made, encoding="unicode", method="html") for made in elements)


def code(text: str) -> Element:
    """Make a piece of code within a line."""
    return element("code", text)


def link(address: str, *content: Content) -> Element:
    """Make a link."""
    return element("a", *content, href=address)


def table(head: Sequence[str], rows: Iterable[Sequence[Sequence[Content]]]) -> Element:
    """Make a table; on a narrow screen each cell shows the head of its column."""
    made = element(
        "table",
        element("thead", element("tr", *(element("th", name, scope="col") for name in head))),
    )
    body = SubElement(made, "tbody")
    for row in rows:
        cells = zip(head, row, strict=True)
        body.append(
            element("tr", *(element("td", *content, data_label=name) for name, content in cells))
        )
    return made


def paragraphs(text: str) -> Iterator[Element]:
    """Read the little Markdown of our descriptions: paragraphs, lists, `code` and *stress*."""
    for block in re.split(r"\n{2,}", text.strip()):
        lines = block.split("\n")
        if all(line.startswith("- ") for line in lines):
            yield element("ul", *(element("li", *inline(line[2:])) for line in lines))
        else:
            yield element("p", *inline(block))


def inline(text: str) -> Iterator[Content]:
    """Read `code` and *stress* within a line."""
    done = 0
    for match in _MARKED.finditer(text):
        yield text[done : match.start()]
        yield code(match[1]) if match[1] else element("em", match[2])
        done = match.end()
    yield text[done:]


def _append(parent: Element, part: Content) -> None:
    if isinstance(part, Element):
        parent.append(part)
    elif len(parent):
        parent[-1].tail = (parent[-1].tail or "") + part
    else:
        parent.text = (parent.text or "") + part
