"""The curator's queue as JSON: every rule that warns, also those that found nothing."""

from typing import Any

from kg.lint.findings import Check, Finding, Linted, Rule


def as_json(linted: Linted) -> dict[str, Any]:
    """Return the queue as JSON values, each finding with the IRI of its node and its review."""
    return {
        "snapshot": linted.snapshot,
        "as_of": linted.as_of.isoformat(),
        "days": linted.days,
        "warnings": linted.count("Warning"),
        "notes": linted.count("Info"),
        "reviewed": {"warnings": linted.reviewed("Warning"), "notes": linted.reviewed("Info")},
        "rules": [_rule(rule) for rule in linted.rules],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "rule": rule.id,
        "says": rule.says,
        "count": rule.count,
        "reviewed": rule.reviewed,
        "checks": [_check(check) for check in rule.checks],
    }


def _check(check: Check) -> dict[str, Any]:
    return {
        "name": check.name,
        "severity": check.severity,
        "message": check.message,
        "count": len(check.open),
        "reviewed": len(check.reviewed),
        "findings": [_finding(finding) for finding in check.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    review = finding.review
    return {
        "node": finding.focus.value,
        "value": finding.value or None,
        "places": list(finding.places),
        "reviewed": review
        and {"why": review.why, "read_in": review.read_in, "places": list(review.places)},
    }
