"""Lint: the counts on the two documents, the places, both forms, and what it refuses."""

import json
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode

from kg.build import build
from kg.errors import SnapshotError, UnknownNameError, UsageError
from kg.lint.engine import lint
from kg.lint.findings import Check, Finding, Linted, Rule
from kg.lint.json_report import as_json
from kg.lint.report import read_report
from kg.lint.text import WIDTH, as_text
from kg.place_text import compact, in_order
from kg.resources import DATA
from kg.snapshot import REPORT, REPORT_TEXT, Snapshot, open_snapshot
from tests.conftest import DOCUMENTS

CASES: Final = Path(__file__).parent / "cases" / "lint"
TODAY: Final = date(2026, 11, 30)


def _case(name: str) -> dict[str, Any]:
    return tomllib.loads((CASES / f"{name}.toml").read_text(encoding="utf-8"))


def _counts(linted: Linted) -> dict[str, int]:
    checks = (check for rule in linted.rules for check in rule.checks)
    return {check.name: len(check.findings) for check in checks if check.findings}


@pytest.fixture(scope="module")
def linted(snapshot: Snapshot) -> Linted:
    return lint(snapshot, as_of=TODAY)


def test_the_counts_on_the_two_documents(linted: Linted) -> None:
    assert _counts(linted) == _case("two_documents")["counts"]


def test_what_was_reviewed_is_counted_apart_and_told_with_its_reason(linted: Linted) -> None:
    checks = [check for rule in linted.rules for check in rule.checks]
    counts = {check.name: len(check.reviewed) for check in checks if check.reviewed}
    assert counts == _case("two_documents")["reviewed"]
    text = " ".join(as_text(linted).split())
    assert "Open: 92 warnings and 94 notes. Reviewed: 5 warnings and 0 notes." in text
    for finding in (finding for check in checks for finding in check.reviewed):
        assert finding.review
        assert finding.review.why in text
        assert finding.review.places[0].startswith("curated/reviewed.csv:")


def test_the_reports_own_warnings_and_notes_are_all_there(
    linted: Linted, snapshot: Snapshot
) -> None:
    text = (snapshot.folder / REPORT_TEXT).read_text(encoding="utf-8")
    asked = sum(len(c.findings) for r in linted.rules for c in r.checks if "-" not in c.name)
    told = sum(linted.count(one) + linted.reviewed(one) for one in ("Warning", "Info"))
    assert f"warnings: {linted.count('Warning') + linted.reviewed('Warning')}, notes: 5," in text
    assert told - asked == 97 + 5
    assert "The build's own report has these but for 89 of R74:" in as_text(linted)


@pytest.mark.parametrize("on", _case("reviewed")["on"], ids=lambda on: on["about"])
def test_a_review_is_of_just_the_result_that_it_names(
    on: Mapping[str, Any], tmp_path: Path
) -> None:
    data = shutil.copytree(DATA, tmp_path / "data")
    with (data / "curated" / "reviewed.csv").open("a", encoding="utf-8") as table:
        table.write(f"{on['row']},Looked at,here\n")
    built = build(data=data, out=tmp_path / "out", only=DOCUMENTS)
    assert built.snapshot, built.report.text
    asked = lint(open_snapshot(built.snapshot), rules=[on["rule"]], as_of=TODAY)
    (rule,) = asked.rules
    assert (rule.count, rule.reviewed) == (on["open"], on["reviewed"])
    gone = [check for check in rule.checks if check.name == "outlived_reviews"]
    assert [finding.value for check in gone for finding in check.findings] == on["gone"]
    assert all(f.places == ("curated/reviewed.csv:7",) for check in gone for f in check.findings)


def test_rules_that_found_nothing_are_told_as_well(linted: Linted) -> None:
    assert [rule.id for rule in linted.rules if not rule.count] == [
        "R12",
        "R14",
        "R15",
        "R27",
        "R31",
        "R72b",
    ]
    assert "Nothing found by R12, R14, R15, R27, R31, R72b." in as_text(linted)


@pytest.mark.parametrize("on", _case("stale")["on"], ids=str)
def test_what_is_stale_depends_on_the_day(on: Mapping[str, Any], snapshot: Snapshot) -> None:
    days = {"days": on["days"]} if "days" in on else {}
    asked = lint(snapshot, rules=_case("stale")["rules"], as_of=on["as_of"], **days)
    assert [rule.id for rule in asked.rules] == ["R72b"]
    assert asked.rules[0].count == on["count"]


def test_labels_that_look_alike_are_told_until_a_row_says_what_they_are(tmp_path: Path) -> None:
    case = _case("unaligned")
    data = shutil.copytree(DATA, tmp_path / "data")
    table = data / "curated" / f"{case['without']['table']}.csv"
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(case["without"]["rows"])]
    assert len(kept) < len(lines)
    table.write_text("".join(kept), encoding="utf-8")
    built = build(data=data, out=tmp_path / "out", only=DOCUMENTS)
    assert built.snapshot, built.report.text
    opened = open_snapshot(built.snapshot)
    asked = lint(opened, rules=case["rules"], as_of=case["as_of"])
    assert _counts(asked) == case["counts"]


def test_every_finding_has_a_place_in_a_file(linted: Linted) -> None:
    found = [f for rule in linted.rules for check in rule.checks for f in check.findings]
    assert found
    for finding in found:
        assert finding.places, finding
        for place in finding.places:
            assert _stands(place), place


def _stands(place: str) -> bool:
    file, hash_, pointer = place.partition("#/")
    if not hash_:
        file, _, line = place.rpartition(":")
        return 1 <= int(line) <= len((DATA / file).read_text(encoding="utf-8").splitlines())
    value: Any = json.loads((DATA / file).read_text(encoding="utf-8"))
    for key in filter(None, pointer.split("/")):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return True


def test_text_fits_80_columns_but_for_words_that_are_longer(linted: Linted) -> None:
    for line in as_text(linted).splitlines():
        assert len(line) <= WIDTH or len(line.split()) == 1, line


def test_text_leaves_nothing_out(linted: Linted) -> None:
    words = as_text(linted).split()
    for rule in linted.rules:
        for check in rule.checks:
            for finding in check.findings:
                last = finding.focus.value.rpartition("/")[2]
                assert any(word.endswith(last) for word in words) or "%" in last, finding
    assert "sources/cloud-ai-100/cloud-ai-100.txt:3,12-39,43,55-61,72-76,80,90" in words


def test_text_begins_with_one_entry_for_each_rule_and_severity(linted: Linted) -> None:
    overview = as_text(linted).split("\n\n", 1)[0]
    told = [line.split()[:4] for line in overview.splitlines() if line.startswith("R")]
    names = {"Warning": "warning", "Info": "note"}
    assert told == [
        [rule.id, names[severity], str(len(opened)), str(len(reviewed))]
        for rule in linted.rules
        for severity in names
        for checks in ([c for c in rule.checks if c.severity == severity],)
        for opened in ([f for check in checks for f in check.open],)
        for reviewed in ([f for check in checks for f in check.reviewed],)
        if opened or reviewed
    ]


def test_json_says_what_text_says(linted: Linted) -> None:
    answer = json.loads(json.dumps(as_json(linted)))
    assert (answer["as_of"], answer["days"]) == ("2026-11-30", 90)
    checks = [check for rule in answer["rules"] for check in rule["checks"]]
    by_severity = {
        severity: sum(check["count"] for check in checks if check["severity"] == severity)
        for severity in ("Warning", "Info")
    }
    assert (answer["warnings"], answer["notes"]) == tuple(by_severity.values())
    assert f"Open: {answer['warnings']} warnings and {answer['notes']} notes." in as_text(linted)
    assert answer["reviewed"] == {"warnings": 5, "notes": 0}
    found = [finding for check in checks for finding in check["findings"]]
    assert len(found) == sum(check["count"] + check["reviewed"] for check in checks)
    reviewed = [finding["reviewed"] for finding in found if finding["reviewed"]]
    assert {tuple(review) for review in reviewed} == {("why", "read_in", "places")}
    assert len(reviewed) == 5
    legacy = next(check for check in checks if check["name"] == "R80-legacy")
    assert legacy["findings"][0]["places"] == [
        "sources/model-support/model-support.json#/support_paths/0/evidence/0"
    ]


def test_the_same_snapshot_and_day_give_the_same_queue(snapshot: Snapshot, linted: Linted) -> None:
    assert lint(open_snapshot(snapshot.folder), as_of=TODAY) == linted


def test_rules_are_chosen_by_id_with_near_misses(snapshot: Snapshot) -> None:
    chosen = lint(snapshot, rules=["R55", "R44"], as_of=TODAY)
    assert [rule.id for rule in chosen.rules] == ["R44", "R55"]
    assert [rule.id for rule in lint(snapshot, rules=["r59B"], as_of=TODAY).rules] == ["R59b"]
    with pytest.raises(
        UnknownNameError, match=r"no rule that warns 'R555' here\. Did you mean R55"
    ):
        lint(snapshot, rules=["R555"], as_of=TODAY)


@pytest.mark.parametrize(
    ("name", "why"),
    [("r05", "R05 is a violation: it stops a build"), ("R21", "R21 neither stops a build nor")],
)
def test_a_rule_that_never_warns_is_refused_with_the_reason(
    name: str, why: str, snapshot: Snapshot
) -> None:
    with pytest.raises(UsageError, match=why):
        lint(snapshot, rules=[name], as_of=TODAY)


def test_days_before_the_calendar_are_refused(snapshot: Snapshot) -> None:
    with pytest.raises(UsageError, match="no day 90 days before 0001-01-01"):
        lint(snapshot, as_of=date(1, 1, 1))


def test_a_snapshot_without_its_report_is_refused(snapshot: Snapshot, tmp_path: Path) -> None:
    files = {name: sha for name, sha in snapshot.manifest["files"].items() if name != REPORT}
    bare = replace(snapshot, manifest={**snapshot.manifest, "files": files})
    with pytest.raises(SnapshotError, match="build it again"):
        lint(bare, as_of=TODAY)
    shutil.copytree(snapshot.folder, tmp_path / "damaged")
    damaged = replace(snapshot, folder=tmp_path / "damaged")
    for content in ("no Turtle", "<urn:r> a <http://www.w3.org/ns/shacl#ValidationResult> ."):
        (tmp_path / "damaged" / REPORT).write_text(content, encoding="utf-8")
        with pytest.raises(SnapshotError, match=r"report\.ttl: cannot be read"):
            lint(damaged, as_of=TODAY)


def test_a_report_of_shapes_that_are_not_ours_is_told(snapshot: Snapshot, tmp_path: Path) -> None:
    """A snapshot may come from a release with other rules."""
    shutil.copytree(snapshot.folder, tmp_path / "later")
    report = tmp_path / "later" / REPORT
    text = report.read_text(encoding="utf-8")
    later = text.replace('"R80"', '"R95"').replace("R80-legacy", "R95-later")
    report.write_text(later, encoding="utf-8")
    asked = lint(replace(snapshot, folder=tmp_path / "later"), as_of=TODAY)
    assert [(rule.id, rule.count) for rule in asked.rules][-2:] == [("R80", 0), ("R95", 1)]


def test_values_of_a_check_stand_together() -> None:
    findings = tuple(
        Finding(NamedNode(f"https://w3id.org/runatlas/id/path/{name}"), value, (f"{name}.csv:1",))
        for name, value in (("a", "one"), ("b", "one"), ("c", "two"))
    )
    rule = Rule("R44", "Says.", (Check("R44-x", "R44", "Info", "Do.", findings),))
    text = as_text(Linted("s", TODAY, 90, (rule,)))
    assert text == (
        "rule  severity open  reviewed\nR44   note        3         0  Says.\n\n"
        "R44  Says.\n  3: Note. Do.\n"
        "    one\n      a  a.csv:1\n      b  b.csv:1\n    two\n      c  c.csv:1\n\n"
        "Open: 0 warnings and 3 notes. Reviewed: 0 warnings and 0 notes.\n"
        "snapshot s, as of 2026-11-30\n"
    )


@given(st.sets(st.integers(1, 40), min_size=1))
def test_lines_of_a_file_are_written_as_ranges_that_hold_just_them(lines: set[int]) -> None:
    (written,) = compact(in_order(f"a.csv:{line}" for line in lines))
    file, _, ranges = written.partition(":")
    held: set[int] = set()
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        held |= set(range(int(first), int(last or first) + 1))
    assert (file, held) == ("a.csv", lines)


def test_places_stand_in_the_order_of_files_and_lines() -> None:
    places = ["curated/a.csv:10", "curated/a.csv:9", "s/b.json#/p/10", "s/b.json#/p/9"]
    assert in_order(reversed(places)) == (
        "s/b.json#/p/9",
        "s/b.json#/p/10",
        "curated/a.csv:9",
        "curated/a.csv:10",
    )


def test_a_report_without_results_reads_as_none() -> None:
    assert read_report(b"<urn:r> a <http://www.w3.org/ns/shacl#ValidationReport> .") == ()
