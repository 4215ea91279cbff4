"""A difference as JSON: asserted and derived apart, each entry with its old and new places."""

from collections.abc import Iterable, Sequence
from typing import Any

from kg.diff.changes import (
    Cause,
    Change,
    Derived,
    Difference,
    EvidencePair,
    Pair,
    Standing,
    StatementPair,
)
from kg.diff.records import AssumedClass, Derivation, ModelWords, Record, Statement, Thing, Value
from kg.snapshot import Place
from kg.terms import shorten


def as_json(difference: Difference) -> dict[str, Any]:
    """Return a difference as JSON values."""
    return {
        "old": difference.old,
        "new": difference.new,
        "same_support": difference.same_support,
        "withdrawn": difference.withdrawn,
        "changed": difference.changed,
        "asserted": {
            "counts": {
                name: count_standings(pairs)
                for name, pairs in (
                    ("paths", difference.paths),
                    ("evidence", difference.evidence),
                    ("models", difference.models),
                    ("printed", difference.words),
                    ("registry", difference.registry),
                    ("readings", difference.readings),
                )
            },
            "paths": [_path(pair) for pair in difference.paths],
            "evidence": [_evidence(pair) for pair in difference.evidence],
            "models": [_thing(pair) for pair in difference.models],
            "printed": [_words(pair) for pair in difference.words],
            "registry": [_thing(pair) for pair in difference.registry],
            "readings": [_thing(pair) for pair in difference.readings],
        },
        "derived": {
            "counts": {
                "inferences": count_standings([d.pair for d in difference.derivations]),
                "assumed_classes": count_standings([d.pair for d in difference.assumed]),
            },
            "inferences": [_derivation(derived) for derived in difference.derivations],
            "assumed_classes": [_assumed(derived) for derived in difference.assumed],
        },
        "freshness": {
            "sources": [{"source": p.record.key, **_pair(p)} for p in difference.sources],
            "evidence": [_evidence(pair) for pair in difference.rechecked],
        },
        "notes": [_thing(pair) for pair in difference.notes],
    }


def count_standings(pairs: Sequence[Pair[Any]]) -> dict[str, int]:
    """Count the pairs that were added, withdrawn and changed."""
    standings = [pair.standing for pair in pairs]
    return {standing.value: standings.count(standing) for standing in Standing}


def _pair(pair: Pair[Any]) -> dict[str, Any]:
    return {
        "standing": pair.standing.value,
        "overlays": list(pair.overlays),
        "changes": [_change(change) for change in pair.changes],
        "old": _side(pair.old),
        "new": _side(pair.new),
    }


def _side(record: Record | None) -> dict[str, Any] | None:
    if record is None:
        return None
    return {"iri": record.iri.value, "places": _places(record.places)}


def _change(change: Change) -> dict[str, Any]:
    return {
        "aspect": change.aspect,
        "lost": [_value(value) for value in change.lost],
        "gained": [_value(value) for value in change.gained],
    }


def _value(value: Value) -> dict[str, Any]:
    return {"value": value.text, "overlay": value.overlay, "places": _places(value.places)}


def _path(pair: StatementPair) -> dict[str, Any]:
    path = pair.record
    said = {} if pair.standing is Standing.CHANGED else _statement(path)
    return {
        "statement_key": path.key,
        "source": path.source,
        "row": path.row,
        "releases": [record.release for record in pair.records],
        **_pair(pair),
        "lost_support": [change.aspect for change in pair.lost_support],
        "gained_support": [change.aspect for change in pair.gained_support],
        **said,
    }


def _statement(path: Statement) -> dict[str, Any]:
    return {
        "said": {name: list(path.said(name)) for name in path.aspects},
        "evidence": [
            {name: list(cited.said(name)) for name in cited.aspects} for cited in path.citations
        ],
    }


def _evidence(pair: EvidencePair) -> dict[str, Any]:
    cited = pair.record
    return {
        "url": next(iter(cited.said("url")), None),
        "claim": next(iter(cited.said("claim")), None),
        "paths": list(pair.paths),
        **_pair(pair),
    }


def _thing(pair: Pair[Thing]) -> dict[str, Any]:
    return {"kind": pair.record.kind, "id": pair.record.key, **_pair(pair)}


def _words(pair: Pair[ModelWords]) -> dict[str, Any]:
    return {"model": pair.record.name, "source": pair.record.source, **_pair(pair)}


def _derivation(derived: Derived[Derivation]) -> dict[str, Any]:
    here = derived.pair.record
    return {
        "derived": True,
        "class": here.architecture,
        "platform": shorten(here.platform),
        "stack": here.stack,
        "source": here.source,
        **_causes(derived),
    }


def _assumed(derived: Derived[AssumedClass]) -> dict[str, Any]:
    here = derived.pair.record
    return {
        "derived": True,
        "model": shorten(here.model),
        "class": here.architecture,
        "family": here.family,
        "aligned_family": here.aligned,
        **_causes(derived),
    }


def _causes(derived: Derived[Any]) -> dict[str, Any]:
    pair = derived.pair
    return {
        **_pair(pair),
        "premises_before": sorted(pair.old.premises) if pair.old else [],
        "premises_after": sorted(pair.new.premises) if pair.new else [],
        "lost_because": [_cause(cause) for cause in derived.lost],
        "gained_because": [_cause(cause) for cause in derived.gained],
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "cause": cause.kind.value,
        "about": cause.about,
        "other_side_says": cause.said or None,
        "places": _places(cause.places),
    }


def _places(places: Iterable[Place]) -> list[str]:
    return [str(place) for place in places]
