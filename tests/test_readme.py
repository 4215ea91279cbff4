"""The README shows what really happens, word for word."""

from pathlib import Path

from docs.refresh import README, refreshed
from kg.build import Built, build
from kg.check.verdict import Verdict

ROOT = Path(__file__).parents[1]


def test_every_output_and_the_picture_are_current(tmp_path: Path) -> None:
    built = build(out=tmp_path)
    assert built.snapshot, built.report.text
    text = README.read_text(encoding="utf-8")
    assert refreshed(text, built.snapshot) == text, "run python docs/refresh.py"


def test_a_changed_output_is_noticed(built: Built) -> None:
    assert built.snapshot
    text = "```console\n$ echo changed\nold\n```\n<!-- model -->\nold\n<!-- /model -->\n"
    again = refreshed(text, built.snapshot)
    assert "$ echo changed\nchanged\n" in again
    assert "old" not in again


def test_every_verdict_is_explained() -> None:
    text = README.read_text(encoding="utf-8")
    assert [verdict.value for verdict in Verdict if f"`{verdict.value}`" not in text] == []


def test_every_link_leads_somewhere() -> None:
    for path in [README, *ROOT.glob("docs/**/*.md")]:
        text = path.read_text(encoding="utf-8")
        for target in [part.split(")")[0] for part in text.split("](")[1:]]:
            if "://" not in target:
                assert (path.parent / target.partition("#")[0]).exists(), f"{path}: {target}"
