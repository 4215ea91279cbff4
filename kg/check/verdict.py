"""Judge: the first verdict that applies, in the order of the design's table."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from itertools import combinations
from typing import Final

from pyoxigraph import NamedNode

from kg.check.classes import ClassFacts, MayWork, hints, may_work
from kg.check.contradictions import POSITIVE, contradict, supersedes
from kg.check.facts import Exclusion, Path, Requirement
from kg.check.matching import Fit, Reach, binds, fit_of, reach_of
from kg.check.question import Configuration
from kg.check.relations import Relations
from kg.names import Named
from kg.terms import shorten
from kg.vocab import RA


class Verdict(StrEnum):
    """What may be said of a model on a target, from the first that applies."""

    CONFLICTING = "conflicting"
    MIXED = "mixed"
    SUPPORTED = "supported"
    LIMITED = "limited"
    FAILING = "failing"
    UNSUPPORTED = "unsupported"
    NEGATIVE_UNSPECIFIED = "negative-unspecified"
    OTHER_VARIANT = "other-variant"
    EXCLUDED = "excluded"
    UNTESTED = "untested"
    PLANNED = "planned"
    NOT_ITEMISED = "not-itemised"
    OTHER_CONFIGURATION = "other-configuration"
    NAMED_NOT_MAPPED = "named-not-mapped"
    WIDER_SCOPE = "wider-scope"
    MAY_WORK = "may-work"
    NO_EVIDENCE = "no-evidence"


OUTCOMES: Final = {
    RA.Supported: Verdict.SUPPORTED,
    RA.Limited: Verdict.LIMITED,
    RA.Failing: Verdict.FAILING,
    RA.Unsupported: Verdict.UNSUPPORTED,
    RA.NegativeUnspecified: Verdict.NEGATIVE_UNSPECIFIED,
    RA.Untested: Verdict.UNTESTED,
    RA.Planned: Verdict.PLANNED,
}
_RAN_OR_CLAIMED: Final = frozenset(OUTCOMES) - {RA.Untested, RA.Planned}


@dataclass(frozen=True, slots=True)
class Finding:
    """A path beside what was asked: how far it reaches, how it fits, and why not better.

    ``of_variant`` holds where what was tested, or what is asked for, is a variant of the model;
    ``replaced_by`` is the day on which its source has said something newer of the same.
    """

    path: Path
    of_variant: bool
    reach: Reach
    fit: Fit
    reasons: tuple[str, ...]
    replaced_by: date | None = None


@dataclass(frozen=True, slots=True)
class BindingExclusion:
    """An exclusion that answers the question, and the path that carries it."""

    path: Path
    exclusion: Exclusion


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The verdict on one target; ``decisive`` are the statements it rests on, the rest is shown."""

    target: Named
    verdict: Verdict
    decisive: tuple[Finding, ...] = ()
    others: tuple[Finding, ...] = ()
    exclusions: tuple[BindingExclusion, ...] = ()
    derivation: MayWork | None = None
    requirements: tuple[Requirement, ...] = ()
    hints: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def newest(self) -> date | None:
        """The last day on which a citation of a statement shown was checked."""
        paths = [finding.path for finding in self.decisive + self.others]
        return max((path.newest for path in paths if path.newest), default=None)


def judge(
    model: NamedNode,
    target: Named,
    asked: Configuration,
    *,
    paths: Sequence[Path],
    classes: ClassFacts,
    requirements: Iterable[Requirement],
    relations: Relations,
) -> Judged:
    """Judge one target by every path of the model and every path that excludes it.

    A statement whose every citation was checked after the day asked about is left out, and counted.
    """
    iri = target.iri
    known = [path for path in paths if _made_by(path, asked.as_of)]
    platform = relations.platform.get(iri, iri)
    late = [path for path in paths if path not in known and path.checkpoint == model]
    left_out = sum(path.platform == platform for path in late)
    findings = [
        Finding(
            path,
            bool(path.tested_variants or asked.variant),
            reach_of(path, iri, relations),
            *fit_of(path, iri, asked, relations),
        )
        for path in known
        if path.checkpoint == model
    ]
    findings = list(_mark_replaced(findings))
    exclusions = tuple(
        BindingExclusion(path, exclusion)
        for path in known
        for exclusion in path.exclusions
        if binds(exclusion, path, model, iri, asked, relations)
    )
    derivation = may_work(classes, target, asked)
    verdict, decisive = _verdict(findings, exclusions)
    if verdict is Verdict.NO_EVIDENCE and derivation:
        verdict = Verdict.MAY_WORK
    related = [f for f in findings if f not in decisive and f.path.platform == platform]
    help_ = [*hints(classes, target, asked), *_nearest(related, target)]
    return Judged(
        target=target,
        verdict=verdict,
        decisive=decisive,
        others=tuple(related),
        exclusions=exclusions,
        derivation=derivation,
        requirements=tuple(
            requirement
            for requirement in requirements
            if requirement.platform == platform
            and (not requirement.of_class or verdict is Verdict.MAY_WORK)
        ),
        hints=tuple(help_) if verdict is Verdict.NO_EVIDENCE else (),
        left_out=left_out,
    )


def _nearest(related: list[Finding], target: Named) -> Iterator[str]:
    for finding in related:
        if finding.reach is Reach.ELSEWHERE and finding.path.outcome in POSITIVE:
            hardware = ", ".join(sorted(shorten(thing) for thing in finding.path.hardware))
            yield f"There is a statement on {hardware}; it does not reach {target.id}."


def _made_by(path: Path, day: date) -> bool:
    """Tell whether a statement had been read by a day: checked, or its document registered."""
    days = [citation.checked for citation in path.citations if citation.checked]
    if not days and path.registered:
        days = [path.registered]
    return not days or min(days) <= day


def _verdict(
    findings: list[Finding], exclusions: tuple[BindingExclusion, ...]
) -> tuple[Verdict, tuple[Finding, ...]]:
    for verdict, decides in _ORDER:
        if verdict is Verdict.EXCLUDED:
            if exclusions:
                carriers = {bound.path for bound in exclusions}
                return verdict, tuple(f for f in findings if f.path in carriers)
        elif found := tuple(finding for finding in findings if decides(finding)):
            return (_outcome(found) if verdict is Verdict.SUPPORTED else verdict), found
    return Verdict.NO_EVIDENCE, ()


def _covers(finding: Finding) -> bool:
    return finding.reach is Reach.COVERS


def _exact(finding: Finding) -> bool:
    return _covers(finding) and finding.fit is Fit.MATCHES and not finding.of_variant


def _is_outcome(outcomes: frozenset[NamedNode]) -> Callable[[Finding], bool]:
    return lambda finding: _exact(finding) and finding.path.outcome in outcomes


# In the order of the design; SUPPORTED stands for whichever outcomes the exact statements have.
_ORDER: Final[tuple[tuple[Verdict, Callable[[Finding], bool]], ...]] = (
    (Verdict.SUPPORTED, _is_outcome(_RAN_OR_CLAIMED)),
    (
        Verdict.OTHER_VARIANT,
        lambda f: _covers(f) and f.fit is not Fit.OTHER and f.of_variant,
    ),
    (Verdict.EXCLUDED, lambda f: False),
    (Verdict.UNTESTED, _is_outcome(frozenset({RA.Untested}))),
    (Verdict.PLANNED, _is_outcome(frozenset({RA.Planned}))),
    (Verdict.NOT_ITEMISED, lambda f: _covers(f) and f.fit is Fit.UNPAIRED),
    (Verdict.OTHER_CONFIGURATION, lambda f: _covers(f) and f.fit is Fit.OTHER),
    (Verdict.NAMED_NOT_MAPPED, lambda f: f.reach is Reach.NAMES and f.fit is not Fit.OTHER),
    (Verdict.WIDER_SCOPE, lambda f: f.reach is Reach.WIDER and f.fit is not Fit.OTHER),
)


def _outcome(findings: tuple[Finding, ...]) -> Verdict:
    paths = [finding.path for finding in findings if finding.replaced_by is None]
    if any(contradict(one, other) for one, other in combinations(paths, 2)):
        return Verdict.CONFLICTING
    outcomes = {path.outcome for path in paths}
    return OUTCOMES[outcomes.pop()] if len(outcomes) == 1 else Verdict.MIXED


def _mark_replaced(findings: list[Finding]) -> Iterator[Finding]:
    """Mark what the same source has said otherwise of the same configuration at a later day."""
    exact = [finding.path for finding in findings if _exact(finding)]
    for finding in findings:
        later = [path.dated for path in exact if supersedes(path, finding.path) and path.dated]
        if not later or not _exact(finding):
            yield finding
            continue
        said = f"superseded: its source says otherwise of {max(later).isoformat()}"
        yield replace(finding, replaced_by=max(later), reasons=(*finding.reasons, said))
