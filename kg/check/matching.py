"""How one path stands to what is asked: its hardware, and its configuration.

The source's lists of precisions, products and modes are never multiplied out (rule R55): a pair
holds where the source makes it (a cell), or where its lists leave nothing to pair.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum

from pyoxigraph import NamedNode

from kg.check.facts import Exclusion, Path
from kg.check.question import AskedPrecision, AskedStack, Configuration
from kg.check.relations import Relations
from kg.check.versions import release_fits
from kg.terms import shorten, words
from kg.vocab import RA


class Reach(IntEnum):
    """How a path's hardware stands to the target, from the nearest."""

    COVERS = 1  # the target itself, or something narrower
    NAMES = 2  # named in the prose, not mapped
    WIDER = 3  # the target's generation or platform, naming no product at all
    ELSEWHERE = 4


class Fit(IntEnum):
    """How a path's configuration stands to what is asked, from the best."""

    MATCHES = 1
    UNPAIRED = 2  # each part stated but not together, or left unstated
    OTHER = 3


Judgement = tuple[Fit, str]


def reach_of(path: Path, target: NamedNode, relations: Relations) -> Reach:
    """Return how far a path's hardware reaches a product, generation or platform."""
    if any(relations.within(hardware, target) for hardware in path.hardware):
        return Reach.COVERS
    if target in path.named_products:
        return Reach.NAMES
    silent = not path.products and not path.named_products
    if silent and any(relations.within(target, wide) for wide in path.hardware):
        return Reach.WIDER
    return Reach.ELSEWHERE


def fit_of(
    path: Path, target: NamedNode, asked: Configuration, relations: Relations
) -> tuple[Fit, tuple[str, ...]]:
    """Return how a path's configuration fits, with a reason for each part that does not match."""
    judgements = list(_judgements(path, target, asked, relations))
    worst = max((fit for fit, _ in judgements), default=Fit.MATCHES)
    return worst, tuple(reason for fit, reason in judgements if fit is not Fit.MATCHES)


def _judgements(
    path: Path, target: NamedNode, asked: Configuration, relations: Relations
) -> Iterator[Judgement]:
    if asked.stack:
        yield _judge_stack(path, asked.stack, relations)
    if asked.precision:
        yield _judge_precision(path, target, asked.precision, relations)
    for feature in asked.features:
        yield _judge_feature(path, target, feature.iri, relations)
    if asked.count:
        yield _judge_count(path, target, asked.count, relations)
    yield from _judge_together(path, asked)


def _judge_stack(path: Path, asked: AskedStack, relations: Relations) -> Judgement:
    component = asked.component
    if component.iri not in path.components:
        return Fit.OTHER, f"stated for another stack: {path.stack}"
    if asked.version is None:
        return Fit.MATCHES, ""
    bounds = [bound for bound in path.bounds if bound.component == component.iri]
    if not bounds:
        return Fit.UNPAIRED, f"no release of {component.label} is stated"
    ordering = relations.ordering.get(component.iri, "none")
    fits = [release_fits(asked.version, b.kind, b.version, ordering) for b in bounds]
    stated = ", ".join(f"{_BOUNDS[b.kind]}{b.version}" for b in bounds)
    if None in fits:
        return Fit.UNPAIRED, f"{component.label} {stated} and {asked.version} do not compare"
    if all(fits):
        return Fit.MATCHES, ""
    return Fit.OTHER, f"stated for {component.label} {stated}"


_BOUNDS = {RA.release: "", RA.minRelease: "from ", RA.maxRelease: "up to "}


def _judge_precision(
    path: Path, target: NamedNode, asked: AskedPrecision, relations: Relations
) -> Judgement:
    label = asked.precision.label
    listed = any(relations.within(p, asked.precision.iri) for p in path.precisions)
    if not listed:
        if not path.precisions or path.precision_unspecified:
            return Fit.UNPAIRED, f"the source leaves the precision open; {label} is not stated"
        return Fit.OTHER, f"stated for {', '.join(path.printed_precisions)}"
    cells = [c for c in path.cells if relations.within(c.precision, asked.precision.iri)]
    here = [
        cell
        for cell in cells
        if relations.within(cell.hardware, target) or relations.within(target, cell.hardware)
    ]
    if here:
        return _judge_roles({cell.role for cell in here}, asked, label)
    if cells:
        paired = ", ".join(sorted({shorten(cell.hardware) for cell in cells}))
        return Fit.OTHER, f"the source pairs {label} with {paired}"
    if not _all_within(path, target, relations):
        return Fit.UNPAIRED, f"the source does not pair {label} with one of its products"
    if asked.role:
        return Fit.UNPAIRED, f"the role of {label} is not stated"
    return Fit.MATCHES, ""


def _judge_roles(roles: set[NamedNode], asked: AskedPrecision, label: str) -> Judgement:
    if asked.role in roles or (asked.role is None and roles != {RA.KVCache}):
        return Fit.MATCHES, ""
    if asked.role is None:
        return Fit.UNPAIRED, f"{label} is stated for the KV cache only"
    if RA.RoleUnstated in roles:
        return Fit.UNPAIRED, f"the role of {label} is not stated"
    return Fit.OTHER, f"{label} is stated for another role"


def _judge_feature(
    path: Path, target: NamedNode, asked: NamedNode, relations: Relations
) -> Judgement:
    name = shorten(asked)
    if not path.features:
        return Fit.UNPAIRED, f"no features are stated; {name} is not"
    if not any(relations.within(feature, asked) for feature in path.features):
        return Fit.OTHER, f"{name} is not among its features"
    if _all_within(path, target, relations):
        return Fit.MATCHES, ""
    return Fit.UNPAIRED, f"the source does not pair {name} with one of its products"


def _judge_count(path: Path, target: NamedNode, asked: int, relations: Relations) -> Judgement:
    counted = [(d.devices, d.unit) for d in path.deployments if d.devices]
    if not counted:
        return Fit.UNPAIRED, "the number of devices is not stated"
    units = _units(path, target, relations)
    counts = {devices for devices, unit in counted if unit in units}
    if asked in counts:
        return Fit.MATCHES, ""
    stated = ", ".join(sorted({_counted(devices, unit) for devices, unit in counted}))
    if counts:
        return Fit.OTHER, f"documented with {stated}"
    wanted = " or ".join(sorted(f"{words(unit)}s" for unit in units))
    return Fit.UNPAIRED, f"documented with {stated}; a number of {wanted} is not stated"


def _units(path: Path, target: NamedNode, relations: Relations) -> frozenset[NamedNode]:
    """Return in which units a count answers: the target's own kind, or that of what is within it.

    A generation or platform of which the path names no product is asked about chips or boards.
    """
    if target in relations.kind:
        return frozenset({relations.kind[target]})
    inside = [product for product in path.products if relations.within(product, target)]
    kinds = frozenset(relations.kind[product] for product in inside if product in relations.kind)
    return kinds or _DEVICES


_DEVICES = frozenset({RA.Chip, RA.Board})


def _counted(devices: int, unit: NamedNode | None) -> str:
    return f"{devices} {words(unit) if unit else 'device'}{'s' if devices > 1 else ''}"


def _judge_together(path: Path, asked: Configuration) -> Iterator[Judgement]:
    """Parts that are each listed are not thereby stated of one configuration.

    Asking for more can only make this worse: a list that leaves a choice stays open, however many
    of its entries are asked for.
    """
    choices = (
        ("precision", asked.precision is not None, len(path.printed_precisions)),
        ("features", bool(asked.features), len(path.features)),
        ("number of devices", asked.count is not None, len(path.deployments)),
    )
    left_open = [name for name, wanted, count in choices if wanted and count > 1]
    several = len(asked.features) > 1 and "features" in left_open
    if len(left_open) > 1 or several:
        yield Fit.UNPAIRED, f"the source does not pair its {' and '.join(left_open)}"


def _all_within(path: Path, target: NamedNode, relations: Relations) -> bool:
    return all(relations.within(hardware, target) for hardware in path.hardware)


def binds(
    exclusion: Exclusion,
    path: Path,
    model: NamedNode,
    target: NamedNode,
    asked: Configuration,
    relations: Relations,
) -> bool:
    """Tell whether a path's exclusion answers the question: each kind of its targets is met.

    A stack that is not the path's own is excluded only where the source names it.
    """
    if not _speaks_of_model(exclusion, path, model) or not _speaks_of_stack(
        exclusion, path, asked, relations
    ):
        return False
    named = exclusion.products | exclusion.generations
    if not named and reach_of(path, target, relations) is Reach.ELSEWHERE:
        return False
    features = {feature.iri for feature in asked.features}
    precisions = {asked.precision.precision.iri} if asked.precision else set()
    within: Callable[[NamedNode, NamedNode], bool] = relations.within
    return all(
        not targets or any(within(given, wide) for given in givens for wide in targets)
        for targets, givens in (
            (exclusion.products, {target}),
            (exclusion.generations, {target}),
            (exclusion.features, features),
            (exclusion.precisions, precisions),
        )
    )


def _speaks_of_model(exclusion: Exclusion, path: Path, model: NamedNode) -> bool:
    if exclusion.checkpoints:
        return model in exclusion.checkpoints
    return path.checkpoint == model and not exclusion.labels


def _speaks_of_stack(
    exclusion: Exclusion, path: Path, asked: Configuration, relations: Relations
) -> bool:
    if exclusion.components:
        return asked.stack is not None and asked.stack.component.iri in exclusion.components
    return asked.stack is None or _judge_stack(path, asked.stack, relations)[0] is not Fit.OTHER
