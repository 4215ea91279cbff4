"""What is derived in a snapshot: read from derived graphs, its premises by statement key."""

from collections.abc import Iterator, Mapping

from pyoxigraph import NamedNode

from kg.backend import Backend, Row, Term
from kg.diff.facts import Facts
from kg.diff.records import AssumedClass, Derivation, Value
from kg.queries import query_text
from kg.rows import grouped, named
from kg.store import is_overlay
from kg.terms import shorten
from kg.vocab import DCTERMS, RA

Keys = Mapping[NamedNode, str]


def read_derivations(backend: Backend, facts: Facts, keys: Keys) -> Iterator[Derivation]:
    """Yield every inference, with the statement keys of its premises."""
    rows = backend.select(query_text("derived_facts"), {})
    for iri, said in grouped(rows, "subject").items():
        values: dict[Term, set[Term]] = {}
        for row in said:
            values.setdefault(row["predicate"], set()).add(row["value"])
        own = all(is_overlay(named(row["graph"])) for row in said)
        yield _derivation(backend, facts, keys, (iri, values, own))


def _derivation(
    backend: Backend,
    facts: Facts,
    keys: Keys,
    said: tuple[NamedNode, Mapping[Term, set[Term]], bool],
) -> Derivation:
    iri, values, own = said
    licence = named(min(values[RA.licence], key=str))
    release = facts.iris(licence, DCTERMS.isPartOf)[0]
    overlay = facts.text(release, RA.fromOverlay) or None
    components, modes = (values.get(key, set()) for key in (RA.mayRunComponent, RA.compileMode))
    aspects = {
        "components": _texts(components),
        "compile mode": _texts(modes),
        "licence": facts.values(licence, RA.grantText),
        "rule": _texts(values.get(RA.byRule, set())),
    }
    return Derivation(
        key=shorten(iri),
        iri=iri,
        aspects={name: found for name, found in aspects.items() if found},
        overlay=(overlay or "an overlay") if own else None,
        places=backend.places(licence),
        source=facts.text(release, RA.ofSource),
        stack=" ".join([", ".join(sorted(map(facts.label, components))), *_words(modes)]),
        architecture=shorten(min(values[RA.mayRunArchitecture], key=str)),
        platform=named(min(values[RA.mayRunOnPlatform], key=str)),
        premises=frozenset(keys[named(premise)] for premise in values[RA.premise]),
    )


def _texts(terms: set[Term]) -> frozenset[Value]:
    return frozenset(Value(shorten(term)) for term in terms)


def _words(terms: set[Term]) -> list[str]:
    return sorted(shorten(term).removeprefix("ra:") for term in terms)


def read_assumed(backend: Backend, facts: Facts, keys: Keys) -> Iterator[AssumedClass]:
    """Yield the class that each checkpoint is lent by an aligned family, where it is just one."""
    rows = backend.select(query_text("assumed_classes"), {})
    for checkpoint, said in grouped(rows, "checkpoint").items():
        if len({row["class"] for row in said}) == 1:
            yield _assumed(backend, facts, keys, checkpoint, said)


def _assumed(
    backend: Backend, facts: Facts, keys: Keys, checkpoint: NamedNode, rows: list[Row]
) -> AssumedClass:
    mapping, aligned = named(rows[0]["mapping"]), named(rows[0]["aligned"])
    name = shorten(rows[0]["class"])
    premises = [named(row["path"]) for row in rows if row["aligned"] == aligned]
    return AssumedClass(
        key=f"{shorten(checkpoint)}/{name}",
        iri=checkpoint,
        aspects={"family": frozenset({Value(shorten(rows[0]["family"]))})},
        overlay=facts.overlay(checkpoint),
        places=backend.places(mapping),
        model=checkpoint,
        architecture=name,
        family=shorten(rows[0]["family"]),
        aligned=shorten(aligned),
        source=facts.text(aligned, RA.ofSource),
        mapping=mapping,
        premises=frozenset(keys[premise] for premise in premises),
    )


def read_alignments(backend: Backend) -> frozenset[NamedNode]:
    """Read which alignments are in use."""
    return frozenset(
        named(row["mapping"]) for row in backend.select(query_text("alignments_in_use"), {})
    )
