"""Keep what concerns some models or some hardware, in either of the two snapshots."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pyoxigraph import NamedNode

from kg.diff.changes import Derived, Difference, EvidencePair
from kg.diff.records import HARDWARE_KINDS, AssumedClass, Derivation, Statement, Support, Thing
from kg.vocab import ID

_HARDWARE: Final = tuple(f"{ID}{kind}/" for kind in HARDWARE_KINDS)
_GROUPS: Final = ("class", "family")


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
        readings=tuple(p for p in difference.readings if any(map(chosen.reading, p.records))),
        derivations=tuple(filter(chosen.derivation, difference.derivations)),
        assumed=tuple(filter(chosen.assumption, difference.assumed)),
        sources=tuple(p for p in difference.sources if p.record.key in chosen.sources),
        rechecked=tuple(filter(chosen.evidence, difference.rechecked)),
        notes=tuple(p for p in difference.notes if any(map(chosen.reading, p.records))),
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
        self._groups = {
            iri
            for support in self._supports
            for model in self._models & support.groups.keys()
            for iri in support.groups[model]
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
        """Tell whether something of the registry was asked about.

        That is a family or a class of the models, or lies within the hardware.
        """
        if thing.kind in _GROUPS:
            return thing.iri in self._groups
        return self._within(thing.iri)

    def reading(self, thing: Thing) -> bool:
        """Tell whether something may be read for what was asked about.

        That is all but what speaks only of other models, or only of other hardware.
        """
        hardware = {iri for iri in thing.mentions if iri.value.startswith(_HARDWARE)}
        models = thing.mentions - hardware
        on = not self._selection.hardware or not hardware or any(map(self._near, hardware))
        return on and (not models or not models.isdisjoint(self._models | self._groups))

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
