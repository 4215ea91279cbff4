"""Judge an answer again without one thing that it rests on: what that leaves is never guessed."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from pyoxigraph import NamedNode

from kg.check.engine import Checked
from kg.check.facts import Cell, Path
from kg.check.relations import Relations
from kg.check.verdict import OUTCOMES, Judged, Verdict, judge
from kg.explain.reading import Reader
from kg.inferences import Inference
from kg.iris import keys_of, mint_iri
from kg.vocab import RA
from mappings.curated.tables import ROLES

# What a path is without something; None without the path itself.
Change: TypeAlias = Callable[[Path], Path | None]


class Rejudging:
    """The verdict on one target, judged again after a change."""

    def __init__(self, checked: Checked, judged: Judged) -> None:
        """Take what was judged, and by what."""
        self._checked, self._judged = checked, judged

    def leaves(self, *changes: Change, relations: Relations | None = None) -> Verdict:
        """Return the verdict after every one of these changes together."""
        checked = self._checked
        paths = list(_changed(checked.paths, changes))
        return judge(
            checked.iri,
            self._judged.target,
            checked.asked,
            paths=paths,
            classes=replace(
                checked.classes,
                inferences=tuple(_still_inferred(checked, paths)),
            ),
            requirements=(),
            relations=relations or checked.relations,
        ).verdict

    def flips(self, verdict: Verdict) -> bool:
        """Tell whether a verdict is another than the one given."""
        return verdict is not self._judged.verdict


def _changed(paths: Iterable[Path], changes: Sequence[Change]) -> Iterator[Path]:
    for path in paths:
        left: Path | None = path
        for change in changes:
            left = change(left) if left else None
        if left:
            yield left


def _still_inferred(checked: Checked, left: Iterable[Path]) -> Iterator[Inference]:
    """Yield the inferences of which a premise is left: the model's own statement may be the one."""
    stands = {_as_premise(path) for path in left}
    gone = {path.iri for path in checked.paths if _as_premise(path) not in stands}
    for inference in checked.classes.inferences:
        premises = tuple(it for it in inference.premises if it not in gone)
        if premises:
            yield replace(inference, premises=premises)


def _as_premise(path: Path) -> Hashable:
    return path.iri, path.outcome, path.components


def without_path(iri: NamedNode) -> Change:
    """Return the change that withdraws a path."""
    return lambda path: None if path.iri == iri else path


def without_exclusion(iri: NamedNode) -> Change:
    """Return the change that withdraws an exclusion."""

    def change(path: Path) -> Path:
        return replace(path, exclusions=tuple(it for it in path.exclusions if it.iri != iri))

    return change


def without_row(
    reader: Reader, row: NamedNode, readings: Mapping[NamedNode, Iterable[NamedNode]]
) -> tuple[Change, ...]:
    """Return how paths may stand without a curated row; more than one if a word is read otherwise.

    ``readings`` holds the curated rows behind each path: what another row says just as well stays.
    """
    kind, *keys = keys_of(row)
    if kind == "exclusion":
        return (without_exclusion(row),)
    if kind == "deployment":
        return (_without_deployment(row),)
    if kind != "curated-row":
        return ()
    table, *keys = keys
    if table in _SAID:
        paths = frozenset(reader.iris(row, RA.curates))
        return (_on(paths, _SAID[table](keys)),)
    token, read = reader.text(row, RA.token), reader.iri(row, RA.readAs)
    if table not in _READ or token is None:
        return ()
    using = frozenset(
        path
        for path, rows in readings.items()
        if row in rows and not any(_reads(reader, it, read) for it in rows if it != row)
    )
    return tuple(_on(using, change) for change in _READ[table](token, read))


def _reads(reader: Reader, row: NamedNode, thing: NamedNode | None) -> bool:
    return thing is not None and reader.iri(row, RA.readAs) == thing


def _on(paths: frozenset[NamedNode], change: Change) -> Change:
    return lambda path: change(path) if path.iri in paths else path


def _without_deployment(iri: NamedNode) -> Change:
    def change(path: Path) -> Path:
        return replace(path, deployments=tuple(it for it in path.deployments if it.iri != iri))

    return change


def _without_generation(keys: Sequence[str]) -> Change:
    generation = mint_iri("generation", keys[2])
    return lambda path: replace(path, generations=path.generations - {generation})


def _without_name(keys: Sequence[str]) -> Change:
    product = mint_iri("product", keys[2])
    return lambda path: replace(path, named_products=path.named_products - {product})


def _without_variant(keys: Sequence[str]) -> Change:
    _, _, role, label = keys

    def change(path: Path) -> Path:
        left = tuple(it for it in path.tested_variants if it != label)
        return replace(path, tested_variants=left) if role == "tested" else path

    return change


def _without_cell(keys: Sequence[str]) -> Change:
    _, _, precision, role, kind, hardware = keys
    cell = Cell(
        precision=mint_iri("precision", precision),
        role=ROLES[role],
        hardware=mint_iri(kind, hardware),
    )
    return lambda path: replace(path, cells=tuple(it for it in path.cells if it != cell))


# What a row of a table says of the paths that it is about, by the row's keys.
_SAID: Final[Mapping[str, Callable[[Sequence[str]], Change]]] = {
    "configuration_cells": _without_cell,
    "named_products": _without_name,
    "path_generations": _without_generation,
    "tested_variants": _without_variant,
}


def _other_outcomes(_token: str, read: NamedNode | None) -> Iterator[Change]:
    for outcome in OUTCOMES:
        if outcome != read:
            yield _with_outcome(outcome)


def _with_outcome(outcome: NamedNode) -> Change:
    return lambda path: replace(path, outcome=outcome)


def _other_component(_token: str, read: NamedNode | None) -> Iterator[Change]:
    yield lambda path: replace(
        path,
        components=path.components - {read},
        bounds=tuple(bound for bound in path.bounds if bound.component != read),
    )


def _other_feature(_token: str, read: NamedNode | None) -> Iterator[Change]:
    yield lambda path: replace(path, features=path.features - {read})


def _other_precision(token: str, read: NamedNode | None) -> Iterator[Change]:
    """Yield the path with the word left unread, and without the word."""

    def unread(path: Path, printed: tuple[str, ...]) -> Path:
        precisions = path.precisions - {read}
        return replace(
            path,
            precisions=precisions,
            printed_precisions=printed,
            precision_unspecified=len(printed) > len(precisions),
            cells=tuple(cell for cell in path.cells if cell.precision != read),
        )

    yield lambda path: unread(path, path.printed_precisions)
    yield lambda path: unread(path, tuple(it for it in path.printed_precisions if it != token))


# How a word of a path might be read otherwise, by the table that reads it.
_READ: Final[Mapping[str, Callable[[str, NamedNode | None], Iterator[Change]]]] = {
    "feature_names": _other_feature,
    "precision_names": _other_precision,
    "stacks": _other_component,
    "status_words": _other_outcomes,
}
