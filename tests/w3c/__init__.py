"""The W3C's own tests, run over HTTP; they stand beside the project, not in it."""

from pathlib import Path
from typing import Final

SUITES: Final = Path(__file__).parents[3] / "shared" / "w3c" / "rdf-tests" / "sparql" / "sparql11"
ABSENT: Final = "../shared/w3c is not here"
