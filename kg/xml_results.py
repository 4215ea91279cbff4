"""Mend what the store writes as SPARQL Query Results XML, part by part.

XML 1.0 has no form for most control characters. Met in pyoxigraph 0.5.13: it writes them all the
same, as text that no parser reads, and carriage returns bare, which parsers turn into line feeds.
"""

import io
import re
from typing import IO, Final

from kg.errors import NotAcceptableError

_NOT_XML: Final = re.compile(rb"[\x00-\x08\x0B\x0C\x0E-\x1F]|\xEF\xBF[\xBE\xBF]")  # in UTF-8


class MendedXml(io.RawIOBase):
    """An output that escapes carriage returns, and takes nothing after what is not XML."""

    def __init__(self, output: IO[bytes]) -> None:
        """Write to an output."""
        self.refused: NotAcceptableError | None = None
        self._output = output
        self._last = b""  # a character may lie across two parts

    def writable(self) -> bool:
        """Tell that it can be written to."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # the store writes bytes alone
        """Write a part, for the store, which reports any error of ours as its own.

        Raises:
            OSError: XML cannot express it; ``refused`` says so.
        """
        if _NOT_XML.search(self._last + data):
            self.refused = NotAcceptableError(
                "XML cannot express this answer: it holds a control character, or none of "
                "Unicode. Accept application/sparql-results+json."
            )
            raise OSError
        self._last = (self._last + data)[-2:]
        self._output.write(data.replace(b"\r", b"&#xD;"))
        return len(data)
