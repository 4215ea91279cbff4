"""Shapes: each rule's cases, a change of the real data that it alone catches, and the report."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyshacl
import pytest
import rdflib
from oxrdflib import OxigraphStore
from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Store, parse
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import RDF, SH

from kg import validation
from kg.build import Built, assemble, build
from kg.errors import ShapesError
from kg.iris import mint_checkpoint, mint_iri
from kg.resources import DATA, SHAPES
from kg.validation import Report, Result, Shapes, check, focus_nodes, read_shapes, validate
from kg.vocab import DCTERMS, DERIVED_GRAPHS, PREFIXES, RA, XSD, expand
from tests.conftest import DOCUMENTS

ROOT: Final = Path(__file__).parents[1]
CASES: Final = Path(__file__).parent / "cases" / "shapes"
FILES: Final = sorted(SHAPES.glob("*/*.ttl"))
RA_RULE: Final = rdflib.URIRef(RA.rule.value)
EXPECTED: Final = "# expect: "

RULES: Final = {
    rule["id"]: rule
    for rule in tomllib.loads((SHAPES / "rules.toml").read_text(encoding="utf-8"))["rule"]
}
# Shapes that no node of the two documents is checked by, and why.
UNREACHED: Final = {
    "R01-engineOnGeneration": "no shipped source is a support matrix of an engine",
    "R01-engineOnPlatform": "no shipped source is a support matrix of an engine",
    "R01-engineOnProduct": "no shipped source is a support matrix of an engine",
    "R18-engineLevel": "no shipped source is a support matrix of an engine",
    "R31-engine": "no shipped source is a support matrix of an engine",
    "R31-implements": "no shipped source is a support matrix of an engine",
    "R33-notAsserted": "its target is what must not be there",
}


def _name(path: Path) -> str:
    return str(path.relative_to(SHAPES).with_suffix(""))


def _shapes(name: str) -> Shapes:
    return read_shapes([SHAPES / f"{name}.ttl"])


def _curie(term: object) -> str:
    if term is None:
        return "-"
    text = term.value if isinstance(term, NamedNode) else str(term)
    for prefix, base in PREFIXES.items():
        if text.startswith(base) and prefix != "id":
            return f"{prefix}:{text.removeprefix(base)}"
    return f"<{text}>"


def _written(result: Result) -> str:
    terms = (result.path, result.component, result.shape)
    assert isinstance(result.focus, NamedNode)
    return " ".join([f"<{result.focus.value}>", *map(_curie, terms)])


def _reached(store: Store, shapes: Shapes) -> dict[NamedNode, set[Any]]:
    reached = {}
    for shape in shapes.rules:
        own = tuple(triple for triple in shapes.triples if triple.subject == shape)
        assert isinstance(shape, NamedNode), "a report can name every shape"
        reached[shape] = set(focus_nodes(store, replace(shapes, triples=own)))
    return reached


def _load(*paths: Path) -> Store:
    store = Store()
    for path in paths:
        store.extend(parse(path=path, format=RdfFormat.TURTLE))
    return store


# Cases: good.ttl of a folder conforms; every other file is read on top of it


def _expected(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix(EXPECTED) for line in lines if line.startswith(EXPECTED)]


CASE_FILES: Final = sorted(CASES.glob("*/*/*.ttl"))
NOT_ASSERTED: Final = expand("rash:R33-notAsserted")


def test_cases_are_found() -> None:
    assert CASE_FILES
    assert {str(path.parent.relative_to(CASES)) for path in CASE_FILES} == set(map(_name, FILES))


@pytest.mark.parametrize("case", CASE_FILES, ids=lambda path: str(path.relative_to(CASES)))
def test_case(case: Path) -> None:
    name = str(case.parent.relative_to(CASES))
    store = _load(case.with_name("good.ttl"), case)
    results = sorted({_written(result) for result in check(store, _shapes(name))})
    wanted = _expected(case)
    assert wanted, "a case says what it expects"
    assert results == ([] if case.stem == "good" else sorted(wanted))
    assert (wanted == ["nothing"]) == (case.stem == "good")


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_every_shape_has_a_case_that_breaks_it_and_one_that_does_not(file: Path) -> None:
    folder = CASES / _name(file)
    broken = {line.split()[-1] for path in folder.glob("*.ttl") for line in _expected(path)}
    shapes = _shapes(_name(file))
    assert {_curie(shape) for shape in shapes.rules} == broken - {"nothing"}
    reached = _reached(_load(folder / "good.ttl"), shapes)
    assert [shape for shape in reached if not reached[shape]] in ([], [NOT_ASSERTED])


# Changes of the real data, each caught by its rule and by no other. Where they touch different
# things, all are made at once: the report is then exactly what each of them is expected to add.


@dataclass(frozen=True)
class Edit:
    """An edit of the evidence database that its reader and mapper let through."""

    rule: str
    place: str
    key: str
    value: object


PATH: Final = "/support_paths"
EDITS: Final = (
    Edit("R02", f"{PATH}/3", "product_ids", ["mi355x", "mi300x"]),  # MI300X is not named
    Edit("R02", f"{PATH}/8", "product_ids", ["b200"]),  # named is B200 NVL
    Edit("R04", f"{PATH}/4", "platform_id", "nvidia-gpu"),
    Edit("R05", f"{PATH}/5", "product_ids", ["b200"]),  # named without being mapped
    Edit("R06", f"{PATH}/6/evidence/0", "claim", "MI350X and MI355X reach 1,200 tokens/s."),
    Edit("R06", f"{PATH}/0", "limitations", "The first token takes 35 ms."),
    Edit("R09", f"{PATH}/10", "evidence/0/type", "upstream_docs"),
    Edit("R72", f"{PATH}/1/evidence/0", "published_at", "2026-11-07"),  # looked at on the 6th
    Edit("R51", f"{PATH}/2", "support_level", "upstream_verified"),
    Edit("R51", f"{PATH}/9", "support_level", "independently_tested"),
    Edit("R76", f"{PATH}/7", "evidence/0/type", "vendor_report"),
)


def _edit(document: Any, edit: Edit) -> None:
    *parents, last = f"{edit.place}/{edit.key}".strip("/").split("/")
    for key in parents:
        document = document[int(key) if key.isdecimal() else key]
    assert document[last] != edit.value
    document[last] = edit.value


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report on a graph from an evidence database with every one of EDITS."""
    source = DATA / "sources" / "model-support" / "model-support.json"
    document = json.loads(source.read_text(encoding="utf-8"))
    for edit in EDITS:
        _edit(document, edit)
    path = tmp_path_factory.mktemp("edited") / source.name
    path.write_text(json.dumps(document), encoding="utf-8")
    graph = assemble(documents={"model-support": path}, only=DOCUMENTS)
    return validate(graph.store, graph.places)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.rule}{edit.place}/{edit.key}")
def test_an_edit_of_the_evidence_database_is_caught(edit: Edit, edited: Report) -> None:
    place = f"model-support.json#{edit.place}"
    caught = {result.rule for result in edited.results if str(result.places[0]) == place}
    assert caught == {edit.rule}
    assert f"\n  {place}" in edited.text


def test_edits_of_the_evidence_database_add_no_other_result(edited: Report) -> None:
    assert not edited.conforms
    places = {str(result.places[0]) for result in edited.results}
    assert places == {f"model-support.json#{edit.place}" for edit in EDITS}


@dataclass(frozen=True)
class Row:
    """A row put into a curated table, in place of the one that begins alike or at the end."""

    rule: str
    table: str
    row: str


FLY: Final = "model-support,amd-mi355x-llama31-405b-fly"
GKE: Final = "model-support,google-v6e-llama31-405b"
ROWS: Final = (
    Row("R04", "path_generations", f"{FLY},hopper,Named,here"),
    Row("R04", "products", "mi300x,MI300X,chip,amd-gpu,hopper,,A slip,here"),
    Row("R05", "exclusions", f"{FLY},own,out-of-scope,product,mi355x,Not established.,A slip,here"),
    Row("R05", "exclusions", f"{GKE},g,out-of-scope,generation,trillium,Not it.,A slip,here"),
    Row("R05", "named_products", f"{FLY},mi355x,A slip,here"),
    Row("R06", "exclusions", f"{GKE},x,unsupported,product,tpu7x,It is 3x slower.,A slip,here"),
    Row("R07", "status_words", ",documented_recipe,planned,documented_recipe,unstated,ran,No,here"),
    Row("R07", "status_words", ",vendor_reported,limited,,unstated,listed,A slip,here"),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.rule}: {row.table}")
def test_a_curated_row_is_caught_by_its_rule(row: Row, tmp_path: Path) -> None:
    data = shutil.copytree(DATA, tmp_path / "data")
    path = data / "curated" / f"{row.table}.csv"
    keys = 2 if row.row.startswith(",") else 1
    begin = ",".join(row.row.split(",")[:keys]) + ","
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [
        line for line in lines if line.startswith("model-support") or not line.startswith(begin)
    ]
    path.write_text("\n".join([*kept, row.row, ""]), encoding="utf-8")
    graph = assemble(data=data, only=DOCUMENTS)
    report = validate(graph.store, graph.places)
    assert {result.rule for result in report.results} == {row.rule}, report.text
    assert not report.conforms


def _path(row: str) -> NamedNode:
    return mint_iri("path", "model-support", "2026.11.09-2", row)


def _architecture(name: str) -> NamedNode:
    return mint_iri("architecture", name)


def _inference(architecture: str) -> NamedNode:
    keys = ("same-architecture", "cloud-ai-100", architecture, "cloud-ai-100", "vLLM", "AOT")
    return mint_iri("inference", *keys)


CITED: Final = mint_iri("evidence", "model-support", "2026.11.09-2", "aws-trn2-llama31-405b", "1")
PAGE: Final = mint_iri("evidence", "cloud-ai-100", "snapshot-1", "page")
LABEL: Final = mint_iri("label", "model-support", "Qwen3-8B")
TRAINIUM: Final = mint_iri("platform", "aws-trainium")
AMD: Final = mint_iri("platform", "amd-gpu")
MI300X: Final = mint_iri("product", "mi300x")
MI325X: Final = mint_iri("product", "mi325x")
OTHER_RELEASE: Final = mint_iri("source", "cloud-ai-100", "snapshot-1")
ADDRESS: Final = Literal("https://example.org/page", datatype=XSD.anyURI)
GPT2: Final = mint_checkpoint("openai-community/gpt2")
GPTJ: Final = mint_checkpoint("EleutherAI/gpt-j-6b")
QWEN: Final = mint_checkpoint("Qwen/Qwen3-235B-A22B")
THINKING: Final = mint_checkpoint("Qwen/Qwen3-235B-A22B-Thinking-2507")
SCOUT: Final = mint_checkpoint("meta-llama/Llama-4-Scout-17B-16E-Instruct")
RUNS_ON: Final = expand("ra:runsOn")
Statement: TypeAlias = tuple[NamedNode, NamedNode, NamedNode | Literal]


@dataclass(frozen=True)
class Change:
    """A statement added to the graph, or every value of a predicate taken from it.

    For what no edit of a source gives, because a reader refuses it or a mapper writes nothing of
    the kind. Shapes are the second line there, and the only one for rules and other mappers.
    """

    rule: str
    add: Statement | None = None
    remove: tuple[NamedNode, NamedNode] | None = None
    derived: bool = False
    at: tuple[NamedNode, ...] = ()

    @property
    def focus(self) -> tuple[NamedNode, ...]:
        """The nodes at which the change is reported: its subject, if no other is given."""
        changed = self.add or self.remove
        assert changed
        return self.at or changed[:1]


CHANGES: Final = (
    Change("R01", (GPT2, RUNS_ON, MI300X)),
    Change("R01", (TRAINIUM, RUNS_ON, GPTJ), at=(GPTJ,)),
    Change("R01", (_architecture("GemmaForCausalLM"), RUNS_ON, TRAINIUM), derived=True),
    Change("R03", (_path("aws-trn2-llama31-405b"), RA.onPlatform, AMD)),
    Change("R03", remove=(_path("aws-trn2-trn3-llama33-70b"), RA.onPlatform)),
    Change("R06", (mint_checkpoint("google/gemma-2b"), RA.position, Literal(3))),
    Change("R06b", (MI325X, expand("ra:memory"), Literal(256))),
    Change("R07", (_path("google-v6e-llama31-405b"), RA.outcome, RA.Failing)),
    Change("R08", (RA.DocumentedRecipe, expand("skos:narrower"), RA.EvidenceLevels)),
    Change("R08", (RA.UpstreamVerified, RA.position, Literal(1))),
    Change("R10", (QWEN, expand("owl:sameAs"), THINKING), at=(QWEN, THINKING)),
    Change("R10", (SCOUT, expand("skos:exactMatch"), LABEL), derived=True),
    Change("R17", remove=(_path("amd-mi355x-qwen3-235b-fly"), RA.evidence)),
    Change("R17", remove=(CITED, expand("schema:url"))),
    Change("R18", (mint_checkpoint("google/gemma-7b"), RA.level, RA.VendorReported)),
    Change("R18", (_architecture("Olmo2ForCausalLM"), RA.level, RA.VendorReported), derived=True),
    Change("R25", (LABEL, RA.repositoryId, Literal("Qwen/Qwen3-8B"))),
    Change("R26", (mint_checkpoint("google/gemma-2-2b"), RA.architecture, RA.MixtureOfExperts)),
    Change("R26", (_architecture("GPT2LMHeadModel"), expand("rdf:type"), RA.ArchitectureKind)),
    Change("R33", remove=(_inference("FalconForCausalLM"), RA.premise), derived=True),
    Change("R33", (_inference("GPTJForCausalLM"), RA.evidence, PAGE), derived=True),
    Change(
        "R36",
        (_inference("Olmo2ForCausalLM"), RA.premise, _inference("GPT2LMHeadModel")),
        derived=True,
    ),
    Change(
        "R38",
        (_inference("GPT2LMHeadModel"), RA.premise, _path("nvidia-trtllm-qwen3-235b-a22b")),
        derived=True,
    ),
    Change("R52", (PAGE, expand("schema:url"), ADDRESS)),
    Change("R70", (_path("amd-aim-gpt-oss-120b"), RA.feature, mint_iri("feature", "nowhere"))),
    Change("R71", (_path("amd-aim-qwen3-235b-a22b"), DCTERMS.isPartOf, OTHER_RELEASE)),
    Change("R78", remove=(_path("nvidia-trtllm-llama4-scout"), RA.limitation)),
)


def _changed(store: Store) -> Store:
    changed = Store()
    changed.extend(store)
    derived = NamedNode(f"{DERIVED_GRAPHS}same-architecture")
    for change in CHANGES:
        if change.remove:
            quads = list(changed.quads_for_pattern(*change.remove, None, None))
            assert quads
            for quad in quads:
                changed.remove(quad)
        if change.add:
            changed.add(Quad(*change.add, derived if change.derived else DefaultGraph()))
    return changed


@pytest.fixture(scope="module")
def broken(built: Built) -> Store:
    """The real graph with every one of CHANGES."""
    return _changed(built.graph.store)


@pytest.fixture(scope="module")
def report(broken: Store, built: Built) -> Report:
    """The report on that graph."""
    return validate(broken, built.graph.places)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change.rule}-{change.focus[0]}")
def test_a_statement_is_caught_by_its_rule(change: Change, report: Report) -> None:
    for node in change.focus:
        caught = {result.rule for result in report.results if result.focus == node}
        assert caught == {change.rule}, report.text


def test_changes_add_no_other_result(report: Report) -> None:
    assert not report.conforms
    found = {result.focus for result in report.results}
    assert found == {node for change in CHANGES for node in change.focus}


# The real data


def test_the_two_documents_conform(built: Built) -> None:
    assert built.report.conforms
    assert not [r for r in built.report.results if r.severity == expand("sh:Violation")]


def test_every_shape_reaches_a_node_of_the_real_data(built: Built) -> None:
    asserted = built.graph.store
    everything = validation.with_derived(asserted)
    unreached = {
        _curie(shape).removeprefix("rash:")
        for file in FILES
        for shape, nodes in _reached(
            everything if file.parent == validation.DERIVED else asserted, _shapes(_name(file))
        ).items()
        if not nodes
    }
    assert unreached == set(UNREACHED)


@pytest.mark.parametrize(
    "folder", [validation.ASSERTED, validation.WARNINGS, validation.DERIVED], ids=lambda f: f.name
)
def test_queries_over_all_nodes_find_what_plain_pyshacl_finds(folder: Path, broken: Store) -> None:
    store = validation.with_derived(broken)
    shapes = read_shapes(folder.glob("*.ttl"))
    graph = rdflib.Graph(OxigraphStore(store=store), DATASET_DEFAULT_GRAPH_ID)
    _, found, _ = pyshacl.validate(graph, shacl_graph=shapes.graph(sparql=True), inplace=True)
    parts = (SH.focusNode, SH.resultPath, SH.value, SH.sourceConstraintComponent, SH.sourceShape)
    plain = {
        tuple(
            str(value) if (value := found.value(node, part)) is not None else "" for part in parts
        )
        for node in found.subjects(RDF.type, SH.ValidationResult)
    }
    ours = {
        tuple(
            term.value if isinstance(term, NamedNode | Literal) else ""
            for term in (result.focus, result.path, result.value, result.component, result.shape)
        )
        for result in check(store, shapes)
    }
    assert ours == plain
    assert ours


# The shapes themselves


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_shapes_are_well_formed(file: Path) -> None:
    graph = rdflib.Graph().parse(file)
    own = {shape for shape in graph.subjects(RA_RULE) if isinstance(shape, rdflib.URIRef)}
    assert own
    for shape in own:
        rule = str(graph.value(shape, RA_RULE))
        assert rule in RULES
        assert str(shape).startswith(f"{PREFIXES['rash']}{rule}-")
        assert graph.value(shape, SH.message), shape
        assert graph.value(shape, SH.targetClass) or graph.value(shape, SH.targetSubjectsOf), shape
    with_path = set(graph.subjects(SH.path))
    assert with_path == set(graph.subjects(RDF.type, SH.PropertyShape))
    assert with_path <= own


def test_no_iri_is_two_shapes() -> None:
    names = [shape for file in FILES for shape in _shapes(_name(file)).rules]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_the_folder_tells_the_severity(file: Path) -> None:
    graph = rdflib.Graph().parse(file)
    allowed = {SH.Warning, SH.Info} if file.parent == validation.WARNINGS else {None}
    for shape in graph.subjects(RA_RULE):
        assert graph.value(shape, SH.severity) in allowed, shape


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_queries_use_nothing_that_makes_a_validation_failure(file: Path) -> None:
    for shape, text in _shapes(_name(file)).selects.items():
        assert not re.search(r"\b(MINUS|VALUES|SERVICE)\b", text, re.IGNORECASE), shape
        assert "$this" in text


def test_prefixes_of_queries_are_declared_and_used() -> None:
    shared = rdflib.Graph().parse(SHAPES / "prefixes.ttl")
    declared = {str(prefix) for prefix in shared.objects(None, SH.prefix)}
    texts = [text for file in FILES for text in _shapes(_name(file)).selects.values()]
    used = {prefix for text in texts for prefix in re.findall(r"\b([a-z0-9]+):", text)}
    assert used - {"latency"} == declared


def test_shapes_are_shapes() -> None:
    files = [file.read_bytes() for file in [*SHAPES.glob("*.ttl"), *FILES]]
    shapes = rdflib.Graph()
    for content in files:
        shapes.parse(data=content, format="turtle")
    conforms, _, text = pyshacl.validate(rdflib.Graph(), shacl_graph=shapes, meta_shacl=True)
    assert conforms, text


def _bad_shape(select: str, rule: str = 'ra:rule "R99" ;') -> str:
    return f"""
        @prefix ra: <{PREFIXES["ra"]}> . @prefix rash: <{PREFIXES["rash"]}> .
        @prefix sh: <{PREFIXES["sh"]}> .
        rash:R99-bad a sh:NodeShape ; sh:targetClass ra:Product ; {rule} sh:message "Bad." ;
          sh:severity sh:Warning ; sh:sparql rash:R99-bad-select .
        rash:R99-bad-select sh:prefixes <{PREFIXES["rash"].rstrip("#")}> ; sh:select "{select}" .
        """


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("rash:x a sh:NodeShape .", "bad.ttl"),
        (_bad_shape("SELECT $this WHERE { $this a ra:Product"), "R99-bad"),
        (_bad_shape("SELECT ?other WHERE { ?other a ra:Product }"), "give .this"),
        (_bad_shape("ASK { $this a ra:Product }"), "not a SELECT query"),
        (_bad_shape("SELECT $this { VALUES $this { ra:Chip } }"), "VALUES"),
        (_bad_shape("SELECT $this { $this a ra:Product }", ""), "ra:rule"),
    ],
)
def test_unusable_shapes_are_an_error(
    shape: str, message: str, built: Built, tmp_path: Path
) -> None:
    path = tmp_path / "bad.ttl"
    path.write_text(shape, encoding="utf-8")
    with pytest.raises(ShapesError, match=message):
        list(check(built.graph.store, read_shapes([path])))


# The report


def test_the_report_of_a_conforming_graph(built: Built) -> None:
    report = rdflib.Graph().parse(data=built.report.turtle, format="turtle")
    assert [str(value) for value in report.objects(None, SH.conforms)] == ["true"]
    assert len(report) == 2
    assert re.fullmatch(
        r"Conforms \(violations: 0, warnings: 0, notes: 0, shapes: 1\d\d, focus nodes: 5\d\d\)\.\n",
        built.report.text,
    )


def test_the_report_names_result_rule_place_and_what_to_do(report: Report) -> None:
    assert list(report.results) == sorted(report.results, key=lambda result: result.order)
    turtle = rdflib.Graph().parse(data=report.turtle, format="turtle")
    assert [str(value) for value in turtle.objects(None, SH.conforms)] == ["false"]
    nodes = set(turtle.subjects(RDF.type, SH.ValidationResult))
    assert nodes == set(turtle.objects(None, SH.result))
    assert len(nodes) == len(report.results)
    assert not any(isinstance(node, rdflib.BNode) for node in turtle.all_nodes())
    found = next(
        result for result in report.results if result.shape == expand("rash:R78-limitation")
    )
    assert found.iri.value in {str(node) for node in nodes}
    assert (
        "Violation of R78: The path has no limitation, which the format of its source requires: "
        "state it as the source does.\n"
        "  sources/model-support/model-support.json#/support_paths/7, curated/"
    ) in report.text


def test_the_report_is_the_same_bytes_each_time(
    broken: Store, built: Built, report: Report
) -> None:
    again = Store()
    again.extend(sorted(broken, key=str, reverse=True))
    assert validate(again, built.graph.places) == report
    assert validate(built.graph.store, built.graph.places) == built.report


def test_a_warning_does_not_stop_a_build(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "warning.ttl").write_text(
        _bad_shape("SELECT $this WHERE { $this a ra:Product }"), encoding="utf-8"
    )
    monkeypatch.setattr(validation, "ASSERTED", tmp_path)
    report = validate(built.graph.store, built.graph.places)
    assert report.conforms
    assert {result.severity for result in report.results} == {expand("sh:Warning")}
    assert "\nConforms (violations: 0, warnings: 16, " in report.text


def test_a_build_with_violations_leaves_the_current_snapshot(tmp_path: Path) -> None:
    good = build(out=tmp_path / "out", only=DOCUMENTS)
    data = shutil.copytree(DATA, tmp_path / "data")
    with (data / "curated" / "named_products.csv").open("a", encoding="utf-8") as table:
        table.write(f"{FLY},mi355x,A slip,here\n")
    bad = build(data=data, out=tmp_path / "out", only=DOCUMENTS)
    assert bad.snapshot is None
    assert {result.rule for result in bad.report.results} == {"R05"}
    assert good.snapshot == (tmp_path / "out" / "current").resolve()
    assert [path.name for path in (tmp_path / "out" / "snapshots").iterdir()] == [
        good.snapshot.name
    ]


_BUILD_ALONE: Final = """
import re, sys, time
from pathlib import Path
from kg.build import build
built = build(out=Path(sys.argv[1]), only=("cloud-ai-100", "model-support"))
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(time.process_time(), int(peak) // 1024, built.report.conforms)
"""


def test_a_validated_build_is_quick_and_small(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _BUILD_ALONE, str(tmp_path)]
    answer = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    seconds, megabytes, conforms = answer.stdout.decode().split()
    assert conforms == "True"
    assert float(seconds) < 3
    assert int(megabytes) < 150
