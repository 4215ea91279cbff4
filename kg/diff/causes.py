"""Why a derivation is gained, lost, or rests on other premises: what one of the snapshots lacks."""

from collections.abc import Iterable, Iterator

from pyoxigraph import NamedNode

from kg.diff.changes import Cause, CauseKind, Derived, Pair
from kg.diff.joining import changes_in
from kg.diff.records import AssumedClass, Derivation, ModelWords, Statement, Support
from kg.terms import shorten
from kg.vocab import RA

_LICENSED = shorten(RA.SameArchitecture).removeprefix("ra:")
_CONFIGURATION = ("platform", "stack", "components", "compile mode")


def compare_derivations(old: Support, new: Support) -> tuple[Derived[Derivation], ...]:
    """Compare what is derived for classes, and name the cause of each difference."""
    found = []
    for key in sorted(old.derivations.keys() | new.derivations.keys()):
        before, after = old.derivations.get(key), new.derivations.get(key)
        changes = changes_in(before.aspects, after.aspects) if before and after else ()
        lost = _missing(before, after, old, new) if before else ()
        gained = _missing(after, before, new, old) if after else ()
        if changes or lost or gained or not (before and after):
            found.append(Derived(Pair(before, after, changes), lost, gained))
    return tuple(found)


def _missing(
    here: Derivation, there: Derivation | None, ours: Support, theirs: Support
) -> tuple[Cause, ...]:
    """Say why premises that hold ``here`` do not hold in the other snapshot."""
    lacking = sorted(here.premises - (there.premises if there else frozenset()))
    licence = _licence(here, ours, theirs) if lacking else ()
    causes = (_premise(key, here.architecture, ours, theirs) for key in lacking)
    return (*licence, *_beside(licence, causes, here.source in theirs.sources))


def _beside(
    licence: tuple[Cause, ...], causes: Iterable[Cause], source_stands: bool
) -> tuple[Cause, ...]:
    """Name what else fell: not what only the licence holds, nor all of a source that is gone."""
    if not licence:
        return tuple(causes)
    return tuple(c for c in causes if source_stands and c.kind is not CauseKind.RULE)


def _licence(here: Derivation | AssumedClass, ours: Support, theirs: Support) -> tuple[Cause, ...]:
    source = theirs.sources.get(here.source)
    if source and _LICENSED in source.licences:
        return ()
    said = ", ".join(sorted(source.licences)) if source else ""
    places = ours.sources[here.source].places
    if not places and isinstance(here, Derivation):
        places = here.places
    return (Cause(CauseKind.LICENCE, here.source, said, places),)


def _premise(key: str, architecture: str, ours: Support, theirs: Support) -> Cause:
    here, there = ours.statements[key], theirs.statements.get(key)
    if there is None:
        return Cause(CauseKind.PREMISE, key, "", here.places)
    for kind, said in _reasons(here, there, architecture, theirs):
        return Cause(kind, key, said, there.places)
    return Cause(CauseKind.RULE, key, "", here.places)


def _reasons(
    here: Statement, there: Statement, architecture: str, theirs: Support
) -> Iterator[tuple[CauseKind, str]]:
    if there.said("outcome") != ("Supported",):
        yield CauseKind.OUTCOME, ", ".join(there.said("outcome"))
    if there.said("tested model"):
        yield CauseKind.TESTED_VARIANT, ", ".join(there.said("tested model"))
    if here.said("model") != there.said("model"):
        yield CauseKind.MODEL, ", ".join(there.said("model"))
    moved = [name for name in _CONFIGURATION if here.said(name) != there.said(name)]
    if moved:
        yield CauseKind.CONFIGURATION, ", ".join(", ".join(there.said(name)) for name in moved)
    printed = _printed(there, theirs, "class")
    if architecture not in printed:
        yield CauseKind.CLASS_LABEL, ", ".join(printed)


def _printed(statement: Statement, support: Support, aspect: str) -> tuple[str, ...]:
    """Return what a statement's source prints about its model."""
    found: list[str] = []
    for model in sorted(statement.models, key=lambda model: model.value):
        words = support.words.get(f"{statement.source}/{model.value}")
        found += words.said(aspect) if words else ()
    return tuple(found)


def compare_assumed(old: Support, new: Support) -> tuple[Derived[AssumedClass], ...]:
    """Compare the classes that aligned families lend, and name the cause of each difference."""
    found = []
    for key in sorted(old.assumed.keys() | new.assumed.keys()):
        before, after = old.assumed.get(key), new.assumed.get(key)
        lost = _unlent(before, after, old, new) if before else ()
        gained = _unlent(after, before, new, old) if after else ()
        if lost or gained:
            found.append(Derived(Pair(before, after), lost, gained))
    return tuple(found)


def _unlent(
    here: AssumedClass, there: AssumedClass | None, ours: Support, theirs: Support
) -> tuple[Cause, ...]:
    if there is None:
        return _unlent_at_all(here, ours, theirs)
    lacking = sorted(here.premises - there.premises)
    same = (here.mapping, here.family) == (there.mapping, there.family)
    moved = not same and here.mapping not in theirs.alignments
    alignment = (_alignment(here),) if moved else ()
    return (*alignment, *(_class_premise(key, here, ours, theirs) for key in lacking if not moved))


def _unlent_at_all(here: AssumedClass, ours: Support, theirs: Support) -> tuple[Cause, ...]:
    """Name every cause: what lends the class, and each premise that no longer prints it."""
    general = tuple(_causes(here, ours, theirs))
    fallen = [key for key in sorted(here.premises) if not _holds(key, here, theirs)]
    stands = here.source in theirs.sources
    premises = [_class_premise(key, here, ours, theirs) for key in fallen if stands]
    if general or premises:
        return (*general, *premises)
    return (Cause(CauseKind.SEVERAL_CLASSES, here.aligned),)


def _causes(here: AssumedClass, ours: Support, theirs: Support) -> Iterator[Cause]:
    model = shorten(here.model)
    if here.model.value not in theirs.models:
        yield Cause(CauseKind.MODEL, model, "", ours.models[here.model.value].places)
    stated = _stated(here.model, theirs)
    if stated:
        yield Cause(CauseKind.STATED_CLASS, model, ", ".join(stated))
    if here.mapping not in theirs.alignments:
        yield _alignment(here)
    yield from _licence(here, ours, theirs)
    families = _families(here.model, theirs)
    if here.model.value in theirs.models and here.family not in families:
        yield Cause(
            CauseKind.FAMILY, model, ", ".join(families), ours.models[here.model.value].places
        )


def _alignment(here: AssumedClass) -> Cause:
    return Cause(CauseKind.ALIGNMENT, f"{here.family} = {here.aligned}", "", here.places)


def _class_premise(key: str, here: AssumedClass, ours: Support, theirs: Support) -> Cause:
    before, there = ours.statements[key], theirs.statements.get(key)
    if there is None:
        return Cause(CauseKind.PREMISE, key, "", before.places)
    classes, families = (_printed(there, theirs, aspect) for aspect in ("class", "family"))
    if here.architecture not in classes:
        return Cause(CauseKind.CLASS_LABEL, key, ", ".join(classes), there.places)
    if here.aligned not in [f"{there.source}/{family}" for family in families]:
        return Cause(CauseKind.FAMILY, key, ", ".join(families), there.places)
    return Cause(CauseKind.RULE, key, "", before.places)


def _holds(key: str, here: AssumedClass, theirs: Support) -> bool:
    there = theirs.statements.get(key)
    if there is None or here.architecture not in _printed(there, theirs, "class"):
        return False
    families = _printed(there, theirs, "family")
    return here.aligned in [f"{there.source}/{family}" for family in families]


def _stated(model: NamedNode, support: Support) -> list[str]:
    words = _words_of(model, support)
    return sorted(f"{name} by {said.source}" for said in words for name in said.said("class"))


def _families(model: NamedNode, support: Support) -> list[str]:
    words = _words_of(model, support)
    return sorted(f"{said.source}/{name}" for said in words for name in said.said("family"))


def _words_of(model: NamedNode, support: Support) -> list[ModelWords]:
    keys = (f"{source}/{model.value}" for source in support.sources)
    return [support.words[key] for key in keys if key in support.words]
