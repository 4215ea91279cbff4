"""Shapes: each rule's cases, a change of the real data that it alone catches, and the report."""

import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pyshacl
import pytest
import rdflib
from pyoxigraph import NamedNode, RdfFormat, Store, parse
from rdflib.namespace import RDF, SH

from kg import validation
from kg.build import Built, assemble, build
from kg.errors import ShapesError
from kg.iris import mint_iri
from kg.resources import DATA, SHAPES
from kg.snapshot import Place
from kg.validation import Report, Result, Shapes, check, focus_nodes, read_shapes, validate
from kg.validation.report import write_report
from kg.vocab import ID, PREFIXES, RA, expand
from tests.conftest import DOCUMENTS
from tests.mutants import quads, read_mutants

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
    "R15-command": "no shipped source is a test report",
    "R15-holds": "no shipped source is a test report",
    "R15-log": "no shipped source is a test report",
    "R15-logHash": "no shipped source is a test report",
    "R15-revision": "no shipped source is a test report",
    "R15-wholeCheck": "no shipped source is a test report",
    "R18-engineLevel": "no shipped source is a support matrix of an engine",
    "R31-engine": "no shipped source is a support matrix of an engine",
    "R31-implements": "no shipped source is a support matrix of an engine",
    "R33-notAsserted": "its target is what must not be there",
    "R72-ranBeforeChecked": "no shipped source is a test report",
    "R72-ranOn": "no shipped source is a test report",
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


def _violations(report: Report) -> list[Result]:
    """Return what stops a build; warnings have counts and mutants of their own."""
    return [result for result in report.results if result.severity == expand("sh:Violation")]


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
SCOUT: Final = mint_iri("path", "model-support", "2026.11.09-2", "nvidia-trtllm-llama4-scout")
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


# The real graph with faults


@pytest.fixture(scope="module")
def broken(built: Built) -> Store:
    """The real graph with what mutants add to it, and without one limitation."""
    store = Store()
    store.extend(built.graph.store)
    for mutant in read_mutants():
        if mutant.add and not mutant.base:
            store.extend(quads(mutant.add, mutant.graph))
    limitation = store.quads_for_pattern(SCOUT, RA.limitation, None, None)
    for quad in list(limitation):
        store.remove(quad)
    return store


@pytest.fixture(scope="module")
def report(broken: Store, built: Built) -> Report:
    """The report on that graph."""
    return validate(broken, built.graph.places)


# The real data


def test_the_two_documents_conform(built: Built) -> None:
    assert built.report.conforms
    assert not _violations(built.report)


def test_every_shape_reaches_a_node_of_the_real_data(built: Built) -> None:
    store = built.graph.store
    everything = Store()
    everything.extend(validation.asserted(store))
    everything.extend(validation.derived(store))
    unreached = {
        _curie(shape).removeprefix("rash:")
        for file in FILES
        for shape, nodes in _reached(
            everything if file.parent == validation.DERIVED else store, _shapes(_name(file))
        ).items()
        if not nodes
    }
    assert unreached == set(UNREACHED)


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
    assert set(report.objects(None, SH.resultSeverity)) == {SH.Warning, SH.Info}
    assert re.search(
        r"\n\nConforms \(violations: 0, warnings: 97, notes: 5, shapes: 2\d\d, "
        r"focus nodes: 7\d\d\)\.\n$",
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
        "  sources/model-support/model-support.json#/support_paths/7: "
    ) in report.text


# A row that reads a word wrongly, and another slip of a curator: the report leads to the row.
LED_TO: Final = tomllib.loads(
    (CASES.parent / "reports" / "places.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("slip", LED_TO["slip"], ids=lambda slip: slip["about"])
def test_a_result_leads_to_the_curated_row(slip: dict[str, Any], tmp_path: Path) -> None:
    data = shutil.copytree(DATA, tmp_path / "data")
    table = data / "curated" / f"{slip['table']}.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    at = slip["line"] - 1
    assert slip["replace"] in lines[at]
    lines[at] = lines[at].replace(slip["replace"], slip["by"])
    table.write_text("\n".join([*lines, ""]), encoding="utf-8")
    graph = assemble(data=data, only=DOCUMENTS)
    report = validate(graph.store, graph.places)
    found = [r for r in _violations(report) if r.shape == expand(f"rash:{slip['shape']}")]
    assert len(found) == slip["results"]
    place = f"curated/{slip['table']}.csv:{slip['line']}"
    for result in found:
        assert place in map(str, result.places)
        tables = {one.source for one in result.places if one.path.startswith("curated/")}
        assert tables == set(slip["tables"])
    assert f"\n{slip['said']}" in report.text
    assert all(name in report.text.replace("\n     ", "") for name in slip["names"])


def test_many_results_that_differ_in_the_node_alone_stand_together_with_every_place() -> None:
    places = [Place("s", "s.txt", str(line)) for line in (3, 4, 5, 9)]
    results = [
        Result(
            rule="R07",
            severity=expand("sh:Violation"),
            focus=NamedNode(f"{ID}path/s/1/{number}"),
            path=RA.level,
            value=None,
            component=expand("sh:MinCountConstraintComponent"),
            shape=expand("rash:R07-level"),
            message="No level.",
            places=(place, Place("status_words", "curated/status_words.csv", "7")),
        )
        for number, place in enumerate(places)
    ]
    assert write_report(results, "all").text.startswith(
        "Violation of R07: No level.\n"
        "  s.txt:3-5,9, curated/status_words.csv:7: 4 nodes ra:level\n"
        "    path/s/1/: 0, 1, 2, 3\n"
    )
    assert write_report(results[:3], "all").text.startswith(
        "Violation of R07: No level.\n  s.txt:3, curated/status_words.csv:7: path/s/1/0 ra:level\n"
    )


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
    monkeypatch.setattr(validation, "WARNINGS", tmp_path)
    report = validate(built.graph.store, built.graph.places)
    assert report.conforms
    assert {result.severity for result in report.results} == {expand("sh:Warning")}
    assert "\nConforms (violations: 0, warnings: 16, " in report.text


def test_a_build_with_violations_leaves_the_current_snapshot(tmp_path: Path) -> None:
    good = build(out=tmp_path / "out", only=DOCUMENTS)
    data = shutil.copytree(DATA, tmp_path / "data")
    with (data / "curated" / "named_products.csv").open("a", encoding="utf-8") as table:
        table.write("model-support,amd-mi355x-llama31-405b-fly,mi355x,A slip,here\n")
    bad = build(data=data, out=tmp_path / "out", only=DOCUMENTS)
    assert bad.snapshot is None
    assert {result.rule for result in _violations(bad.report)} == {"R05"}
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
