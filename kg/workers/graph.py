"""The graph of a pool: where its workers read it."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """What holds a graph."""

    SNAPSHOT = "snapshot"  # a folder
    FILES = "files"  # of RDF
    DATABASE = "database"  # a folder, which each worker opens


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph by its name, and where it is."""

    name: str
    kind: Kind
    paths: tuple[Path, ...]
