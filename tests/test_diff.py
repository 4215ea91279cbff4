"""Differences in support: edits of the real data, then properties of what is compared."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import DefaultGraph, Literal, Quad, RdfFormat, Store, parse

from kg.backend import StoreBackend
from kg.build import assemble, build
from kg.diff.aspects import PATH
from kg.diff.changes import Change, Difference, Pair, Standing
from kg.diff.comparing import compare
from kg.diff.engine import diff, read_model_list
from kg.diff.finding import find_snapshot
from kg.diff.reading import read_support
from kg.diff.records import (
    Derivation,
    ModelWords,
    Record,
    SourceState,
    Statement,
    Support,
    Thing,
    Value,
)
from kg.diff.report import as_json
from kg.diff.text import SAME, as_text
from kg.errors import SourceError, UnknownNameError, UsageError
from kg.iris import mint_checkpoint, mint_iri
from kg.resources import DATA, ONTOLOGY, ROOT
from kg.snapshot import Snapshot
from kg.terms import shorten
from kg.vocab import DCTERMS, PROV, RA, RDF, expand

CASES: Final = tomllib.loads(
    (Path(__file__).parent / "cases/diff/edits.toml").read_text(encoding="utf-8")
)["case"]
DOCUMENTS: Final = ("cloud-ai-100", "model-support")
DATABASE: Final = "sources/model-support/model-support.json"
DOMAIN: Final = expand("rdfs:domain")
PAGE: Final = "sources/cloud-ai-100/cloud-ai-100.txt"


def assembled(data: Path, **options: Any) -> StoreBackend:
    """Answer from a data folder; nothing is validated or written."""
    graph = assemble(data=data, only=options.pop("only", DOCUMENTS), **options)
    places = {subject: tuple(sorted(found, key=str)) for subject, found in graph.places.items()}
    return StoreBackend(Snapshot(graph.version, data, {}, graph.store, places))


@pytest.fixture(scope="module")
def old() -> StoreBackend:
    return assembled(DATA)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DATA, tmp_path / "data"))


def edit(data: Path, edits: list[dict[str, Any]]) -> None:
    for each in edits:
        path = data / each.get("file", DATABASE)
        text = path.read_text(encoding="utf-8")
        edited = _edited(text, each)
        assert edited != text, each
        path.write_text(edited, encoding="utf-8")


def _edited(text: str, edit: dict[str, Any]) -> str:
    if "pointer" in edit:
        return _set(json.loads(text), edit)
    if "append" in edit:
        return f"{text.rstrip()}\n{edit['append']}\n"
    if "drop" in edit:
        return "".join(line for line in text.splitlines(True) if edit["drop"] not in line)
    assert text.count(edit["old"]) == 1, edit
    return text.replace(edit["old"], edit["new"])


def _set(document: Any, edit: dict[str, Any]) -> str:
    *above, last = edit["pointer"].split("/")[1:]
    target = document
    for key in above:
        target = target[int(key) if isinstance(target, list) else key]
    if edit.get("remove"):
        del target[int(last)]
    elif last == "-0":
        target.insert(0, edit["value"])
    else:
        target[int(last) if isinstance(target, list) else last] = edit["value"]
    return json.dumps(document, ensure_ascii=False, indent=1)


def support_lines(report: dict[str, Any]) -> Iterator[str]:
    """Write each difference in support as the cases do."""
    asserted, derived = report["asserted"], report["derived"]
    for path in asserted["paths"]:
        yield _line("path", path["standing"], path["statement_key"], entry=path)
    for cited in asserted["evidence"]:
        yield _line("evidence", cited["standing"], *cited["paths"], entry=cited)
    for said in asserted["printed"]:
        yield _line("printed", said["standing"], said["model"], said["source"], entry=said)
    for group, name in (("models", "model"), ("registry", "registry"), ("readings", "reading")):
        for thing in asserted[group]:
            yield _line(name, thing["standing"], thing["kind"], thing["id"], entry=thing)
    for inference in derived["inferences"]:
        yield _line("inference", inference["standing"], inference["class"], entry=inference)
    for assumed in derived["assumed_classes"]:
        names = (assumed["model"], assumed["class"])
        yield _line("assumed", assumed["standing"], *names, entry=assumed)


def fresh_lines(report: dict[str, Any]) -> Iterator[str]:
    """Write each difference in freshness as the cases do."""
    for source in report["freshness"]["sources"]:
        yield _line("source", source["source"], entry=source)
    for cited in report["freshness"]["evidence"]:
        yield _line("evidence", *cited["paths"], entry=cited)


def _line(*head: str, entry: dict[str, Any]) -> str:
    said = [_change(change, entry.get("lost_support", ())) for change in entry["changes"]]
    for side in ("lost", "gained"):
        for cause in entry.get(f"{side}_because", ()):
            other = f" ({cause['other_side_says']})" if cause["other_side_says"] else ""
            said.append(f"{side} {cause['cause']} {cause['about']}{other}")
    return " ".join(head) + (f": {', '.join(said)}" if said else "")


def _change(change: dict[str, Any], lost_support: list[str]) -> str:
    if change["aspect"].endswith("SHA-256"):
        return str(change["aspect"])
    values = [f"-{_short(value)}" for value in change["lost"]]
    values += [f"+{_short(value)}" for value in change["gained"]]
    mark = ["LOST"] if change["aspect"] in lost_support else []
    return " ".join([change["aspect"], *values, *mark])


def _short(value: dict[str, Any]) -> str:
    return "…" if len(value["value"]) > 70 else str(value["value"])


def test_there_are_cases() -> None:
    assert CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_edit_of_the_data(case: dict[str, Any], old: StoreBackend, data: Path) -> None:
    edit(data, case["edits"])
    difference = diff(old, assembled(data))
    report = as_json(difference)
    assert sorted(support_lines(report)) == sorted(case["support"])
    assert list(fresh_lines(report)) == case["fresh"]
    assert (SAME in as_text(difference)) == (not case["support"])
    gone = (" withdrawn ", " LOST")
    counted = [line for line in case["support"] if any(word in line for word in gone)]
    things = ("model", "registry", "printed", "reading")
    assert report["withdrawn"] == sum(not line.startswith(things) for line in counted)


def test_without_its_licence_a_source_lends_nothing(old: StoreBackend, data: Path) -> None:
    description = "sources/cloud-ai-100/source.toml"
    said = {"old": '= "same-architecture"', "new": '= "none"'}
    edit(data, [{"file": description, **said}])
    report = as_json(diff(old, assembled(data)))
    page = (DATA / PAGE).read_text(encoding="utf-8")
    printed = set(re.findall(r"^([A-Z]\w+)\t", page, re.M)) - {"Architecture", "Quantization"}
    inferences = report["derived"]["inferences"]
    assert {inference["class"] for inference in inferences} == printed
    assert len(inferences) == len(printed)
    for entry in [*inferences, *report["derived"]["assumed_classes"]]:
        assert entry["standing"] == "withdrawn"
        (cause,) = entry["lost_because"]
        assert (cause["cause"], cause["about"]) == ("licence", "cloud-ai-100")
        assert cause["other_side_says"] == "NoInference"
    assert len(report["derived"]["assumed_classes"]) == 1
    assert not report["asserted"]["paths"]


def test_without_a_source_its_paths_are_withdrawn(old: StoreBackend) -> None:
    difference = diff(old, assembled(DATA, only=("cloud-ai-100",)))
    database = json.loads((DATA / DATABASE).read_text(encoding="utf-8"))
    rows = sorted(path["id"] for path in database["support_paths"])
    assert [pair.record.row for pair in difference.paths] == rows
    assert {pair.standing for pair in difference.paths} == {"withdrawn"}
    (source,) = difference.sources
    assert (source.standing, source.record.key) == ("withdrawn", "model-support")
    text = as_text(difference)
    assert text.count("\nAsserted: paths of model-support\n") == 1
    assert all(f"withdrawn: {row}\n" in text for row in rows)


def test_paths_that_changed_alike_are_written_once(old: StoreBackend, data: Path) -> None:
    edit(data, [{"file": PAGE, "old": "This page lists models", "new": "This page names models"}])
    difference = diff(old, assembled(data))
    listed = len(re.findall(r"^changed: ", as_text(difference), re.M))
    assert len(difference.paths) == 74
    text = as_text(difference)
    assert text.count("hardware scope: ") == 1
    assert text.count("  changed: listed/") == 72
    assert listed == 0
    (cited,) = difference.evidence
    assert len(cited.paths) == 74


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """An overlay with one path: gpt-oss-20b on MI300X, and its own row of an exclusion."""
    folder = tmp_path / "ours"
    source = folder / "sources" / "our-runs"
    source.mkdir(parents=True)
    (folder / "curated").mkdir()
    said = 'title = "Ours"\nformat = "evidence-database"\ndocument = "runs.json"\n'
    said += 'licence = "ours"\nattribution = "ours"\nabsence = "unstated"\n'
    (source / "source.toml").write_text(said + 'licenses_inference = "none"\n', encoding="utf-8")
    database = json.loads((DATA / DATABASE).read_text(encoding="utf-8"))
    path = next(p for p in database["support_paths"] if p["id"] == "amd-aim-gpt-oss-120b")
    path |= {"id": "our-run", "product_ids": ["mi300x"], "software_stack": "vLLM"}
    database["support_paths"] = [path]
    database["models"] = [m for m in database["models"] if m["id"] == "gpt-oss-120b"]
    (source / "runs.json").write_text(json.dumps(database), encoding="utf-8")
    header = (DATA / "curated/exclusions.csv").read_text(encoding="utf-8").split("\n")[0]
    row = "our-runs,our-run,own,unsupported,product,mi325x,Not on MI325X.,tried,runs.json"
    (folder / "curated/exclusions.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    return folder


def test_what_an_overlay_brings_is_marked(old: StoreBackend, overlay: Path) -> None:
    added = diff(old, assembled(DATA, overlays=(overlay,)))
    (pair,) = added.paths
    assert (pair.standing, pair.record.key, pair.overlays) == (
        "added",
        "our-runs/our-run",
        ("ours",),
    )
    assert "added: our-run (your own, from ours)" in as_text(added)
    (source,) = added.sources
    assert source.overlays == ("ours",)
    assert added.withdrawn == 0
    gone = diff(assembled(DATA, overlays=(overlay,)), old)
    assert "withdrawn: our-run (your own, from ours)" in as_text(gone)
    assert gone.withdrawn == 1


def test_a_value_that_an_overlay_brings_is_marked(overlay: Path, tmp_path: Path) -> None:
    before = assembled(DATA, overlays=(overlay,))
    rows = overlay / "curated/exclusions.csv"
    rows.write_text(rows.read_text("utf-8").replace("mi325x", "mi350x"), encoding="utf-8")
    text = as_text(diff(before, assembled(DATA, overlays=(overlay,))))
    flat = " ".join(text.split())
    assert "[ours/curated/exclusions.csv:2; your own, from ours]" in flat


# Filters

ONE_ROW: Final = {"file": PAGE, "drop": "allenai/OLMo-2-0425-1B"}
PRODUCT: Final = {"pointer": "/support_paths/6/product_ids", "value": ["mi355x"]}
SCOUT: Final = {"file": "curated/path_generations.csv", "drop": "llama4-scout,hopper"}
OLMO: Final = [
    "path withdrawn cloud-ai-100/listed/allenai/OLMo-2-0425-1B",
    "model withdrawn checkpoint allenai/OLMo-2-0425-1B",
    "registry withdrawn class Olmo2ForCausalLM",
    "registry withdrawn family cloud-ai-100/OLMo-2",
    "inference withdrawn Olmo2ForCausalLM: lost premise cloud-ai-100/listed/allenai/OLMo-2-0425-1B",
]
MI350X: Final = "path changed model-support/amd-aim-deepseek-r1-mi350-mi355: products -mi350x LOST"
HOPPER: Final = "path changed model-support/nvidia-trtllm-llama4-scout: generations -hopper LOST"


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> StoreBackend:
    data = Path(shutil.copytree(DATA, tmp_path_factory.mktemp("edited") / "data"))
    edit(data, [ONE_ROW, PRODUCT, SCOUT])
    return assembled(data)


@pytest.mark.parametrize(
    ("models", "targets", "expected"),
    [
        ("allenai/OLMo-2-0425-1B", (), OLMO),
        ("deepseek-ai/DeepSeek-R1-0528 # one of ours", (), [MI350X]),
        ("# none\n\nQwen/Qwen3-235B-A22B", (), []),
        ("", ("mi350x",), [MI350X]),
        ("", ("mi355x",), [MI350X]),
        ("", ("AMD Instinct MI300X",), [MI350X]),  # its path excludes it
        ("", ("tpu-v6e-trillium",), []),
        ("", ("h100",), [HOPPER]),
        ("", ("nvidia-gpu", "mi350x"), [MI350X, HOPPER]),
        ("", ("cloud-ai-100",), OLMO),
        ("allenai/OLMo-2-0425-1B", ("amd-gpu",), []),
        ("deepseek-ai/DeepSeek-R1-0528", ("amd-gpu",), [MI350X]),
    ],
)
def test_only_what_concerns_a_model_or_target(
    models: str,
    targets: tuple[str, ...],
    expected: list[str],
    old: StoreBackend,
    edited: StoreBackend,
    tmp_path: Path,
) -> None:
    path = tmp_path / "models.txt"
    path.write_bytes(b"\xef\xbb\xbf" + models.replace("\n", "\r\n").encode())
    listed = read_model_list(path) if models else ()
    report = as_json(diff(old, edited, models=listed, targets=targets))
    assert sorted(support_lines(report)) == sorted(expected)


def test_a_target_of_either_snapshot_is_known(old: StoreBackend, data: Path) -> None:
    row = "b400,NVIDIA B400,chip,nvidia-gpu,blackwell,,why,somewhere"
    edit(data, [{"file": "curated/products.csv", "append": row}])
    new = assembled(data)
    for pair in ((old, new), (new, old)):
        (thing,) = diff(*pair, targets=("b400",)).registry
        assert thing.record.key == "b400"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", ":1: names no model"),
        (b"\xef\xbb\xbf# only a remark\r\n\r\n", ":1: names no model"),
        (b"a/b\nc/\xff", ":2: not UTF-8"),
        (None, ":1: cannot be read: No such file"),
    ],
)
def test_an_unusable_list_of_models(content: bytes | None, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "models.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SourceError, match=re.escape(f"models.txt{problem}")):
        read_model_list(path)


def test_every_unknown_name_is_told_at_once(old: StoreBackend, tmp_path: Path) -> None:
    path = tmp_path / "models.txt"
    path.write_text("x/y\n# c\nmeta-llama/Llama-3.1-8b\nopenai/gpt-oss-20b\n", encoding="utf-8")
    with pytest.raises(SourceError) as error:
        diff(old, old, models=read_model_list(path), targets=("h100", "tranium2"))
    assert [str(problem).removeprefix(f"{path}") for problem in error.value.problems] == [
        ":1: There is no model 'x/y' here.",
        ":3: There is no model 'meta-llama/Llama-3.1-8b' here. Did you mean "
        "meta-llama/Llama-3.1-8B or meta-llama/Llama-3.1-70B or meta-llama/Llama-3.2-3B?",
        "--on:2: There is no target 'tranium2' here. Did you mean trainium2 or aws-trainium or "
        "trainium3? 'runatlas ask hardware' lists them.",
    ]


# Nothing that is asserted is left out

# What may change alone without a difference in support, by class and predicate: how fresh something
# is, where it stands in its document, and what another record tells.
_LEFT_OUT: Final = {
    ("Checkpoint", "architecture"),  # a shortcut of what its sources print
    ("Checkpoint", "family"),
    ("Document", "contentSha256"),  # how fresh
    ("Document", "prov:generatedAtTime"),
    ("Evidence", "oa:hasTarget"),  # the paths that it is a citation of
    ("Evidence", "pav:sourceLastAccessedOn"),  # how fresh
    ("ModelStatement", "position"),  # where in the document
    ("ModelStatement", "row"),
    ("ModelStatement", "rowKey"),
    ("SourceRelease", "dcat:version"),  # how fresh
    ("SourceRelease", "lastReviewed"),
    ("SourceRelease", "prov:generatedAtTime"),
    ("SourceRelease", "rdfs:label"),  # it holds the version
    ("SourceRelease", "schemaVersion"),
}
_NOTES: Final = {
    *("curates", "justification", "readIn"),
    *("rdfs:isDefinedBy", "skos:definition", "skos:scopeNote"),
}
# What joins records: the reader takes them for IRIs, as the shapes make sure.
_JOINED: Final = frozenset(
    (
        *(DCTERMS.isPartOf, RA.grants),
        *(RA.cell, RA.deployment, RA.evidence, RA.excludes, RA.release),  # parts, as the cases show
    )
)


def _one_of_each(store: Store) -> Iterator[tuple[str, str, Quad]]:
    """Yield one triple of the default graph for each class and predicate."""
    of_class: dict[Any, str] = {}
    for quad in store.quads_for_pattern(None, RDF.type, None, DefaultGraph()):
        name = shorten(quad.object)
        if name.startswith("ra:") or quad.subject not in of_class:
            of_class[quad.subject] = name.removeprefix("ra:")
    found: dict[tuple[str, str], Quad] = {}
    for quad in store.quads_for_pattern(None, None, None, DefaultGraph()):
        predicate = shorten(quad.predicate).removeprefix("ra:")
        key = (of_class[quad.subject], predicate)
        if quad.predicate != RDF.type and str(found.get(key, "~")) > str(quad):
            found[key] = quad
    yield from ((*key, quad) for key, quad in sorted(found.items()))


def _said(pairs: Sequence[Pair[Any]]) -> Iterator[str]:
    for pair in pairs:
        for record in pair.records:
            yield from (value.text for values in record.aspects.values() for value in values)


def test_no_change_of_what_is_asserted_is_silent(old: StoreBackend) -> None:
    """Change a value under each predicate of each class that the real graph holds."""
    graph = assemble(only=DOCUMENTS)
    backend = StoreBackend(Snapshot(graph.version, DATA, {}, graph.store, {}))
    before = read_support(backend)
    changed = {}
    for class_, predicate, quad in list(_one_of_each(graph.store)):
        if quad.predicate not in _JOINED:
            changed[class_, predicate] = f"<{class_} {predicate} now>"
            graph.store.remove(quad)
            value = Literal(changed[class_, predicate])
            graph.store.add(Quad(quad.subject, quad.predicate, value))
    difference = compare(before, read_support(backend))
    asserted = (difference.paths, difference.evidence, difference.models, difference.words)
    told = list(_said([p for ps in (*asserted, difference.registry) for p in ps]))
    text = "\n".join([*told, *_said(difference.readings)])
    notes = "\n".join(_said(difference.notes))
    silent = {key for key, value in changed.items() if value not in text}
    noted = {key for key in silent if changed[key] in notes}
    assert {predicate for _, predicate in noted} <= _NOTES
    assert silent - noted <= _LEFT_OUT
    assert len(changed) > 150


def test_every_predicate_of_a_path_is_compared(snapshot: Snapshot) -> None:
    text = (ONTOLOGY / "runatlas.ttl").read_bytes()
    stated = {
        quad.subject
        for quad in parse(text, format=RdfFormat.TURTLE)
        if quad.predicate == DOMAIN and quad.object == RA.SupportPath
    }
    stated |= {
        quad.predicate
        for path in snapshot.store.quads_for_pattern(None, RDF.type, RA.SupportPath, None)
        for quad in snapshot.store.quads_for_pattern(path.subject, None, None, None)
    }
    keys = {RDF.type, RA.statementKey, RA.rowKey, DCTERMS.isPartOf, PROV.wasDerivedFrom}
    compared = {predicate for aspect in PATH for predicate in aspect.predicates}
    assert stated - keys - {RA.evidence} - compared == set()


# Properties

KEYS: Final = ("a/1", "a/2", "b/1", "b/2")
MODEL: Final = mint_checkpoint("x/y")
QUICK: Final = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
VALUES: Final = st.frozensets(st.sampled_from(["p", "q", "r"]).map(Value), min_size=1, max_size=2)
OUTCOMES: Final = st.sampled_from(["Supported", "Limited", "Failing"]).map(
    lambda outcome: frozenset({Value(outcome)})
)


@st.composite
def citations(draw: st.DrawFn, path: str) -> tuple[Record, ...]:
    said = draw(st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=3))
    return tuple(
        Record(
            key=f"{path}/{number}",
            iri=mint_iri("evidence", path, str(number)),
            aspects={"url": url, "claim": claim},
            fresh={"checked": checked},
        )
        for number, (url, claim, checked) in enumerate(said)
    )


@st.composite
def supports(draw: st.DrawFn) -> Support:
    statements = {}
    for key in draw(st.sets(st.sampled_from(KEYS))):
        aspects = {"outcome": draw(OUTCOMES), "products": draw(VALUES), "level": draw(VALUES)}
        statements[key] = Statement(
            key=key,
            iri=mint_iri("path", key),
            aspects=aspects,
            source=key[0],
            row=key[2:],
            release="1",
            citations=draw(citations(key)),
            models=frozenset({MODEL}),
            hardware=frozenset(),
            named_hardware=frozenset(),
        )
    printed = draw(VALUES)
    words = {
        f"{source}/{MODEL.value}": ModelWords(
            key=f"{source}/{MODEL.value}",
            iri=MODEL,
            aspects={"class": printed},
            source=source,
            model=MODEL,
            name="x/y",
        )
        for source in draw(st.sets(st.sampled_from("ab")))
    }
    licences = frozenset(draw(st.sets(st.sampled_from(["SameArchitecture", "NoInference"]))))
    sources = {
        source: SourceState(
            key=source, iri=mint_iri("source", source), aspects={}, licences=licences
        )
        for source in "ab"
    }
    premises = frozenset(draw(st.sets(st.sampled_from(KEYS)))) & statements.keys()
    derivations = {
        name: Derivation(
            key=name,
            iri=mint_iri("inference", name),
            aspects={"rule": frozenset({Value("rule")})},
            source="a",
            stack="vLLM",
            architecture=name,
            platform=mint_iri("platform", "p"),
            premises=frozenset(premises),
        )
        for name in draw(st.sets(st.sampled_from("pq")))
        if premises
    }
    return Support(
        snapshot="s",
        statements=statements,
        models={MODEL.value: Thing(key="x/y", iri=MODEL, aspects={}, kind="checkpoint")},
        words=words,
        registry={},
        readings={},
        notes={},
        sources=sources,
        derivations=derivations,
        assumed={},
        alignments=frozenset(),
        wider={},
    )


@QUICK
@given(supports())
def test_a_snapshot_does_not_differ_from_itself(support: Support) -> None:
    difference = compare(support, support)
    assert difference.same_support
    assert not (difference.withdrawn or difference.changed)
    assert not (difference.sources or difference.rechecked)


@QUICK
@given(supports(), supports())
def test_every_path_of_one_snapshot_alone_is_told_once(old: Support, new: Support) -> None:
    paths = compare(old, new).paths
    alone = [pair.record.key for pair in paths if pair.standing is not Standing.CHANGED]
    assert alone == sorted(old.statements.keys() ^ new.statements.keys())
    keys = [pair.record.key for pair in paths]
    assert len(keys) == len(set(keys))


@QUICK
@given(supports(), supports())
def test_the_way_back_tells_the_same(old: Support, new: Support) -> None:
    there, back = compare(old, new), compare(new, old)
    assert told(there, "old", "new") == told(back, "new", "old")
    for pair, other in zip(there.paths, back.paths, strict=True):
        assert pair.lost_support == tuple(mirror(c) for c in other.gained_support)
        assert pair.gained_support == tuple(mirror(c) for c in other.lost_support)


def mirror(change: Change) -> Change:
    return Change(change.aspect, change.gained, change.lost)


def told(difference: Difference, old: str, new: str) -> set[object]:
    """Return what a difference tells, the snapshots named as they are called."""
    forth = old == "old"
    groups: dict[str, Sequence[Pair[Any]]] = {
        "paths": difference.paths,
        "evidence": difference.evidence,
        "words": difference.words,
        "rechecked": difference.rechecked,
        "derivations": [derived.pair for derived in difference.derivations],
    }
    found: set[object] = set()
    for name, pairs in groups.items():
        for pair in pairs:
            before, after = getattr(pair, old), getattr(pair, new)
            keys = (before and before.key, after and after.key)
            found.add((name, keys, pair.changes if forth else tuple(map(mirror, pair.changes))))
    for derived in difference.derivations:
        causes = (derived.lost, derived.gained)
        found.add((derived.pair.record.key, causes if forth else causes[::-1]))
    return found


# The command


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder with two snapshots, the second without one row of the page; and their names."""
    folder = tmp_path_factory.mktemp("builds")
    data = Path(shutil.copytree(DATA, folder / "data"))
    first = build(data=data, out=folder / "build", only=DOCUMENTS)
    edit(data, [ONE_ROW])
    second = build(data=data, out=folder / "build", only=DOCUMENTS)
    assert first.snapshot, first.report.text
    assert second.snapshot, second.report.text
    return folder, [first.snapshot.name, second.snapshot.name]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kg.cli", "diff", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_a_withdrawal_fails_only_if_asked(builds: tuple[Path, list[str]]) -> None:
    folder, (old, new) = builds
    plain = run(folder, old, new)
    assert (plain.returncode, plain.stderr) == (0, "")
    assert "withdrawn: listed/allenai/OLMo-2-0425-1B\n" in plain.stdout
    assert max(map(len, plain.stdout.splitlines())) <= 80
    for choice, code in (("withdrawn", 1), ("changed", 1), ("any", 1)):
        failed = run(folder, old, new, "--fail-on", choice)
        assert (failed.returncode, failed.stdout) == (code, plain.stdout)
    for choice, code in (("withdrawn", 0), ("changed", 0), ("any", 1)):
        assert run(folder, new, old, "--fail-on", choice).returncode == code
    assert run(folder, old, new, "--fail-on", "withdrawn", "--on", "h100").returncode == 0


def test_snapshots_are_named_as_is_handy(builds: tuple[Path, list[str]]) -> None:
    folder, (old, new) = builds
    wanted = run(folder, old, new, "--format", "json").stdout
    assert json.loads(wanted)["asserted"]["counts"]["paths"] == {
        "added": 0,
        "withdrawn": 1,
        "changed": 0,
    }
    for names in (
        (f"build/snapshots/{old}", "build/current"),
        (old[:-4], new[:-4]),
        (old.rpartition("-")[2][:8], new.rpartition("-")[2][:8]),
    ):
        assert run(folder, *names, "--format", "json").stdout == wanted


def test_the_same_snapshot_does_not_differ(builds: tuple[Path, list[str]]) -> None:
    folder, (old, _) = builds
    done = run(folder, old, old, "--fail-on", "any")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"old  {old}\nnew  {old}\n\n{SAME}\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("{old}", "no-such"), "There is no snapshot 'no-such' here. Did you mean 20"),
        (("", "{new}"), "There is no snapshot '' here."),
        (("{version}", "{new}"), "'{version}' is the start of several snapshots: "),
        (("{old}", "data"), "data: not a snapshot of the format"),
        (("{old}", "{new}", "--models", "data"), "data:1: cannot be read: Is a directory"),
        (("{old}", "{new}", "--on", "h10"), "--on:1: There is no target 'h10' here. Did you mean"),
        (("{old}", "{new}", "--on", ","), "is not a list of names separated by commas."),
        (("{old}", "{new}", "--fail-on", "x"), "'x' is not one of 'withdrawn', 'changed', 'any'"),
    ],
)
def test_bad_input_is_told(
    arguments: tuple[str, ...], problem: str, builds: tuple[Path, list[str]]
) -> None:
    folder, (old, new) = builds
    names = {"old": old, "new": new, "version": old.rpartition("-")[0]}
    done = run(folder, *(argument.format(**names) for argument in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert problem.format(**names) in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_a_snapshot_is_found_beside_the_last_only(
    builds: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, (old, new) = builds
    monkeypatch.chdir(folder)
    assert find_snapshot(old) == folder / "build" / "snapshots" / old
    assert find_snapshot("build/current").resolve().name == new
    with pytest.raises(UsageError, match="several"):
        find_snapshot(old.partition("-")[0])
    with pytest.raises(UnknownNameError, match="no snapshot"):
        find_snapshot("current")


def test_what_data_say_does_not_steer_a_terminal(
    builds: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder, (first_name, _) = builds
    data = Path(shutil.copytree(DATA, tmp_path / "data"))
    edit(data, [{"pointer": "/support_paths/5/limitations", "value": "Red \u202e and back"}])
    built = build(data=data, out=tmp_path / "build", only=DOCUMENTS)
    assert built.snapshot, built.report.text
    first, second = folder / "build" / "snapshots" / first_name, built.snapshot
    for pair in ((first, second), (second, first)):
        done = run(tmp_path, *map(str, pair))
        assert "\u202e" not in done.stdout
        assert "\\u202e" in done.stdout
