"""What sources state and curators add, as nodes: paths, their rows, citations and readings."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from pyoxigraph import NamedNode

from kg.explain.reading import Reader
from kg.explain.tree import Bearing, Branch, Cited, Kind, Node, Quote, branches, context
from kg.iris import keys_of
from kg.rows import named
from kg.snapshot import Place
from kg.terms import shorten, words
from kg.vocab import DCTERMS, PAV, PROV, RA, RDF, RDFS, SCHEMA, SKOS, SSSOM
from mappings.curated.tables import REGISTRY

_CELLS: Final = (
    ("architecture", RA.printedArchitecture),
    ("architecture kind", RA.printedArchitectureKind),
    ("family", RA.printedFamily),
    ("name", RA.printedName),
    ("modality", RA.printedModality),
    ("parameters", RA.printedParameters),
)
# The tables that read what a rule asks of a premise: its outcome and its stack.
_READ_OF_PREMISES: Final = frozenset({"stacks", "status_words"})
_STEPS: Final = (
    (RA.ofGeneration, "is of"),
    (RA.ofPlatform, "is of"),
    (RA.contains, "contains"),
    (SKOS.broader, "is a kind of"),
)
_HARDWARE: Final = (RA.onProduct, RA.onGeneration, RA.onPlatform)


def path_node(
    reader: Reader,
    path: NamedNode,
    *,
    of_class: str | None = None,
    apart: Collection[NamedNode] = (),
) -> Node:
    """Explain a path by its rows, its citations, its run and the curated rows that read it.

    As a premise it needs the rows that print the class, and those that read its outcome and stack.
    Curated rows that stand ``apart`` in the tree are left out.
    """
    curated = [row for row in curated_rows(reader, path) if row not in apart]
    needed = [row for row in curated if of_class and _is_read_of_premises(row)]
    runs = [it for it in reader.iris(path, RA.deployment) if is_run(reader, it)]
    evidence = [evidence_node(reader, it) for it in reader.iris(path, RA.evidence)]
    claims = {quote.text for node in evidence for quote in node.quotes}
    quotes = _quotes(
        reader,
        path,
        ("status", RA.rawStatus),
        ("hardware scope", RA.hardwareScope),
        ("quantization", RA.quantizationText),
        ("limitation", RA.limitation),
    )
    return Node(
        kind=Kind.ASSERTED,
        iri=path.value,
        says=_said(reader, path),
        about=_model(reader, path),
        quotes=tuple(quote for quote in quotes if quote.text not in claims),
        places=reader.own_places(path),
        release=reader.release(path),
        branches=(
            *_rows(reader, path, of_class),
            *context("evidence", *evidence),
            *context("run", *(run_node(reader, run) for run in runs)),
            *(
                Branch(
                    "read by",
                    Bearing.NEEDED if row in needed else Bearing.CONTEXT,
                    curated_node(reader, row),
                )
                for row in curated
            ),
        ),
    )


def _is_read_of_premises(row: NamedNode) -> bool:
    kind, *keys = keys_of(row)
    return kind == "curated-row" and keys[0] in _READ_OF_PREMISES


def _model(reader: Reader, path: NamedNode) -> str:
    model = reader.iri(path, RA.checkpoint) or reader.iri(path, RA.modelLabel)
    return reader.label(model) if model else "no model"


def _said(reader: Reader, path: NamedNode) -> str:
    hardware = next((found for p in _HARDWARE if (found := reader.iris(path, p))), ())
    outcome, level = reader.iri(path, RA.outcome), reader.iri(path, RA.level)
    stack = [reader.text(path, RA.stackText), reader.text(path, RA.compileMode)]
    parts = [
        words(outcome) if outcome else "no outcome",
        words(level) if level else "no level",
        " ".join(part for part in stack if part),
    ]
    on = ", ".join(sorted(shorten(thing) for thing in hardware))
    return f"{_model(reader, path)} on {on}: {', '.join(part for part in parts if part)}"


def _rows(reader: Reader, path: NamedNode, of_class: str | None) -> tuple[Branch, ...]:
    found = reader.select("statements_behind_path", path=path)
    if of_class is None:
        rows = dict.fromkeys(named(row["statement"]) for row in found)
        return context("row", *(statement_node(reader, row) for row in rows))
    printed = [named(row["statement"]) for row in found if shorten(row.get("class")) == of_class]
    return branches("row", *(statement_node(reader, row) for row in dict.fromkeys(printed)))


def statement_node(reader: Reader, statement: NamedNode) -> Node:
    """Quote the row in which a source speaks of a model."""
    cells = [
        f"{column}: {text}"
        for column, predicate in _CELLS
        for text in reader.texts(statement, predicate)
    ]
    model = reader.iri(statement, RA.ofCheckpoint) or reader.iri(statement, RA.ofLabel)
    return Node(
        kind=Kind.ASSERTED,
        iri=statement.value,
        about=shorten(model),
        says=f"{shorten(model)}: {', '.join(cells) or 'no class, no family'}",
        quotes=_quotes(reader, statement, ("section", RA.section), ("note", RA.note)),
        places=reader.own_places(statement),
        release=reader.release(statement),
    )


def is_run(reader: Reader, deployment: NamedNode) -> bool:
    """Tell whether a deployment is one that was run, and reported."""
    return RA.TestRun in reader.iris(deployment, RDF.type)


def run_node(reader: Reader, run: NamedNode) -> Node:
    """Quote what a test report says of its run: on what it ran, how, and what came of it."""
    log = reader.iri(run, RA.log)
    return Node(
        kind=Kind.ASSERTED,
        iri=run.value,
        says=_ran(reader, run),
        quotes=(
            *_quotes(
                reader,
                run,
                ("environment", RA.environmentText),
                ("command", RA.command),
            ),
            *_correctness(reader, run),
            *(_quotes(reader, log, ("log, SHA-256", RA.contentSha256)) if log else ()),
        ),
        places=reader.own_places(run),
    )


def _ran(reader: Reader, run: NamedNode) -> str:
    day = reader.day(run, DCTERMS.date)
    unit, nodes = reader.iri(run, RA.deploymentUnit), reader.text(run, RA.nodeCount)
    devices = f"{reader.text(run, RA.deviceCount)} x {words(unit) if unit else 'device'}"
    parts = [
        f"run on {day.isoformat()}" if day else "run on a day that is not given",
        f"revision {reader.text(run, RA.checkpointRevision)}",
        devices,
        f"{nodes} node{'' if nodes == '1' else 's'}" if nodes else "",
        *reader.texts(run, RA.parallelism),
    ]
    return ", ".join(part for part in parts if part)


def _correctness(reader: Reader, run: NamedNode) -> tuple[Quote, ...]:
    holds = reader.text(run, RA.correctnessHolds)
    if holds is None:
        return (Quote("correctness", "not checked"),)
    said = "holds" if holds in ("true", "1") else "does not hold"
    return (
        Quote("correctness", said),
        *_quotes(
            reader,
            run,
            ("result", RA.correctnessResult),
            ("method", RA.correctnessMethod),
            ("reference", RA.correctnessReference),
        ),
    )


def evidence_node(reader: Reader, evidence: NamedNode) -> Node:
    """Cite the document behind a path: its claim, publisher, address and days."""
    publisher, document = (
        reader.iri(evidence, predicate) for predicate in (DCTERMS.publisher, RA.document)
    )
    type_ = reader.iri(evidence, RA.evidenceType)
    return Node(
        kind=Kind.ASSERTED,
        iri=evidence.value,
        says=words(type_) if type_ else "no type of evidence",
        quotes=_quotes(reader, evidence, ("claim", RA.claim)),
        places=_cited_at(reader, evidence, document),
        cited=Cited(
            publisher=reader.label(publisher) if publisher else None,
            url=reader.text(evidence, SCHEMA.url),
            published=reader.day(evidence, DCTERMS.issued),
            checked=reader.day(evidence, PAV.sourceLastAccessedOn),
            registered=reader.day(document, PROV.generatedAtTime) if document else None,
            content_sha256=reader.text(document, RA.contentSha256) if document else None,
        ),
    )


def _cited_at(reader: Reader, evidence: NamedNode, document: NamedNode | None) -> tuple[Place, ...]:
    """Return where the document itself is stated, not each row that the citation stands under."""
    places = reader.places(evidence)
    at = reader.places(document) if document else ()
    return tuple(place for place in places if place in at) or places


def curated_rows(reader: Reader, path: NamedNode) -> Iterable[NamedNode]:
    """Return the rows behind a path; a word read for one source alone hides its general reading."""
    found = reader.select("curated_rows_behind_path", path=path)
    own = {
        (keys_of(named(row["row"]))[1], row["token"])
        for row in found
        if "token" in row and "of" in row
    }
    return dict.fromkeys(
        named(row["row"])
        for row in found
        if "token" not in row
        or "of" in row
        or (keys_of(named(row["row"]))[1], row["token"]) not in own
    )


def curated_node(reader: Reader, row: NamedNode, *, table: str | None = None) -> Node:
    """Quote a row of a curated table, or a part that one adds: what it says, why, and read where.

    A part that a source states itself has no reason of ours, and is asserted. ``table`` is the one
    that defines the thing, where others name it too.
    """
    return Node(
        kind=Kind.CURATED if reader.text(row, RA.justification) else Kind.ASSERTED,
        iri=row.value,
        says=_curated_says(reader, row),
        quotes=_quotes(
            reader,
            row,
            ("words", RA.exclusionText),
            ("command", RA.command),
            ("why", RA.justification),
            ("read in", RA.readIn),
        ),
        places=reader.places(row, table),
    )


def registered_node(reader: Reader, thing: NamedNode) -> Node:
    """Quote the row that defines a thing of the registry; other tables only add names to it."""
    tables = {table.kind or table.name: table.name for table in REGISTRY}
    return curated_node(reader, thing, table=tables.get(keys_of(thing)[0]))


def step_node(reader: Reader, thing: NamedNode, above: Iterable[NamedNode]) -> Node:
    """Quote the row of the registry that puts a thing within others."""
    row = registered_node(reader, thing)
    steps = [
        f"{said} {reader.label(wide)}"
        for predicate, said in _STEPS
        for wide in above
        if wide in reader.iris(thing, predicate)
    ]
    return replace(row, says=f"{reader.label(thing)} {' and '.join(steps)}")


def _curated_says(reader: Reader, row: NamedNode) -> str:
    token, read = reader.text(row, RA.token), reader.iri(row, RA.readAs)
    if token:
        return f"{token!r} is read as {words(read) if read else 'nothing of the registry'}"
    aligned = [reader.iri(row, end) for end in (SSSOM.subject_id, SSSOM.object_id)]
    if all(aligned):
        relation = shorten(reader.iri(row, SSSOM.predicate_id))
        return f"{shorten(aligned[0])} {relation} {shorten(aligned[1])}"
    if kind := reader.iri(row, RA.exclusionKind):
        return words(kind)
    if label := reader.text(row, RDFS.label):
        return label
    kind_, *keys = keys_of(row)
    if kind_ == "curated-row":
        kind_, *keys = f"row of {keys[0]}:", *keys[1:]
    return f"{kind_} {'/'.join(key for key in keys if key)}"


def _quotes(reader: Reader, subject: NamedNode, *asked: tuple[str, NamedNode]) -> tuple[Quote, ...]:
    return tuple(
        Quote(what, text) for what, predicate in asked for text in reader.texts(subject, predicate)
    )


def grant_node(reader: Reader, grant: NamedNode) -> Node:
    """Quote the words by which a source licenses an inference."""
    scope = reader.iri(grant, RA.grants)
    return Node(
        kind=Kind.ASSERTED,
        iri=grant.value,
        says=f"grants inference: {words(scope) if scope else 'of no scope'}",
        quotes=_quotes(reader, grant, ("words", RA.grantText)),
        places=reader.own_places(grant),
        release=reader.release(grant),
    )
