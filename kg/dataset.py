"""Open any files of RDF as what can be served, without our ontology and without places."""

import hashlib
import os
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from pyoxigraph import RdfFormat, Store, parse

from kg.errors import Problem, SourceError
from kg.snapshot import Snapshot
from kg.store import Keep, in_memory
from kg.vocab import BASE

FORMATS: Final[Mapping[str, RdfFormat]] = {
    **{"ttl": RdfFormat.TURTLE, "n3": RdfFormat.N3, "nt": RdfFormat.N_TRIPLES},
    **{"nq": RdfFormat.N_QUADS, "trig": RdfFormat.TRIG},
    **{"jsonld": RdfFormat.JSON_LD, "json": RdfFormat.JSON_LD},
    **{"rdf": RdfFormat.RDF_XML, "xml": RdfFormat.RDF_XML, "owl": RdfFormat.RDF_XML},
}


def open_dataset(files: Sequence[Path], keep: Keep | None = None) -> Snapshot:
    """Load files into one store: triples into its default graph, quads where they say.

    The format follows from a file's extension. The name follows from what the files hold, and
    their names. Relative IRIs are relative to our base, as in queries, and to the file's name
    there: where the file is tells nobody anything. ``keep`` gives the store; without it, that is in
    memory.

    Raises:
        SourceError: files cannot be read: each, with the line where reading ends.
    """
    try:
        name = _name(files)
        store = (keep or in_memory)(name, lambda store: _load(files, name, store))
    except (OSError, SyntaxError, KeyError) as error:
        found = [problem for file in files if (problem := _problem(file))]
        raise SourceError(found or [Problem(str(files[0]), 1, str(error))]) from error
    return Snapshot(name, Path(), {}, store, {})


def _name(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
        digest.update(_base(file).encode())
    return f"dataset-{digest.hexdigest()[:12]}"


def _load(files: Sequence[Path], name: str, store: Store) -> None:
    for file in files:
        store.bulk_load(path=file, format=_format(file), base_iri=_base(file))
    if _name(files) != name:
        raise SourceError([Problem(str(files[0]), 1, "has changed, or another has, while read")])


def _base(file: Path) -> str:
    return BASE + quote(os.fsencode(file.name))


def _format(file: Path) -> RdfFormat:
    return FORMATS[file.suffix.removeprefix(".").lower()]


def _problem(file: Path) -> Problem | None:
    """Read a file for what is wrong with it, and keep nothing of it."""
    try:
        deque(parse(path=file, format=_format(file), base_iri=_base(file)), maxlen=0)
    except KeyError:
        return Problem(str(file), 1, f"the extension is none of {', '.join(FORMATS)}")
    except OSError as error:
        return Problem(str(file), 1, f"cannot be read: {error.strerror or error}")
    except SyntaxError as error:
        return Problem(str(file), error.lineno or 1, error.msg)
    return None
