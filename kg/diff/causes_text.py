"""Say in words why a derivation was gained, was lost, or rests on other premises."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kg.diff.changes import Cause, CauseKind, Derived

# What the new snapshot says (lost), and what the old one said (gained).
_LOST: Final[Mapping[CauseKind, str]] = {
    CauseKind.ALIGNMENT: "the alignment {about} is gone or out of use",
    CauseKind.CLASS_LABEL: "{about} is no longer printed under the class (now: {said})",
    CauseKind.CONFIGURATION: "{about} now speaks of {said}",
    CauseKind.FAMILY: "the family printed for {about} has changed (now: {said})",
    CauseKind.LICENCE: "the licence is withdrawn: {about} no longer lets one infer (now: {said})",
    CauseKind.MODEL: "the model of {about} has changed or is gone (now: {said})",
    CauseKind.OUTCOME: "{about} no longer says that it is supported (now: {said})",
    CauseKind.PREMISE: "the premise {about} is withdrawn",
    CauseKind.RULE: "the rule no longer takes {about} as a premise",
    CauseKind.SEVERAL_CLASSES: "the family {about} no longer gives one class",
    CauseKind.STATED_CLASS: "a source now states a class of {about}: {said}",
    CauseKind.TESTED_VARIANT: "{about} now says that a variant was tested: {said}",
}
_GAINED: Final[Mapping[CauseKind, str]] = {
    CauseKind.ALIGNMENT: "the alignment {about} is new or in use now",
    CauseKind.CLASS_LABEL: "{about} is now printed under the class (before: {said})",
    CauseKind.CONFIGURATION: "{about} spoke of {said} before",
    CauseKind.FAMILY: "the family printed for {about} has changed (before: {said})",
    CauseKind.LICENCE: "the licence is new: {about} now lets one infer (before: {said})",
    CauseKind.MODEL: "the model of {about} has changed or is new (before: {said})",
    CauseKind.OUTCOME: "{about} now says that it is supported (before: {said})",
    CauseKind.PREMISE: "the premise {about} is new",
    CauseKind.RULE: "the rule now takes {about} as a premise",
    CauseKind.SEVERAL_CLASSES: "the family {about} now gives one class",
    CauseKind.STATED_CLASS: "no source states a class of {about} any more (before: {said})",
    CauseKind.TESTED_VARIANT: "{about} said before that a variant was tested: {said}",
}


def cause_lines(derived: Derived[Any]) -> Iterator[str]:
    """Yield a line for each cause: first of what was lost, then of what was gained."""
    for causes, texts in ((derived.lost, _LOST), (derived.gained, _GAINED)):
        for cause in causes:
            yield f"because {_text(cause, texts)}{_at(cause)}"


def _text(cause: Cause, texts: Mapping[CauseKind, str]) -> str:
    return texts[cause.kind].format(about=cause.about, said=cause.said or "none")


def _at(cause: Cause) -> str:
    return f" [{', '.join(map(str, cause.places))}]" if cause.places else ""
