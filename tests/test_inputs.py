"""What a build is made of: every fault of every file in one run, and nothing passed over."""

import os
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from kg.build import assemble
from kg.errors import SourceError
from kg.iris import keys_of, mint_iri
from kg.resources import DATA
from kg.store import is_overlay, named_quads

ROOT = Path(__file__).parents[1]
OVERLAY = ROOT / "examples" / "our-runs"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the data, to be edited."""
    return Path(shutil.copytree(ROOT / "data", tmp_path / "data"))


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """A copy of the example, to be edited."""
    return Path(shutil.copytree(OVERLAY, tmp_path / "our-runs"))


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def _append(path: Path, row: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{row}\n")


def _said(data: Path, *overlays: Path) -> list[str]:
    with pytest.raises(SourceError) as caught:
        assemble(data=data, overlays=overlays)
    return [str(problem) for problem in caught.value.problems]


# All at once


def test_tables_descriptions_and_documents_report_together(data: Path) -> None:
    sources = data / "sources"
    _edit(sources / "cloud-ai-100/cloud-ai-100.txt", "tiiuae/falcon-40b\t", "falcon-40b\t")
    _edit(sources / "model-support/model-support.json", '"checked_at": "2026', '"checked_at": "26')
    _edit(sources / "cloud-ai-100/source.toml", '"representative"', '["total"]')
    _append(data / "curated/features.csv", "only one cell")
    said = "\n".join(_said(data))
    for file in ("cloud-ai-100.txt:", "model-support.json#", "source.toml:16:", "features.csv:"):
        assert file in said, file


def test_a_description_that_is_not_toml_hides_no_other_file(data: Path) -> None:
    (data / "sources/cloud-ai-100/source.toml").write_text("=", encoding="utf-8")
    _append(data / "curated/features.csv", "only one cell")
    _edit(
        data / "sources/model-support/model-support.json",
        '"schema_version": "1.0"',
        '"schema_version": "9"',
    )
    said = "\n".join(_said(data))
    for file in ("source.toml:1: not TOML", "features.csv:", "#/schema_version"):
        assert file in said, file


def test_a_vendor_page_without_its_keys_is_still_read(data: Path) -> None:
    folder = data / "sources/cloud-ai-100"
    _edit(folder / "source.toml", 'platform = "cloud-ai-100"', "")
    _edit(folder / "cloud-ai-100.txt", "tiiuae/falcon-40b\t", "falcon-40b\t")
    said = "\n".join(_said(data))
    assert "missing key 'platform', which a vendor-page needs" in said
    assert "cloud-ai-100.txt:" in said


@pytest.mark.parametrize("folder", ["curated", "sources"])
def test_a_data_folder_without_one_of_its_folders_is_one_error(folder: str, data: Path) -> None:
    shutil.rmtree(data / folder)
    assert _said(data) == [f"{data}:1: not a data folder: it has no folder {folder!r}"]


# Nothing is passed over


def test_what_is_no_source_is_named(data: Path) -> None:
    (data / "sources/lab").mkdir()
    (data / "sources/lab/source.TOML").touch()
    (data / "sources/notes.txt").touch()
    (data / "sources/README.md").touch()
    (data / "sources/.DS_Store").touch()
    (data / "curated/aliases.CSV").touch()
    assert _said(data) == [
        f"{data}/sources/lab:1: not a source: it has no file 'source.toml'",
        f"{data}/sources/notes.txt:1: not a source: it has no file 'source.toml'",
        f"{data}/curated/aliases.CSV:1: not a curated table: 'aliases.CSV' does not end in .csv",
    ]


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda p: p.symlink_to("/dev/zero")])
def test_a_document_is_a_regular_file(make: Callable[[Path], None], overlay: Path) -> None:
    document = overlay / "sources/lab/statements.json"
    document.unlink()
    make(document)
    assert _said(ROOT / "data", overlay) == [f"{document}:1: not a regular file"]


def test_a_document_s_name_forges_no_line(overlay: Path) -> None:
    folder = overlay / "sources/lab"
    (folder / "statements.json").rename(folder / "a\u2028b.json")
    _edit(folder / "source.toml", "statements.json", "a\u2028b.json")
    (said,) = _said(ROOT / "data", overlay)
    assert said.isprintable()
    assert "document holds the control character U+2028" in said or "the file's name" in said


@pytest.mark.parametrize(
    "version", ["[1]", '""', '"a/b"', '".."', '"\u0661"', '"a b"', '"a\\n"', "9" * 5_000]
)
def test_the_data_s_version_can_name_a_folder(version: str, data: Path) -> None:
    _edit(data / "dataset.toml", '"2026.11.30-1"', version)
    (said,) = _said(data)
    assert said.startswith(f"{data}/dataset.toml:")
    assert "the key 'version' does not have the form" in said or "not TOML" in said


@pytest.mark.parametrize(
    "count",
    ["9" * 400 + "B", "1" + "0" * 6 + "B", "1.2345B", "\u0667B", "8" * 400 + " experts"],
)
def test_a_count_is_bounded_and_ascii(count: str, overlay: Path) -> None:
    document = overlay / "sources/lab/statements.json"
    _edit(document, '"parameter_count": "7B"', f'"parameter_count": "{count}"')
    (said,) = _said(ROOT / "data", overlay)
    assert "#/models/0/parameter_count: " in said and "does not have a known form" in said
    assert len(said) < 400


# An overlay and the project


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("https://example.org/nowhere", "no source of the overlay cites"),
        ("https://example.org/lab/runs/demo-7b-on-x1", None),
        ("http://EXAMPLE.org/lab/runs/demo-7b-on-x1#top", None),
        ("https://example.org/chips/guides/demo-7b?", "stands already at"),
        (
            "https://docs.vllm.ai/en/latest/features/speculative_decoding/fly#x",
            "no source of the overlay cites",
        ),
        ("{cited}", "an overlay speaks of its own documents only; model-support cites"),
        ("{cited}#part", "an overlay speaks of its own documents only; model-support cites"),
    ],
)
def test_an_overlay_says_what_its_own_documents_are(
    url: str, problem: str | None, data: Path, overlay: Path
) -> None:
    """A kind of the project's document would change what its evidence may carry."""
    rows = (data / "curated/documents.csv").read_text(encoding="utf-8").splitlines()
    fly = next(row for row in rows if "fly" in row)
    _edit(data / "curated/documents.csv", f"{fly}\n", "")
    _append(
        overlay / "curated/documents.csv",
        f"{url.format(cited=fly.partition(',')[0])},guide,,,,,w,h",
    )
    if problem is None:
        assert assemble(data=data, overlays=(overlay,)).inputs
    else:
        (said,) = _said(data, overlay)
        assert said.startswith(f"{overlay}/curated/documents.csv:3: ")
        assert problem in said


def test_no_overlay_speaks_of_another_s_documents(overlay: Path, tmp_path: Path) -> None:
    other = tmp_path / "theirs"
    (other / "curated").mkdir(parents=True)
    shutil.copy(overlay / "curated/documents.csv", other / "curated")
    _edit(other / "curated/documents.csv", "/chips/guides/demo-7b", "/lab/runs/demo-7b-on-x1")
    (said,) = _said(ROOT / "data", overlay, other)
    assert "an overlay speaks of its own documents only; lab-runs cites" in said


def test_an_overlay_s_words_leave_the_project_s_graphs_alone(overlay: Path) -> None:
    """Rows for any source hold for the overlay's own, and change no reading of ours."""
    header = (ROOT / "data/curated/precision_names.csv").read_text("utf-8").splitlines()[0]
    path = overlay / "curated/precision_names.csv"
    path.write_text(f"{header}\n,FP8-ish,fp8,compute,why,here\n", encoding="utf-8")
    _append(overlay / "curated/stacks.csv", ",vLLM,tensorrt-llm,,,why,here")
    plain, with_own = assemble(), assemble(overlays=(overlay,))
    ours = {q for q in named_quads(with_own.store) if not is_overlay(q.graph_name)}  # type: ignore[arg-type]
    assert ours == set(named_quads(plain.store))


def test_an_overlay_does_not_speak_of_the_project_s_sources(overlay: Path) -> None:
    path = overlay / "curated/stacks.csv"
    _append(path, "model-support,vLLM,tensorrt-llm,,,why,here")
    line = len(path.read_text(encoding="utf-8").splitlines())
    message = "an overlay speaks of its own sources only; model-support is the project's"
    assert _said(ROOT / "data", overlay) == [f"{path}:{line}: {message}"]


def test_an_overlay_s_places_start_with_its_name(overlay: Path) -> None:
    graph = assemble(overlays=(overlay,))
    paths = {place.path for places in graph.places.values() for place in places}
    assert "our-runs/sources/lab/statements.json" in paths
    assert "our-runs/curated/products.csv" in paths
    assert "sources/model-support/model-support.json" in paths
    assert "curated/products.csv" in paths
    assert not [path for path in paths if "/" not in path]


def test_a_document_from_elsewhere_is_known_by_its_name(data: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    (data / "sources/model-support/model-support.json").rename(other)
    graph = assemble(data=data, documents={"model-support": other})
    assert "other.json" in {place.path for places in graph.places.values() for place in places}


# IRIs


def test_labels_that_differ_in_composition_alone_have_two_iris() -> None:
    composed = "Caf\u00e9"
    decomposed = unicodedata.normalize("NFD", composed)
    one, two = mint_iri("family", "lab", composed), mint_iri("family", "lab", decomposed)
    assert one != two
    assert (keys_of(one)[2], keys_of(two)[2]) == (composed, decomposed)


# Lineage

TUNED = "example-org/demo-7b-instruct"
SHARED = "meta-llama/Llama-3.3-70B-Instruct"
BASE = "fair4ml:fineTunedFrom,meta-llama/Llama-3.1-8B"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (f"model-support,meta-llama/Llama-3.2-1B,{BASE}", "model-support states no checkpoint"),
        (f"model-support,Qwen3-8B,{BASE}", "checkpoint 'Qwen3-8B' does not have the form"),
        ("cloud-ai-100,openai-community/gpt2,made:of,a/b", "predicate_id 'made:of' does not have"),
        ("cloud-ai-100,openai-community/gpt2,ra:adapterOf,gpt", "parent 'gpt' does not have the f"),
    ],
)
def test_a_faulty_lineage_is_named_with_its_line(row: str, problem: str, data: Path) -> None:
    _append(data / "curated/lineage.csv", f"{row},why,where")
    (said,) = _said(data)
    assert "curated/lineage.csv:3: " in said
    assert problem in said


def test_an_overlay_states_the_lineage_of_its_own_models_only(overlay: Path) -> None:
    table = overlay / "curated/lineage.csv"
    header = "source,checkpoint,predicate_id,parent,why,read_in\n"
    table.write_text(header, encoding="utf-8")
    _append(table, f"lab,{TUNED},{BASE},why,where")
    assemble(overlays=(overlay,))
    _edit(overlay / "sources/lab/statements.json", TUNED, SHARED)
    _edit(table, TUNED, SHARED)
    (said,) = _said(DATA, overlay)
    assert "curated/lineage.csv:2: an overlay speaks of its own models only; " in said
