"""An answer as text for a terminal of 80 columns: one line for each target, then the detail."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from pyoxigraph import NamedNode

from kg.check.classes import MayWork
from kg.check.engine import Checked
from kg.check.facts import Cell, Citation, Deployment, Path, Requirement, Run
from kg.check.matching import Reach
from kg.check.report import STALE_AFTER_DAYS
from kg.check.verdict import BindingExclusion, Finding, Judged, Verdict
from kg.terms import shorten, words
from kg.vocab import RA

WIDTH: Final = 80
_GAP: Final = "  "
_LABEL: Final = 14
_REACHES: Final = {
    Reach.NAMES: "this product is named in its text, and not mapped",
    Reach.WIDER: "it covers the generation or platform, and names no product",
    Reach.ELSEWHERE: "it speaks of other hardware",
}


def as_text(checked: Checked, *, options: Sequence[str] = ()) -> str:
    """Return an answer as text: a line for each target that fits 80 columns, then the detail.

    ``options`` are those of the question, as typed: the command that explains an answer has them.
    """
    lines = [checked.model, ""]
    if not checked.known:
        lines[1:1] = _unknown(checked)
    if checked.asked.variant:
        said = (
            f"Asked for a variant of it: {checked.asked.variant}. Statements are of the plain id."
        )
        lines[1:1] = textwrap.wrap(said, WIDTH)
    lines += _table(checked)
    for judged in checked.targets:
        lines += ["", *_detail(judged, checked, options)]
    lines += ["", f"snapshot {checked.snapshot}, as of {checked.asked.as_of.isoformat()}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _unknown(checked: Checked) -> list[str]:
    near = f" Did you mean {' or '.join(checked.near)}?" if checked.near else ""
    return textwrap.wrap(f"No source here names this repository.{near}", WIDTH)


def _table(checked: Checked) -> Iterator[str]:
    rows = [_headline(judged, checked) for judged in checked.targets]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    widths[0] = min(widths[0], 18)
    widths[3] = max(8, WIDTH - sum(widths[:3]) - widths[4] - len(_GAP) * 4)
    for row in rows:
        cells = [_cut(cell, width).ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield _GAP.join(cells)


def _headline(judged: Judged, checked: Checked) -> tuple[str, str, str, str, str]:
    target, verdict = judged.target.id, judged.verdict.value
    if judged.verdict is Verdict.MAY_WORK and judged.derivation:
        stack = _derived_stack(judged.derivation, checked)
        return target, verdict, "derived, of a class", stack, "-"
    if judged.verdict is Verdict.EXCLUDED:
        first = judged.exclusions[0]
        return (
            target,
            verdict,
            _kind(first.exclusion.kind),
            first.path.stack,
            _day(first.path.newest),
        )
    if not judged.decisive:
        return target, verdict, "-", "-", "-"
    paths = [finding.path for finding in judged.decisive]
    stacks = dict.fromkeys(path.stack for path in paths)
    newest = max((path.newest for path in paths if path.newest), default=None)
    return target, verdict, _attested(judged.decisive), " | ".join(stacks), _day(newest)


def _attested(findings: Sequence[Finding]) -> str:
    """Name the levels, or, where they differ, the outcomes; what was superseded comes last."""
    current_first = sorted(findings, key=lambda finding: finding.replaced_by is not None)
    outcomes = dict.fromkeys(words(finding.path.outcome) for finding in current_first)
    if len(outcomes) > 1:
        return " | ".join(outcomes)
    paths = [finding.path for finding in findings]
    levels = dict.fromkeys(words(path.level or path.outcome) for path in paths)
    return next(iter(levels)) + (f" (+{len(levels) - 1})" if len(levels) > 1 else "")


def _derived_stack(derivation: MayWork, checked: Checked) -> str:
    inference = derivation.inference
    names = sorted(checked.labels.get(iri, shorten(iri)) for iri in inference.components)
    return " ".join([" + ".join(names), *filter(None, [inference.compile_mode])])


def _detail(judged: Judged, checked: Checked, options: Sequence[str]) -> Iterator[str]:
    yield f"{judged.target.id}: {judged.verdict.value}"
    for binding in judged.exclusions:
        yield from _excluded(binding)
    for finding in judged.decisive:
        yield from _statement(finding, judged, checked)
    for requirement in judged.requirements:
        yield from _requirement(requirement)
    if judged.derivation:
        yield from _derivation(judged.derivation, checked)
    yield from _related(judged.others)
    for hint in judged.hints:
        yield from _entry("hint", hint)
    if judged.left_out:
        yield from _entry("left out", f"{judged.left_out} statements checked after that day")
    if judged.verdict is not Verdict.NO_EVIDENCE:
        yield from _explained(checked.model, judged.target.id, options)
    else:
        yield from _entry("", "No evidence in this graph is not a statement that it does not work.")


def _statement(finding: Finding, judged: Judged, checked: Checked) -> Iterator[str]:
    path = finding.path
    level = words(path.level) if path.level else "no level"
    said = f"{words(path.outcome)}, {level}: {path.stack}{_own(path)}"
    yield from _entry("statement", said)
    for reason in _why(finding):
        yield from _entry("but", reason)
    yield from _configuration(path)
    for limitation in path.limitations:
        yield from _entry("limitation", limitation)
    binding = [bound.exclusion for bound in judged.exclusions]
    for exclusion in path.exclusions:
        if exclusion not in binding:
            yield from _entry("excludes", exclusion.text)
    yield from _entry("read at", ", ".join(map(str, path.places)))
    yield from _entry("", f"{shorten(path.source)} {path.release}; status {path.raw_status!r}")
    for citation in path.citations:
        yield from _citation(citation, checked.asked.as_of)


def _configuration(path: Path) -> Iterator[str]:
    yield from _entry("hardware", _hardware(path))
    yield from _entry("", path.hardware_scope)
    yield from _entry("tested", ", ".join(path.tested_variants), "not the repository asked for")
    yield from _entry("draft model", ", ".join(path.drafts), "a role, not a supported model")
    if path.model_name_only:
        yield from _entry("names", "the model by name, without a repository id")
    yield from _entry("precision", _precision(path))
    yield from _entry("features", "; ".join(path.printed_modes))
    yield from _entry("compile mode", path.compile_mode)
    for deployment in path.deployments:
        yield from _entry("documented", "with " + _deployment(deployment))
        if deployment.run:
            yield from _run(deployment.run, deployment.command)


def _own(path: Path) -> str:
    """Mark what a user has brought."""
    return f" (your own, from {path.overlay})" if path.overlay else ""


def _why(finding: Finding) -> Iterator[str]:
    if finding.reach in _REACHES:
        yield _REACHES[finding.reach]
    yield from finding.reasons


def _hardware(path: Path) -> str:
    parts = [", ".join(sorted(shorten(hardware) for hardware in path.hardware))]
    if path.named_products:
        names = ", ".join(sorted(shorten(product) for product in path.named_products))
        parts.append(f"named, not mapped: {names}")
    return "; ".join(parts)


def _precision(path: Path) -> str:
    """Pair what the source pairs; list the rest as a list."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for cell in path.cells:
        key = (shorten(cell.precision), _role(cell))
        pairs.setdefault(key, []).append(shorten(cell.hardware))
    paired = [f"{p}{role} on {' and '.join(sorted(h))}" for (p, role), h in sorted(pairs.items())]
    known = {shorten(cell.precision) for cell in path.cells}
    loose = sorted(shorten(p) for p in path.precisions if shorten(p) not in known)
    if loose:
        paired.append(f"{', '.join(loose)}, not paired with its hardware")
    if not path.printed_precisions:
        paired.append("not stated")
    elif path.precision_unspecified:
        paired.append(f"not every token names one (printed: {'; '.join(path.printed_precisions)})")
    return "; ".join(paired)


def _role(cell: Cell) -> str:
    return "" if cell.role == RA.RoleUnstated else f" ({words(cell.role)})"


def _deployment(deployment: Deployment) -> str:
    unit = f" {words(deployment.unit)}" if deployment.unit else ""
    parts = [
        f"{deployment.devices} x{unit}" if deployment.devices else unit.strip(),
        f"{deployment.nodes} nodes" if deployment.nodes else "",
        *[_parallelism(text) for text in deployment.parallelism],
        f"topology {deployment.topology}" if deployment.topology else "",
        *sorted(deployment.flags),
    ]
    return ", ".join(part for part in parts if part) + " (no minimum, no limit)"


def _run(run: Run, command: str | None) -> Iterator[str]:
    said = "; ".join([f"{_day(run.ran)}, revision {run.revision}", *run.environment])
    yield from _entry("run", said)
    yield from _entry("command", command)
    checked = run.correctness
    if checked is None:
        yield from _entry("correctness", "not checked")
    else:
        holds = "holds" if checked.holds else "does not hold"
        yield from _entry("correctness", f"{holds}: {checked.result}")
        yield from _entry("", f"how: {checked.method}")
        yield from _entry("", f"against: {checked.reference}")
    yield from _entry("log, SHA-256", run.log_sha256)


def _parallelism(text: str) -> str:
    kind, _, size = text.partition("=")
    return f"{kind} parallel {size}"


def _citation(citation: Citation, as_of: date) -> Iterator[str]:
    publisher = citation.publisher or "publisher not given"
    checked = "check date not given"
    if citation.checked:
        age = (as_of - citation.checked).days
        stale = ", STALE" if age > STALE_AFTER_DAYS else ""
        days = f"{age} day{'' if age == 1 else 's'}"
        checked = f"checked {citation.checked.isoformat()} ({days}{stale})"
    issued = (
        f"published {citation.issued.isoformat()}"
        if citation.issued
        else "publication date unknown"
    )
    yield from _entry("cited", f"{publisher}, {issued}, {checked}: {citation.claim}")
    if citation.url:
        yield " " * (_LABEL + 2) + citation.url  # whole, so that it can be copied
    elif citation.content_sha256:
        pinned = "log" if citation.type == RA.IndependentTestReport else "copy"
        yield from _entry("", f"no address: a {pinned} with SHA-256 {citation.content_sha256[:12]}")


def _excluded(binding: BindingExclusion) -> Iterator[str]:
    exclusion = binding.exclusion
    yield from _entry("excluded", f"{_kind(exclusion.kind)}: {exclusion.text}")
    said = f"{shorten(binding.path.source)}{_own(binding.path)}"
    yield from _entry("", f"said by {said} of its statement on {binding.path.stack}")
    yield from _entry("read at", ", ".join(map(str, exclusion.places + binding.path.places)))


def _derivation(derivation: MayWork, checked: Checked) -> Iterator[str]:
    membership, inference = derivation.membership, derivation.inference
    yield from _entry(
        "derived",
        f"no level, no evidence: {membership.name} may run with "
        f"{_derived_stack(derivation, checked)}",
    )
    by = f": {', '.join(membership.stated_by)}" if membership.stated_by else ""
    yield from _entry("class", f"{membership.name}, {membership.basis.value}{by}")
    if membership.contested:
        yield from _entry("contested", f"also given as {', '.join(membership.contested)}")
    if membership.family and membership.aligned:
        yield from _entry(
            "",
            f"{shorten(membership.family)} is aligned with "
            f"{shorten(membership.aligned)} by {_at(membership.mapping_places)}",
        )
    for witness in membership.witnesses:
        yield from _entry("witness", f"{shorten(witness.path)} at {_at(witness.places)}")
    yield from _entry("licence", f"{inference.grant} ({_at(inference.licence_places)})")
    count = len(inference.premises)
    yield from _entry(
        "premises",
        f"{count} listed path{'s' if count > 1 else ''} of the class; {shorten(inference.rule)}",
    )


def _explained(model: str, target: str, options: Sequence[str]) -> Iterator[str]:
    """Yield the command that goes on from here, on as many lines of a shell as it needs."""
    indent = " " * (_LABEL + 2)
    line = f"  {'explain':<{_LABEL}}runatlas explain"
    parts = [model, target, *options]
    for number, word in enumerate(parts, 1):
        continues = 0 if number == len(parts) else len(" \\")
        if len(line) + 1 + len(word) + continues <= WIDTH:
            line = f"{line} {word}"
        else:
            yield f"{line} \\"
            line = indent + word
    yield line


def _requirement(requirement: Requirement) -> Iterator[str]:
    doubt = "; AMBIGUOUS: " + requirement.why if requirement.ambiguous else ""
    given = "if it is of" if requirement.of_class else "for"
    text = f"{requirement.setting} {given} the family {shorten(requirement.family)}{doubt}"
    yield from _entry("requires", text)


def _related(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        path = finding.path
        level = words(path.level) if path.level else "no level"
        hardware = ", ".join(sorted(shorten(hardware) for hardware in path.hardware))
        why = f" ({'; '.join(_why(finding))})" if list(_why(finding)) else ""
        yield from _entry(
            "elsewhere", f"{words(path.outcome)}, {level} on {hardware}: {path.stack}{why}"
        )


def _entry(label: str, text: str | None, remark: str = "") -> Iterator[str]:
    if not text:
        return
    indent = " " * (_LABEL + 2)
    full = f"{text} ({remark})" if remark else text
    lines = textwrap.wrap(full, WIDTH - len(indent), break_on_hyphens=False) or [""]
    yield f"  {label:<{_LABEL}}{lines[0]}"
    yield from (indent + line for line in lines[1:])


def _at(places: Iterable[object]) -> str:
    return ", ".join(map(str, places)) or "no place noted"


def _kind(exclusion: NamedNode) -> str:
    return words(exclusion).removesuffix(" exclusion")


def _day(day: date | None) -> str:
    return day.isoformat() if day else "undated"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
