"""Find the files that come with the package: in a wheel, or in the checkout."""

from importlib.resources import files
from pathlib import Path
from typing import Final

_PACKAGED: Final = Path(str(files("kg"))) / "resources"
ROOT: Final = _PACKAGED if _PACKAGED.is_dir() else _PACKAGED.parent.parent

DATA: Final = ROOT / "data"
ONTOLOGY: Final = ROOT / "ontology"
SHAPES: Final = ROOT / "shapes"
SNAPSHOT: Final = ROOT / "snapshot"  # in a wheel only
