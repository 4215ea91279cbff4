"""Keep what concerns some models or some hardware, in either of the two snapshots."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyoxigraph import NamedNode

from kg.diff.changes import Derived, Difference, EvidencePair
from kg.diff.records import AssumedClass, Derivation, Statement, Support, Thing


@dataclass(frozen=True, slots=True)
class Selection:
    """The models and the hardware asked about; an empty set asks about all."""

    models: frozenset[NamedNode] = frozenset()
    hardware: frozenset[NamedNode] = frozenset()


def select_differences(
    difference: Difference, selection: Selection, old: Support, new: Support
) -> Difference:
    """Return the differences that concern the models and the hardware asked about."""
    if not selection.models and not selection.hardware:
        return difference
    chosen = _Chosen(selection, old, new)
    return replace(
        difference,
        paths=tuple(p for p in difference.paths if any(map(chosen.statement, p.records))),
        evidence=tuple(filter(chosen.evidence, difference.evidence)),
        models=tuple(p for p in difference.models if chosen.model(p.record.iri)),
        words=tuple(p for p in difference.words if chosen.model(p.record.model)),
        registry=tuple(p for p in difference.registry if chosen.thing(p.record)),
        derivations=tuple(filter(chosen.derivation, difference.derivations)),
        assumed=tuple(filter(chosen.assumption, difference.assumed)),
        sources=tuple(p for p in difference.sources if p.record.key in chosen.sources),
        rechecked=tuple(filter(chosen.evidence, difference.rechecked)),
    )


class _Chosen:
    """What of two snapshots concerns a selection."""

    def __init__(self, selection: Selection, old: Support, new: Support) -> None:
        self._selection, self._supports = selection, (old, new)
        self._wider = _union(old.wider, new.wider)
        self._keys: set[str] = set()
        models: set[NamedNode] = set()
        sources: set[str] = set()
        for support in self._supports:
            for key, statement in support.statements.items():
                if self.statement(statement):
                    self._keys.add(key)
                    models |= statement.models
                    sources.add(statement.source)
        if selection.models and selection.hardware:
            models &= selection.models
        self._models = frozenset(models) if selection.hardware else selection.models
        self.sources = frozenset(sources)
        self._classes = {
            name
            for support in self._supports
            for words in support.words.values()
            if words.model in self._models
            for name in words.said("class")
        } | {
            assumed.architecture
            for support in self._supports
            for assumed in support.assumed.values()
            if assumed.model in self._models
        }

    def statement(self, statement: Statement) -> bool:
        """Tell whether a path speaks of a model, and of hardware, that was asked about."""
        models, hardware = self._selection.models, self._selection.hardware
        if models and not models & statement.models:
            return False
        if not hardware:
            return True
        return any(map(self._near, statement.hardware)) or any(
            map(self._within, statement.named_hardware)
        )

    def evidence(self, pair: EvidencePair) -> bool:
        """Tell whether a citation stands under a path that was asked about."""
        return any(key in self._keys for key in pair.paths)

    def model(self, model: NamedNode) -> bool:
        """Tell whether a model was asked about, and has a path on the hardware that was."""
        return model in self._models

    def thing(self, thing: Thing) -> bool:
        """Tell whether something of the registry lies within hardware that was asked about.

        The registry speaks of no model: where models are asked about, it is left out.
        """
        if self._selection.models and not self._selection.hardware:
            return False
        return self._within(thing.iri)

    def derivation(self, derived: Derived[Derivation]) -> bool:
        """Tell whether a derivation is of a class of the models, and on the hardware."""
        for here in derived.pair.records:
            on = not self._selection.hardware or self._near(here.platform)
            of = not self._selection.models or here.architecture in self._classes
            if on and (of or here.premises & self._keys):
                return True
        return False

    def assumption(self, derived: Derived[AssumedClass]) -> bool:
        """Tell whether a class is lent to a model that was asked about."""
        return self.model(derived.pair.record.model)

    def _near(self, thing: NamedNode) -> bool:
        return self._within(thing) or any(
            thing in self._wider.get(target, ()) for target in self._selection.hardware
        )

    def _within(self, thing: NamedNode) -> bool:
        targets = self._selection.hardware
        return thing in targets or not targets.isdisjoint(self._wider.get(thing, frozenset()))


def _union(
    *maps: Mapping[NamedNode, frozenset[NamedNode]],
) -> dict[NamedNode, frozenset[NamedNode]]:
    found: dict[NamedNode, frozenset[NamedNode]] = {}
    for each in maps:
        for thing, above in each.items():
            found[thing] = found.get(thing, frozenset()) | above
    return found
