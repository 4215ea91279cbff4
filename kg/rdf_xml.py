"""Mend what the store writes as RDF/XML, which cannot express every graph.

RDF/XML writes a predicate as the name of an element, and XML 1.0 has no form for most control
characters. Met in pyoxigraph 0.5.13: it writes both all the same, as text that no parser reads, and
carriage returns bare, which parsers turn into line feeds.
"""

from typing import Final
from xml.parsers import expat

from kg.errors import NotAcceptableError

INEXPRESSIBLE: Final = (
    "RDF/XML cannot express this graph: it holds a predicate that does not end in an XML name, or "
    "that the format keeps for itself, or a control character. Accept text/turtle."
)


def mend(text: bytes) -> bytes:
    """Return an RDF/XML text with its carriage returns escaped.

    Raises:
        NotAcceptableError: the graph has no form in RDF/XML.
    """
    mended = text.replace(b"\r", b"&#xD;")
    try:
        expat.ParserCreate(namespace_separator=" ").Parse(mended, True)
    except expat.ExpatError as error:
        raise NotAcceptableError(INEXPRESSIBLE) from error
    return mended
