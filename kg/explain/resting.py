"""What a verdict rests on: each statement, exclusion, curated row and step of the registry.

Each is taken away by itself and the answer judged again. What changes the verdict is needed; what
changes it only with the others of its role is one of several; the rest is context.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode

from kg.check.engine import Checked
from kg.check.facts import Path
from kg.check.verdict import Judged, Verdict
from kg.explain.reading import Reader
from kg.explain.rejudging import Change, Rejudging, without_exclusion, without_path, without_row
from kg.explain.statements import curated_node, curated_rows, path_node, step_node
from kg.explain.tree import Bearing, Branch, Node
from kg.terms import words

_STATEMENT: Final = "statement"


def stated_branches(reader: Reader, checked: Checked, judged: Judged) -> Iterator[Branch]:
    """Yield what a verdict rests on that is stated or curated; nothing where it is derived."""
    yield from _Resting(reader, checked, judged).branches()


@dataclass(frozen=True, slots=True)
class _Part:
    """A node that a verdict may rest on, and what takes it away.

    That is a change of the paths, or that a ``thing`` of the registry has no row of its own.
    """

    node: Callable[[], Node]
    change: Change | None = None
    thing: NamedNode | None = None


class _Resting:
    def __init__(self, reader: Reader, checked: Checked, judged: Judged) -> None:
        self._reader, self._checked, self._judged = reader, checked, judged
        self._again = Rejudging(checked, judged)
        excluded = judged.exclusions if judged.verdict is Verdict.EXCLUDED else ()
        self._exclusions = tuple(dict.fromkeys(bound.exclusion.iri for bound in excluded))
        carriers = [bound.path for bound in excluded]
        self._paths = tuple(
            {it.iri: it for it in carriers or [f.path for f in judged.decisive]}.values()
        )
        self._rows = {it.iri: tuple(curated_rows(reader, it.iri)) for it in self._paths}

    def branches(self) -> Iterator[Branch]:
        readings = list(self._readings())
        apart = frozenset(NamedNode(branch.node.iri or "") for branch in readings)
        apart |= frozenset(self._exclusions)
        yield from self._borne("exclusion", [self._exclusion(iri) for iri in self._exclusions])
        for role, paths in self._roles().items():
            yield from self._borne(role, [self._path(path.iri, apart) for path in paths])
        yield from readings
        yield from self._borne("registry", list(self._steps()))

    def _path(self, iri: NamedNode, apart: frozenset[NamedNode]) -> _Part:
        return _Part(lambda: path_node(self._reader, iri, apart=apart), without_path(iri))

    def _exclusion(self, iri: NamedNode) -> _Part:
        return _Part(lambda: curated_node(self._reader, iri), without_exclusion(iri))

    def _roles(self) -> Mapping[str, Iterable[Path]]:
        """Return the paths by role: by outcome, where the verdict is that outcomes differ."""
        if self._exclusions:
            return {"carried by": self._paths}
        outcomes = sorted({path.outcome for path in self._paths}, key=str)
        if self._judged.verdict not in (Verdict.CONFLICTING, Verdict.MIXED):
            return {_STATEMENT: self._paths}
        return {
            f"{_STATEMENT} ({words(outcome)})": [p for p in self._paths if p.outcome == outcome]
            for outcome in outcomes
        }

    def _borne(self, role: str, parts: list[_Part]) -> Iterator[Branch]:
        alone = [self._leaves(part) for part in parts]
        others = [
            part for part, leaves in zip(parts, alone, strict=True) if not self._again.flips(leaves)
        ]
        together = self._leaves(*others)
        for part, leaves in zip(parts, alone, strict=True):
            if self._again.flips(leaves):
                yield Branch(role, Bearing.NEEDED, part.node(), leaves)
            elif self._again.flips(together):
                yield Branch(role, Bearing.ONE_OF, part.node(), together)
            else:
                yield Branch(role, Bearing.CONTEXT, part.node())

    def _leaves(self, *parts: _Part) -> Verdict:
        relations = self._checked.relations
        for part in parts:
            relations = relations.without(part.thing) if part.thing else relations
        changes = [part.change for part in parts if part.change]
        return self._again.leaves(*changes, relations=relations)

    def _readings(self) -> Iterator[Branch]:
        """Yield the curated rows that the verdict needs; the others stay context of their path."""
        for row in dict.fromkeys(row for rows in self._rows.values() for row in rows):
            if row in self._exclusions:
                continue
            left = {
                self._again.leaves(change) for change in without_row(self._reader, row, self._rows)
            }
            if any(self._again.flips(verdict) for verdict in left):
                leaves = left.pop() if len(left) == 1 else None
                yield Branch("read by", Bearing.NEEDED, curated_node(self._reader, row), leaves)

    def _steps(self) -> Iterator[_Part]:
        """Yield the rows of the registry that lead from what is stated to what is asked."""
        relations = self._checked.relations
        ends: dict[NamedNode, set[NamedNode]] = {}
        for one, other in self._pairs():
            for narrow, wide in ((one, other), (other, one)):
                for thing in relations.between(narrow, wide):
                    ends.setdefault(thing, set()).add(wide)
        for thing, wides in sorted(ends.items(), key=lambda item: item[0].value):
            yield self._step(thing, wides)

    def _step(self, thing: NamedNode, wides: set[NamedNode]) -> _Part:
        relations = self._checked.relations
        on_way = [
            above
            for above in sorted(relations.direct[thing], key=str)
            if any(relations.within(above, wide) for wide in wides)
        ]
        return _Part(lambda: step_node(self._reader, thing, on_way), thing=thing)

    def _pairs(self) -> Iterator[tuple[NamedNode, NamedNode]]:
        asked = self._checked.asked
        target = self._judged.target.iri
        for path in self._paths:
            hardware = {*path.hardware, *(cell.hardware for cell in path.cells)}
            yield from ((target, thing) for thing in hardware)
            yield from ((it.iri, thing) for it in asked.features for thing in path.features)
            if asked.precision:
                yield from ((asked.precision.precision.iri, it) for it in path.precisions)
        for bound in self._judged.exclusions if self._exclusions else ():
            named = bound.exclusion.products | bound.exclusion.generations
            yield from ((target, thing) for thing in named)
