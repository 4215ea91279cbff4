"""Open any files of RDF as what can be served, without our ontology and without places."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from pyoxigraph import RdfFormat, Store

from kg.errors import Problem, SourceError
from kg.snapshot import Snapshot


def open_dataset(files: Sequence[Path]) -> Snapshot:
    """Load files into one store: triples into its default graph, quads where they say.

    The format follows from a file's extension. The name follows from what the files hold.

    Raises:
        SourceError: files cannot be read: each, with the line where reading ends.
    """
    store, digest = Store(), hashlib.sha256()
    problems: list[Problem] = []
    for file in files:
        format_ = RdfFormat.from_extension(file.suffix.removeprefix("."))
        if format_ is None:
            problems.append(Problem(str(file), 1, "the extension names no format of RDF"))
            continue
        try:
            content = file.read_bytes()
            store.load(content, format=format_, base_iri=file.absolute().as_uri())
        except OSError as error:
            problems.append(Problem(str(file), 1, f"cannot be read: {error.strerror or error}"))
        except SyntaxError as error:
            problems.append(Problem(str(file), error.lineno or 1, error.msg))
        else:
            digest.update(hashlib.sha256(content).digest())
    if problems:
        raise SourceError(problems)
    return Snapshot(f"dataset-{digest.hexdigest()[:12]}", Path(), {}, store, {})
