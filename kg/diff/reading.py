"""Read what a snapshot holds into records that can be compared with another's."""

from collections.abc import Iterator, Mapping
from typing import Final

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.check.relations import read_relations
from kg.diff.aspects import (
    DOCUMENT_FRESH,
    EVIDENCE_FRESH,
    MODELS,
    NOTES,
    READ_EVIDENCE,
    READ_OF_CLASS,
    READ_OTHER,
    READ_PATH,
    READ_THING,
    READ_WORDS,
    REGISTRY,
    Kinds,
    read_all,
    read_aspects,
    read_notes,
)
from kg.diff.derived import read_alignments, read_assumed, read_derivations
from kg.diff.facts import Facts, in_words
from kg.diff.records import (
    HARDWARE_KINDS,
    Aspects,
    ModelWords,
    Record,
    SourceState,
    Statement,
    Support,
    Thing,
    Value,
)
from kg.queries import query_text
from kg.rows import named
from kg.snapshot import Place
from kg.terms import shorten
from kg.vocab import DCAT, DCTERMS, ID, PREFIXES, PROV, RA, RDF

_MODELS = (
    RA.checkpoint,
    RA.modelLabel,
    RA.testedCheckpoint,
    RA.testedLabel,
    RA.draftCheckpoint,
    RA.draftLabel,
)
_SHORTCUTS = (RA.architecture, RA.family)
_EXCLUDED_MODELS = (RA.excludesCheckpoint, RA.excludesLabel)
_EXCLUDED_HARDWARE = (RA.excludesProduct, RA.excludesGeneration)
_DESCRIPTION: Final = "source.toml"
_MODEL_KINDS: Final = ("architecture", "checkpoint", "family", "label")
_MENTIONED: Final = tuple(f"{ID}{kind}/" for kind in (*_MODEL_KINDS, *HARDWARE_KINDS))


def read_support(backend: Backend) -> Support:
    """Read everything in which a snapshot may differ from another."""
    facts = Facts(backend)
    statements = {s.key: s for s in _statements(facts)}
    keys = {statement.iri: key for key, statement in statements.items()}
    models, registry = _things(facts, MODELS), _things(facts, REGISTRY)
    words = {said.key: said for said in _words(facts)}
    terms = _terms_of_use(backend)
    wider = read_relations(backend).wider
    return Support(
        snapshot=backend.snapshot,
        statements=statements,
        models=models,
        words=words,
        registry=registry,
        readings={f"{t.kind} {t.key}": t for t in _readings(facts, terms)},
        notes={f"{t.kind} {t.key}": t for t in _notes(facts)},
        sources={source.key: source for source in _sources(facts)},
        derivations={d.key: d for d in read_derivations(backend, facts, keys)},
        assumed={a.key: a for a in read_assumed(backend, facts, keys)},
        alignments=read_alignments(backend),
        wider=wider,
        groups={
            iri: frozenset(_with_wider(facts.iris(iri, *_SHORTCUTS), wider))
            for iri in facts.of_type(RA.Checkpoint)
        },
    )


def _with_wider(
    things: list[NamedNode], wider: Mapping[NamedNode, frozenset[NamedNode]]
) -> Iterator[NamedNode]:
    for thing in things:
        yield from (thing, *wider.get(thing, ()))


def _statements(facts: Facts) -> Iterator[Statement]:
    for iri in facts.of_type(RA.SupportPath):
        release = facts.iris(iri, DCTERMS.isPartOf)[0]
        source = facts.text(release, RA.ofSource)
        overlay = facts.text(release, RA.fromOverlay) or None
        facts.tell(iri)
        exclusions = facts.iris(iri, RA.excludes)
        cells = facts.iris(iri, RA.cell)
        narrow = facts.iris(iri, RA.onProduct) or facts.iris(iri, RA.onGeneration)
        only_named = facts.iris(iri, RA.namesProduct, RA.testedOnProduct)
        only_named += [t for part in exclusions for t in facts.iris(part, *_EXCLUDED_HARDWARE)]
        models = facts.iris(iri, *_MODELS)
        models += [m for part in exclusions for m in facts.iris(part, *_EXCLUDED_MODELS)]
        yield Statement(
            key=facts.text(iri, RA.statementKey),
            iri=iri,
            aspects=read_all(facts, iri, READ_PATH),
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
            named_hardware=frozenset(only_named),
        )


def _evidence(facts: Facts, path: NamedNode) -> list[NamedNode]:
    return facts.iris(path, RA.evidence)


def _citation(facts: Facts, iri: NamedNode, overlay: str | None) -> Record:
    facts.tell(iri)
    aspects = dict(read_all(facts, iri, READ_EVIDENCE))
    if aspects.get("document") == aspects.get("url"):
        aspects.pop("document", None)  # a page is its address
    fresh = dict(read_aspects(facts, iri, EVIDENCE_FRESH))
    for document in facts.iris(iri, RA.document):
        fresh.update(read_aspects(facts, document, DOCUMENT_FRESH))
    return Record(
        key=shorten(iri),
        iri=iri,
        aspects=aspects,
        fresh=fresh,
        overlay=overlay,
        places=facts.places(iri),
    )


def _things(facts: Facts, kinds: Kinds) -> dict[str, Thing]:
    found = {}
    for kind, (type_, keys) in kinds.items():
        for iri in facts.of_type(type_):
            facts.tell(iri)
            thing = Thing(
                key=facts.text(iri, *keys) or shorten(iri),
                iri=iri,
                aspects=read_all(facts, iri, READ_THING),
                overlay=facts.overlay(iri),
                places=facts.places(iri),
                kind=kind,
            )
            found[iri.value] = thing
    return found


def _terms_of_use(backend: Backend) -> Mapping[NamedNode, Aspects]:
    said: dict[NamedNode, set[Value]] = {}
    for row in backend.select(query_text("terms_of_use"), {}):
        said.setdefault(named(row["release"]), set()).add(Value(shorten(row["text"])))
    return {release: {"terms of use": frozenset(texts)} for release, texts in said.items()}


def _readings(facts: Facts, terms: Mapping[NamedNode, Aspects]) -> Iterator[Thing]:
    """Read every subject that no other record tells."""
    for iri in facts.untold():
        types = facts.iris(iri, RDF.type)
        how = next((READ_OF_CLASS[type_] for type_ in types if type_ in READ_OF_CLASS), READ_OTHER)
        aspects = dict(read_all(facts, iri, how))
        if [value.text for value in aspects.get("address", ())] == [facts.text_of(iri)]:
            del aspects["address"]  # it is in the name of the page
        yield _thing(facts, iri, {**aspects, **terms.get(iri, {})})


def _notes(facts: Facts) -> Iterator[Thing]:
    for iri in facts.subjects():
        if not facts.said(iri).keys().isdisjoint(NOTES):
            yield _thing(facts, iri, read_notes(facts, iri))


def _thing(facts: Facts, iri: NamedNode, aspects: Aspects) -> Thing:
    return Thing(
        key=facts.text_of(iri),
        iri=iri,
        aspects=aspects,
        overlay=facts.overlay(iri),
        places=facts.places(iri),
        kind=_kind(facts.iris(iri, RDF.type)),
        mentions=frozenset(i for i in _all_iris(facts, iri) if i.value.startswith(_MENTIONED)),
    )


def _all_iris(facts: Facts, iri: NamedNode) -> Iterator[NamedNode]:
    yield iri
    for values in facts.said(iri).values():
        yield from (value for value in values if isinstance(value, NamedNode))


def _kind(types: list[NamedNode]) -> str:
    """Name the kind of a thing: one of our own classes, if it has one."""
    own = [type_ for type_ in types if type_.value.startswith(PREFIXES["ra"])]
    return in_words((own or types)[0]) if types else "thing"


def _words(facts: Facts) -> Iterator[ModelWords]:
    rows: dict[tuple[str, NamedNode], list[NamedNode]] = {}
    for iri in facts.of_type(RA.ModelStatement):
        if facts.iris(iri, RA.ofCheckpoint, RA.ofLabel):
            facts.tell(iri)
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
            aspects=_merged([read_all(facts, iri, READ_WORDS) for iri in statements]),
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
        }
        if release in facts.hashes:
            fresh["document SHA-256"] = frozenset({Value(facts.hashes[release])})
        yield SourceState(
            key=facts.text(release, RA.ofSource),
            iri=release,
            aspects={},
            fresh={name: values for name, values in fresh.items() if values},
            overlay=facts.text(release, RA.fromOverlay) or None,
            places=_described(facts, release),
            licences=frozenset(facts.texts(release, RA.licensesInference)),
        )


def _described(facts: Facts, release: NamedNode) -> tuple[Place, ...]:
    """Return where a source is described, or else where else its release is spoken of."""
    places = facts.places(release)
    return tuple(place for place in places if place.path.endswith(_DESCRIPTION)) or places
