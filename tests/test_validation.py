"""Shapes: each rule's cases, a change of the real data that it alone catches, and the report."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pyshacl
import pytest
import rdflib
from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Store, parse
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import RDF, SH

from kg import validation
from kg.build import Built, assemble, build
from kg.errors import ShapesError
from kg.iris import mint_checkpoint, mint_iri
from kg.resources import DATA, SHAPES
from kg.validation import Report, Result, Shapes, check, focus_nodes, read_shapes, validate
from kg.vocab import DERIVED_GRAPHS, PREFIXES, RA, XSD, expand
from tests.conftest import DOCUMENTS

ROOT: Final = Path(__file__).parents[1]
CASES: Final = Path(__file__).parent / "cases" / "shapes"
FILES: Final = sorted(SHAPES.glob("*/*.ttl"))
RA_RULE: Final = rdflib.URIRef(RA.rule.value)
EXPECTED: Final = "# expect: "

# Rules that shapes enforce, and rules of which shapes check the structure of one class so far.
RULES: Final = frozenset(
    (
        *("R01", "R02", "R03", "R04", "R05", "R06", "R06b", "R07", "R08", "R09", "R10", "R17"),
        *("R18", "R25", "R26", "R33", "R36", "R38", "R52", "R70", "R71", "R72", "R76", "R78"),
    )
)
STRUCTURE: Final = frozenset(("R31", "R40", "R44", "R46", "R53", "R55"))
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


# Changes of the real data, each caught by its rule and by no other


def _set(pointer: str, value: object) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        *parents, last = [int(key) if key.isdecimal() else key for key in pointer.split("/") if key]
        for key in parents:
            document = document[key]
        assert document[last] != value
        document[last] = value

    return change


@dataclass(frozen=True)
class Edit:
    """An edit of the evidence database that its reader and mapper let through."""

    rules: str
    name: str
    change: Callable[[Any], None]
    place: str


EDITS: Final = (
    Edit(
        "R02",
        "a product that the text does not name",
        _set("support_paths/3/product_ids", ["mi355x", "mi300x"]),
        "#/support_paths/3",
    ),
    Edit(
        "R02",
        "a product whose name is part of the one that the text names",
        _set("support_paths/8/product_ids", ["b200"]),
        "#/support_paths/8",
    ),
    Edit(
        "R04",
        "a platform that the product is not of",
        _set("support_paths/3/platform_id", "nvidia-gpu"),
        "#/support_paths/3",
    ),
    Edit(
        "R05",
        "a product that is named without being mapped",
        _set("support_paths/5/product_ids", ["h100"]),
        "#/support_paths/5",
    ),
    Edit(
        "R06",
        "a throughput in a claim",
        _set("support_paths/6/evidence/0/claim", "MI350X and MI355X reach 1,200 tokens/s."),
        "#/support_paths/6/evidence/0",
    ),
    Edit(
        "R06",
        "a latency in a limitation",
        _set("support_paths/0/limitations", "The first token takes 35 ms."),
        "#/support_paths/0",
    ),
    Edit(
        "R09",
        "an upstream document behind a vendor's report",
        _set("support_paths/10/evidence/0/type", "upstream_docs"),
        "#/support_paths/10",
    ),
    Edit(
        "R72",
        "a document looked at before it was published",
        _set("support_paths/0/evidence/0/published_at", "2026-11-07"),
        "#/support_paths/0/evidence/0",
    ),
    Edit(
        "R76",
        "a vendor's document behind an upstream verification",
        _set("support_paths/0/support_level", "upstream_verified"),
        "#/support_paths/0",
    ),
    Edit(
        "R76",
        "documentation behind an independent test",
        _set("support_paths/9/support_level", "independently_tested"),
        "#/support_paths/9",
    ),
)


def _rules(results: tuple[Result, ...]) -> set[str]:
    return {result.rule for result in results}


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.rules}: {edit.name}")
def test_an_edit_of_the_evidence_database_is_caught_by_its_rule(edit: Edit, tmp_path: Path) -> None:
    source = DATA / "sources" / "model-support" / "model-support.json"
    document = json.loads(source.read_text(encoding="utf-8"))
    edit.change(document)
    path = tmp_path / source.name
    path.write_text(json.dumps(document), encoding="utf-8")
    graph = assemble(documents={"model-support": path}, only=DOCUMENTS)
    report = validate(graph.store, graph.places)
    assert _rules(report.results) == {edit.rules}, report.text
    assert not report.conforms
    assert f"{path.name}{edit.place}" in report.text


@dataclass(frozen=True)
class Row:
    """A row put into a curated table, in place of the one that begins alike or at the end."""

    rules: str
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


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.rules}: {row.table}")
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
    assert _rules(report.results) == {row.rules}, report.text
    assert not report.conforms


RECIPE: Final = mint_iri("path", "model-support", "2026.11.09-2", "aws-trn2-llama31-405b")
CITED: Final = mint_iri("evidence", "model-support", "2026.11.09-2", "aws-trn2-llama31-405b", "1")
PAGE: Final = mint_iri("evidence", "cloud-ai-100", "snapshot-1", "page")
LLAMA: Final = mint_checkpoint("meta-llama/Llama-3.3-70B-Instruct")
QWEN: Final = mint_checkpoint("Qwen/Qwen3-235B-A22B")
GEMMA: Final = mint_iri("architecture", "GemmaForCausalLM")
LABEL: Final = mint_iri("label", "model-support", "Qwen3-8B")
TRAINIUM: Final = mint_iri("platform", "aws-trainium")
MI300X: Final = mint_iri("product", "mi300x")
VENDORS_RELEASE: Final = mint_iri("source", "cloud-ai-100", "snapshot-1")
NOWHERE: Final = mint_iri("feature", "nowhere")


def _inference(name: str) -> NamedNode:
    return mint_iri(
        "inference", "same-architecture", "cloud-ai-100", name, "cloud-ai-100", "vLLM", "AOT"
    )


FALCON: Final = _inference("FalconForCausalLM")
RUNS_ON: Final = expand("ra:runsOn")
ADDRESS: Final = Literal("https://example.org/page", datatype=XSD.anyURI)
Statement = tuple[NamedNode, NamedNode, NamedNode | Literal | None]


@dataclass(frozen=True)
class Triples:
    """Statements added to or taken from the graph, where no edit of a source gives them.

    The readers and mappers refuse what would give them, or can write nothing of the kind; shapes
    are the second line, and the only one for an overlay's mapper or a rule.
    """

    rules: str
    name: str
    add: tuple[Statement, ...] = ()
    remove: tuple[Statement, ...] = ()
    derived: bool = False


TRIPLES: Final = (
    Triples("R01", "checkpoint to product", ((LLAMA, RUNS_ON, MI300X),)),
    Triples("R01", "platform to checkpoint", ((TRAINIUM, RUNS_ON, LLAMA),)),
    Triples(
        "R01", "architecture to platform, derived", ((GEMMA, RUNS_ON, TRAINIUM),), derived=True
    ),
    Triples("R03", "two platforms", ((RECIPE, RA.onPlatform, mint_iri("platform", "amd-gpu")),)),
    Triples("R03", "no platform", remove=((RECIPE, RA.onPlatform, None),)),
    Triples("R06", "a number on a checkpoint", ((LLAMA, RA.position, Literal(3)),)),
    Triples("R06b", "a capability value", ((MI300X, expand("ra:tflops"), Literal(1307.4)),)),
    Triples("R07", "two outcomes", ((RECIPE, RA.outcome, RA.Failing),)),
    Triples("R08", "an order", ((RA.DocumentedRecipe, expand("skos:broader"), RA.VendorReported),)),
    Triples("R08", "a rank", ((RA.DocumentedRecipe, RA.position, Literal(1)),)),
    Triples("R10", "sameAs", ((QWEN, expand("owl:sameAs"), LLAMA),)),
    Triples(
        "R10", "exactMatch, derived", ((QWEN, expand("skos:exactMatch"), LLAMA),), derived=True
    ),
    Triples("R17", "no evidence", remove=((RECIPE, RA.evidence, None),)),
    Triples("R17", "no address", remove=((CITED, expand("schema:url"), None),)),
    Triples("R18", "a checkpoint's level", ((LLAMA, RA.level, RA.VendorReported),)),
    Triples(
        "R18", "an architecture's level", ((GEMMA, RA.level, RA.VendorReported),), derived=True
    ),
    Triples("R25", "an id on a label", ((LABEL, RA.repositoryId, Literal("Qwen/Qwen3-8B")),)),
    Triples("R26", "a kind as architecture", ((LLAMA, RA.architecture, RA.MixtureOfExperts),)),
    Triples(
        "R26", "an architecture that is a kind", ((GEMMA, expand("rdf:type"), RA.ArchitectureKind),)
    ),
    Triples("R33", "no premise", remove=((FALCON, RA.premise, None),), derived=True),
    Triples("R33", "evidence", ((FALCON, RA.evidence, PAGE),), derived=True),
    Triples("R36", "a chain", ((FALCON, RA.premise, _inference("GPT2LMHeadModel")),), derived=True),
    Triples("R38", "a source that refuses", ((FALCON, RA.premise, RECIPE),), derived=True),
    Triples("R52", "a made-up address", ((PAGE, expand("schema:url"), ADDRESS),)),
    Triples("R70", "an unknown feature", ((RECIPE, RA.feature, NOWHERE),)),
    Triples("R71", "two releases", ((RECIPE, expand("dcterms:isPartOf"), VENDORS_RELEASE),)),
    Triples("R78", "no limitation", remove=((RECIPE, RA.limitation, None),)),
)


def _changed(store: Store, *changes: Triples) -> Store:
    changed = Store()
    changed.extend(store)
    for change in changes:
        derived = NamedNode(f"{DERIVED_GRAPHS}same-architecture")
        for subject, predicate, object_ in change.remove:
            for quad in list(changed.quads_for_pattern(subject, predicate, object_, None)):
                changed.remove(quad)
        for subject, predicate, object_ in change.add:
            assert object_ is not None
            graph = derived if change.derived else DefaultGraph()
            changed.add(Quad(subject, predicate, object_, graph))
    assert set(changed) != set(store)
    return changed


@pytest.mark.parametrize("change", TRIPLES, ids=lambda change: f"{change.rules}: {change.name}")
def test_a_statement_is_caught_by_its_rule(change: Triples, built: Built) -> None:
    report = validate(_changed(built.graph.store, change), built.graph.places)
    assert _rules(report.results) == {change.rules}, report.text
    assert not report.conforms


def test_every_rule_catches_a_change_of_the_real_data() -> None:
    caught = {change.rules for changes in (EDITS, ROWS, TRIPLES) for change in changes}
    assert caught == RULES


# The real data


def test_the_two_documents_conform(built: Built) -> None:
    assert built.report.results == ()
    assert built.report.conforms


def test_every_shape_reaches_a_node_of_the_real_data(built: Built) -> None:
    asserted = built.graph.store
    everything = validation._with_derived(asserted)
    unreached = {
        _curie(shape).removeprefix("rash:")
        for file in FILES
        for shape, nodes in _reached(
            asserted if file.parent == validation.ASSERTED else everything, _shapes(_name(file))
        ).items()
        if not nodes
    }
    assert unreached == set(UNREACHED)


@pytest.fixture(scope="module")
def broken(built: Built) -> Store:
    """The real graph with every change of TRIPLES at once."""
    return _changed(built.graph.store, *TRIPLES)


@pytest.fixture(scope="module")
def report(broken: Store, built: Built) -> Report:
    """The report on that graph."""
    return validate(broken, built.graph.places)


@pytest.mark.parametrize("folder", [validation.ASSERTED, validation.DERIVED], ids=lambda f: f.name)
def test_queries_over_all_nodes_find_what_plain_pyshacl_finds(folder: Path, broken: Store) -> None:
    store = validation._with_derived(broken)
    shapes = read_shapes(folder.glob("*.ttl"))
    graph = rdflib.Graph(validation._Data(store=store), DATASET_DEFAULT_GRAPH_ID)
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
        assert rule in RULES | STRUCTURE
        assert str(shape).startswith(f"{PREFIXES['rash']}{rule}-")
        assert graph.value(shape, SH.message), shape
        assert graph.value(shape, SH.targetClass) or graph.value(shape, SH.targetSubjectsOf), shape
    with_path = set(graph.subjects(SH.path))
    assert with_path == set(graph.subjects(RDF.type, SH.PropertyShape))
    assert with_path <= own


def test_every_rule_has_a_shape() -> None:
    enforced = {rule for file in FILES for rule in _shapes(_name(file)).rules.values()}
    assert enforced == RULES | STRUCTURE


def test_no_iri_is_two_shapes() -> None:
    names = [shape for file in FILES for shape in _shapes(_name(file)).rules]
    assert len(names) == len(set(names))


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
        r"Conforms, 0 warnings; 1\d\d shapes and 5\d\d focus nodes checked\.\n", built.report.text
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
        "  sources/model-support/model-support.json#/support_paths/0, curated/deployments.csv:2, "
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
    assert "\nConforms, 16 warnings; " in report.text


def test_a_build_with_violations_leaves_the_current_snapshot(tmp_path: Path) -> None:
    good = build(out=tmp_path / "out", only=DOCUMENTS)
    data = shutil.copytree(DATA, tmp_path / "data")
    with (data / "curated" / "named_products.csv").open("a", encoding="utf-8") as table:
        table.write(f"{FLY},mi355x,A slip,here\n")
    bad = build(data=data, out=tmp_path / "out", only=DOCUMENTS)
    assert bad.snapshot is None
    assert _rules(bad.report.results) == {"R05"}
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
