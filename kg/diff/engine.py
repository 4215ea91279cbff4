"""Compare two snapshots: resolve what was typed, read both, keep what was asked about."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.diff.changes import Difference
from kg.diff.comparing import compare
from kg.diff.reading import read_support
from kg.diff.records import Support
from kg.diff.selecting import Selection, select_differences
from kg.errors import Problem, SourceError, UnknownNameError
from kg.names import HARDWARE, near_repository_ids, read_names
from mappings.source_text import open_regular_file

_LIST_BYTES: Final = 4_000_000
_EXPLAINED: Final = 20


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A line of a list of models: its file, its number, and the repository id or label in it."""

    path: str
    line: int
    name: str


def read_model_list(path: Path) -> tuple[ListedModel, ...]:
    """Read a list of models: one repository id or label a line; ``#`` begins a comment.

    Raises:
        SourceError: the file cannot be read, is not UTF-8, is too large, or names no model.
    """
    lines = _read_lines(path)
    found = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        name = "" if text.startswith("#") else text.partition(" #")[0].rstrip()
        if name:
            found.append(ListedModel(str(path), number, name))
    if not found:
        raise SourceError([Problem(str(path), 1, "names no model")])
    return tuple(found)


def _read_lines(path: Path) -> list[str]:
    try:
        with open_regular_file(path) as file:
            content = file.read(_LIST_BYTES + 1)
    except OSError as error:
        raise SourceError([Problem(str(path), 1, f"cannot be read: {error.strerror}")]) from error
    if len(content) > _LIST_BYTES:
        raise SourceError([Problem(str(path), 1, f"larger than {_LIST_BYTES:,} bytes")])
    try:
        return content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceError([Problem(str(path), line, "not UTF-8")]) from error


def diff(
    old: Backend,
    new: Backend,
    *,
    models: Sequence[ListedModel] = (),
    targets: Sequence[str] = (),
) -> Difference:
    """Compare two snapshots; of models or targets, what concerns them alone.

    Raises:
        SourceError: with every model and target that neither snapshot knows.
    """
    before, after = read_support(old), read_support(new)
    problems: list[Problem] = []
    selection = Selection(
        frozenset(_models(models, before, after, problems)),
        frozenset(_targets(targets, (old, new), problems)),
    )
    if problems:
        raise SourceError(problems)
    return select_differences(compare(before, after), selection, before, after)


def _models(
    listed: Sequence[ListedModel], old: Support, new: Support, problems: list[Problem]
) -> Iterator[NamedNode]:
    known: dict[str, set[NamedNode]] = {}
    for support in (old, new):
        for thing in support.models.values():
            known.setdefault(thing.key, set()).add(thing.iri)
    ids = list(known)
    for model in listed:
        if model.name in known:
            yield from known[model.name]
        else:
            # Near misses cost a look at every id: they are sought for as many as are read.
            near = near_repository_ids(model.name, ids) if len(problems) < _EXPLAINED else []
            message = str(UnknownNameError("model", model.name, near))
            problems.append(Problem(model.path, model.line, message))


def _targets(
    targets: Sequence[str], backends: Sequence[Backend], problems: list[Problem]
) -> Iterator[NamedNode]:
    if not targets:
        return
    names = [read_names(backend) for backend in backends]
    for number, target in enumerate(targets, 1):
        near: list[str] = []
        found = []
        for known in names:
            try:
                found.append(known.resolve("target", target, HARDWARE).iri)
            except UnknownNameError as error:
                near += error.near
        if not found:
            hint = "'runatlas ask hardware' lists them."
            unknown = UnknownNameError("target", target, list(dict.fromkeys(near)), hint)
            problems.append(Problem("--on", number, str(unknown)))
        yield from found
