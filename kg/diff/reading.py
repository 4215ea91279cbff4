"""Read what a snapshot holds into records that can be compared with another's."""

from collections.abc import Iterator, Mapping

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.check.relations import read_relations
from kg.diff.aspects import (
    DOCUMENT_FRESH,
    EVIDENCE,
    EVIDENCE_FRESH,
    MODELS,
    PATH,
    REGISTRY,
    WORDS,
    Aspect,
    read_aspects,
)
from kg.diff.derived import read_alignments, read_assumed, read_derivations
from kg.diff.facts import Facts
from kg.diff.records import (
    Aspects,
    ModelWords,
    Record,
    SourceState,
    Statement,
    Support,
    Thing,
    Value,
)
from kg.terms import shorten
from kg.vocab import DCAT, DCTERMS, PROV, RA

_MODELS = (
    RA.checkpoint,
    RA.modelLabel,
    RA.testedCheckpoint,
    RA.testedLabel,
    RA.draftCheckpoint,
    RA.draftLabel,
)
_EXCLUDED_MODELS = (RA.excludesCheckpoint, RA.excludesLabel)
_EXCLUDED_HARDWARE = (RA.excludesProduct, RA.excludesGeneration)


def read_support(backend: Backend) -> Support:
    """Read everything in which a snapshot may differ from another."""
    facts = Facts(backend)
    statements = {s.key: s for s in _statements(facts)}
    keys = {statement.iri: key for key, statement in statements.items()}
    return Support(
        snapshot=backend.snapshot,
        statements=statements,
        models=_things(facts, MODELS),
        words={words.key: words for words in _words(facts)},
        registry=_things(facts, REGISTRY),
        sources={source.key: source for source in _sources(facts)},
        derivations={d.key: d for d in read_derivations(backend, facts, keys)},
        assumed={a.key: a for a in read_assumed(backend, facts, keys)},
        alignments=read_alignments(backend),
        wider=read_relations(backend).wider,
    )


def _statements(facts: Facts) -> Iterator[Statement]:
    for iri in facts.of_type(RA.SupportPath):
        release = facts.iris(iri, DCTERMS.isPartOf)[0]
        source = facts.text(release, RA.ofSource)
        overlay = facts.text(release, RA.fromOverlay) or None
        exclusions = facts.iris(iri, RA.excludes)
        cells = facts.iris(iri, RA.cell)
        narrow = facts.iris(iri, RA.onProduct) or facts.iris(iri, RA.onGeneration)
        named = facts.iris(iri, RA.namesProduct, RA.testedOnProduct)
        named += [t for part in exclusions for t in facts.iris(part, *_EXCLUDED_HARDWARE)]
        models = facts.iris(iri, *_MODELS)
        models += [m for part in exclusions for m in facts.iris(part, *_EXCLUDED_MODELS)]
        yield Statement(
            key=facts.text(iri, RA.statementKey),
            iri=iri,
            aspects=read_aspects(facts, iri, PATH),
            overlay=overlay,
            places=facts.places(iri, source),
            source=source,
            row=facts.text(iri, RA.rowKey),
            release=facts.text(release, DCAT.version),
            citations=tuple(_citation(facts, part, overlay) for part in _evidence(facts, iri)),
            models=frozenset(models),
            hardware=frozenset(
                [*(narrow or facts.iris(iri, RA.onPlatform))]
                + [hardware for cell in cells for hardware in facts.iris(cell, RA.cellHardware)]
            ),
            named_hardware=frozenset(named),
        )


def _evidence(facts: Facts, path: NamedNode) -> list[NamedNode]:
    return facts.iris(path, RA.evidence)


def _citation(facts: Facts, iri: NamedNode, overlay: str | None) -> Record:
    fresh = dict(read_aspects(facts, iri, EVIDENCE_FRESH))
    for document in facts.iris(iri, RA.document):
        fresh.update(read_aspects(facts, document, DOCUMENT_FRESH))
    return Record(
        key=shorten(iri),
        iri=iri,
        aspects=read_aspects(facts, iri, EVIDENCE),
        fresh=fresh,
        overlay=overlay,
        places=facts.places(iri),
    )


def _things(
    facts: Facts, kinds: Mapping[str, tuple[NamedNode, tuple[NamedNode, ...], tuple[Aspect, ...]]]
) -> dict[str, Thing]:
    found = {}
    for kind, (type_, keys, aspects) in kinds.items():
        for iri in facts.of_type(type_):
            thing = Thing(
                key=facts.text(iri, *keys) or shorten(iri),
                iri=iri,
                aspects=read_aspects(facts, iri, aspects),
                overlay=facts.overlay(iri),
                places=facts.places(iri),
                kind=kind,
            )
            found[iri.value] = thing
    return found


def _words(facts: Facts) -> Iterator[ModelWords]:
    rows: dict[tuple[str, NamedNode], list[NamedNode]] = {}
    for iri in facts.of_type(RA.ModelStatement):
        release = facts.iris(iri, DCTERMS.isPartOf)[0]
        source = facts.text(release, RA.ofSource)
        for model in facts.iris(iri, RA.ofCheckpoint, RA.ofLabel):
            rows.setdefault((source, model), []).append(iri)
    for (source, model), statements in rows.items():
        release = facts.iris(statements[0], DCTERMS.isPartOf)[0]
        places = [place for iri in statements for place in facts.places(iri, source)]
        yield ModelWords(
            key=f"{source}/{model.value}",
            iri=statements[0],
            aspects=_merged([read_aspects(facts, iri, WORDS) for iri in statements]),
            overlay=facts.text(release, RA.fromOverlay) or None,
            places=tuple(dict.fromkeys(places)),
            source=source,
            model=model,
            name=facts.text(model, RA.repositoryId) or shorten(model),
        )


def _merged(parts: list[Aspects]) -> Aspects:
    names = dict.fromkeys(name for part in parts for name in part)
    empty: frozenset[Value] = frozenset()
    return {name: empty.union(*(part.get(name, empty) for part in parts)) for name in names}


def _sources(facts: Facts) -> Iterator[SourceState]:
    for release in facts.of_type(RA.SourceRelease):
        fresh = {
            "release": facts.values(release, DCAT.version),
            "last reviewed": facts.values(release, RA.lastReviewed),
            "schema version": facts.values(release, RA.schemaVersion),
            "registered": facts.values(release, PROV.generatedAtTime),
            "absence means": facts.values(release, RA.absenceMeans),
            "licenses inference": facts.values(release, RA.licensesInference),
        }
        if release in facts.hashes:
            fresh["document SHA-256"] = frozenset({Value(facts.hashes[release])})
        yield SourceState(
            key=facts.text(release, RA.ofSource),
            iri=release,
            aspects={},
            fresh={name: values for name, values in fresh.items() if values},
            overlay=facts.text(release, RA.fromOverlay) or None,
            places=facts.places(release),
            licences=frozenset(facts.texts(release, RA.licensesInference)),
        )
