"""The curated tables: strict, every fault of every table at once, names that mean one thing."""

import csv
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import SourceError
from mappings.curated.reader import read_curated_tables
from mappings.curated.registry import registry_for
from mappings.curated.tables import PROVENANCE, TABLES
from mappings.source_text import MAX_PROBLEMS
from tests.reading import read_alone

CURATED = Path(__file__).parents[1] / "data" / "curated"
ROOT = Path(__file__).parents[1]

SWAPPED = (
    "cloud-ai-100,Llama 3.1,skos:exactMatch,model-support,Llama 3.1,"
    "semapv:ManualMappingCuration,true,why,here"
)


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A copy of the shipped tables, to be edited."""
    return Path(shutil.copytree(CURATED, tmp_path / "curated"))


def _problems(folder: Path) -> list[str]:
    with pytest.raises(SourceError) as caught:
        read_curated_tables(folder)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_every_table_is_shipped_and_every_row_says_why_and_where() -> None:
    assert {path.stem for path in CURATED.glob("*.csv")} == set(TABLES)
    tables = read_curated_tables(CURATED)
    for name in TABLES:
        assert tables[name], name
        for row in tables[name]:
            assert all(row[column].strip() for column in PROVENANCE)


@pytest.mark.parametrize(
    ("table", "line", "problem"),
    [
        ("products", "x1,X1,gpu,nvidia-gpu,,,why,here", "kind 'gpu' is not one of chip, board"),
        ("products", "X1,X1,chip,nvidia-gpu,,,why,here", "id 'X1' does not have the form"),
        ("products", "x1,,chip,nvidia-gpu,,,why,here", "label is blank"),
        ("products", "x1, X1,chip,nvidia-gpu,,,why,here", "label ' X1' has blanks around it"),
        ("products", "x1,X1,chip,nvidia,,,why,here", "platform 'nvidia' is not in platforms.csv"),
        ("products", "x1,X1,chip,nvidia-gpu,,h100 h9,why,here", "contains 'h9' is not in products"),
        ("products", "h100,H,chip,nvidia-gpu,,,why,here", "id 'h100' stands already at"),
        ("products", "hopper,H,chip,nvidia-gpu,,,why,here", "means the generation 'hopper'"),
        ("products", "x1,X1,chip,nvidia-gpu,,,why", "expected 8 cells, found 7"),
        ("products", "x1,X1,chip,nvidia-gpu,,,,here", "why is blank"),
        ("aliases", "product,h100,H200,why,here", "the name 'h200' means the product 'h200'"),
        ("aliases", "component,vllm,SGLANG,why,here", "the name 'sglang' means the component"),
        ("products", "x1,Hopper,chip,nvidia-gpu,,,why,here", "name 'hopper' means the generation"),
        ("components", "x1,VLLM,none,why,here", "the name 'vllm' means the component 'vllm'"),
        ("features", "x1,Tensor Parallelism,,why,here", "'tensor parallelism' means the feature"),
        ("precisions", "x1,fp8,,why,here", "the name 'fp8' means the precision 'fp8'"),
        ("organisations", "x1,nvidia,,why,here", "the name 'nvidia' means the organisation"),
        ("deployments", f"model-support,r,d,{'9' * 10},,chip,,,why,here", "devices '9999999999'"),
        ("family_alignment", SWAPPED, "subject_source 'cloud-ai-100', subject_label 'Llama 3.1'"),
        ("aliases", "product,h999,H999,why,here", "id 'h999' is not in products.csv"),
        ("aliases", "model,h100,H-100,why,here", "kind 'model' is not one of"),
        ("precision_names", ",FP12,fp12,weights,why,here", "precision 'fp12' is not in precisions"),
        ("deployments", "model-support,r,d,0,,chip,,,why,here", "devices '0' does not"),
        ("exclusions", "model-support,r,e,maybe,product,h100,t,w,h", "kind 'maybe' is not one of"),
        ("features", "a,A,b,why,here", "broader 'b' is not in features.csv"),
        ("stacks", ',"a\nb",vllm,at least,1,why,here', "bound 'at least' is not one of"),
    ],
)
def test_a_bad_row_is_named_with_its_line(
    table: str, line: str, problem: str, tables: Path
) -> None:
    path = tables / f"{table}.csv"
    number = len(path.read_text(encoding="utf-8").splitlines()) + 1
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    problems = _problems(tables)
    assert any(p.startswith(f"{table}.csv:{number}: ") and problem in p for p in problems) or (
        "means the" in problem and any(problem in p for p in problems)
    ), problems


def test_faults_of_several_tables_come_at_once(tables: Path) -> None:
    for name in ("products", "aliases", "components"):
        with (tables / f"{name}.csv").open("a", encoding="utf-8") as file:
            file.write("only one cell\n")
    (tables / "prices.csv").write_text("id\n", encoding="utf-8")
    said = [problem.partition(":")[0] for problem in _problems(tables)]
    assert said == ["aliases.csv", "components.csv", "prices.csv", "products.csv"]


def test_an_unknown_column_names_the_columns(tables: Path) -> None:
    path = tables / "features.csv"
    path.write_text(path.read_text("utf-8").replace("id,label,", "id,name,", 1), encoding="utf-8")
    assert any(
        "features.csv:1: expected the columns id,label,broader" in p for p in _problems(tables)
    )


@pytest.mark.parametrize("table", ["features", "precisions", "products", "organisations"])
def test_a_circle_is_a_fault(table: str, tables: Path) -> None:
    """Nothing is broader than itself, contains itself or is part of itself, by whatever way."""
    path = tables / f"{table}.csv"
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    column = next(i for i, c in enumerate(rows[0]) if c in {"broader", "contains", "part_of"})
    (one, two) = rows[1], rows[2]
    one[column], two[column] = two[0], one[0]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    assert any("leads back to itself" in problem for problem in _problems(tables))


@pytest.mark.parametrize(
    ("rows", "faulty"),
    [
        (["own/a,fair4ml:fineTunedFrom,own/a"], [2]),
        (["own/a,fair4ml:fineTunedFrom,own/b", "own/b,ra:quantizedFrom,own/a"], [2, 3]),
        (
            [
                "own/x,ra:quantizedFrom,own/a",
                "own/a,ra:mergedFrom,own/b",
                "own/a,ra:mergedFrom,own/c",
                "own/c,ra:distilledFrom,own/a",
                "own/c,ra:distilledFrom,own/d",
            ],
            [4, 5],
        ),
        (["own/a,ra:quantizedFrom,own/b", "own/b,ra:quantizedFrom,own/c"], []),
    ],
)
def test_no_model_is_made_from_itself(rows: list[str], faulty: list[int], tmp_path: Path) -> None:
    lines = ["source,checkpoint,predicate_id,parent,why,read_in", *(f"lab,{r},w,h" for r in rows)]
    (tmp_path / "lineage.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = _problems(tmp_path) if faulty else []
    read = None if faulty else read_curated_tables(tmp_path)
    assert [problem.partition(": ")[0] for problem in said] == [f"lineage.csv:{n}" for n in faulty]
    assert all("leads back to itself" in problem for problem in said)
    assert read is None or len(read["lineage"]) == len(rows)


def test_a_page_is_described_once_however_its_address_is_written(tables: Path) -> None:
    with (tables / "documents.csv").open("a", encoding="utf-8") as file:
        file.write("https://example.org/a,guide,,,,,why,here\n")
        file.write("http://EXAMPLE.org:80/a?#b,table,,,,,why,here\n")
    assert any("url 'http://EXAMPLE.org:80/a?#b' stands already at" in p for p in _problems(tables))


@pytest.mark.parametrize(
    ("label", "problem"),
    [
        ("nvidia", "means the organisation 'nvidia'"),
        ("N V I D I A", "means the organisation 'nvidia'"),
        ("NVIDIA\u00ae", "means the organisation 'nvidia'"),
        ("N.V.I.D.I.A.", "means the organisation 'nvidia'"),
        ("\uff2e\uff36\uff29\uff24\uff29\uff21", "means the organisation 'nvidia'"),
        ("NVIDI \u0410", "means the organisation 'nvidia'"),
        ("\u0406\u0412\u041c", "means the organisation 'ibm'"),
        ("NVIDI\u0410", "letters of several scripts in one word: cyrillic, latin"),
        ("NVIDIA \u039babs", "letters of several scripts in one word: greek, latin"),
        ("NVIDIA\u200b", "holds the invisible character U+200B"),
        ("NV\u00adIDIA", "holds the invisible character U+00AD"),
        ("\u202eAIDIVN", "holds the invisible character U+202E"),
        ("NVIDIA\u3164", "holds the invisible character U+3164"),
        ("NVIDIA\ufe0f", "holds the invisible character U+FE0F"),
        ("\u042f\u043d\u0434\u0435\u043a\u0441 Labs", None),
        ("Stra\u00dfe \u00c9tudes", None),
        ("\u65e5\u672c\u30e9\u30dc GPU\u90e8", None),
        ("++", None),
    ],
)
def test_what_looks_alike_is_no_other_name(label: str, problem: str | None, tables: Path) -> None:
    with (tables / "organisations.csv").open("a", encoding="utf-8") as file:
        file.write(f"another,{label},,why,here\n")
    if problem is None:
        assert "another" in read_curated_tables(tables).ids("organisations")
    else:
        assert any(problem in said for said in _problems(tables))


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ("products", "x1,H1\u200b00,chip,nvidia-gpu,,,why,here"),
        ("platforms", "x1,\u0410MD GPU,amd,why,here"),
        ("components", "x1,v\u2060LLM,none,why,here"),
        ("aliases", "product,h100,H\u200d100,why,here"),
    ],
)
def test_every_name_can_be_read(table: str, line: str, tables: Path) -> None:
    with (tables / f"{table}.csv").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    assert any("invisible" in p or "several scripts" in p for p in _problems(tables))


def test_spreadsheet_habits_are_read(tables: Path) -> None:
    """A BOM, CRLF and a quoted line break do not change what is read."""
    before = read_curated_tables(tables)
    for path in tables.glob("*.csv"):
        text = path.read_text(encoding="utf-8").replace("\n", "\r\n")
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    after = read_curated_tables(tables)
    for name in TABLES:
        assert [dict(row.cells) for row in after[name]] == [dict(row.cells) for row in before[name]]


def test_a_missing_table_is_an_empty_table(tmp_path: Path) -> None:
    tables = read_curated_tables(tmp_path)
    assert all(not rows for rows in tables.rows.values())


def test_an_overlay_adds_rows_and_is_named_in_each(tables: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    header = (CURATED / "products.csv").read_text("utf-8").splitlines()[0]
    text = f"{header}\nx1,X1,chip,nvidia-gpu,,,why,here\n"
    (own / "products.csv").write_text(text, encoding="utf-8")
    rows = read_curated_tables(tables, {"ours": own})["products"]
    assert [(row["id"], row.overlay) for row in rows if row.overlay] == [("x1", "ours")]
    (own / "products.csv").write_text(text.replace("x1,X1", "h100,H100"), encoding="utf-8")
    with pytest.raises(SourceError, match="stands already at"):
        read_curated_tables(tables, {"ours": own})


def _own(tmp_path: Path, **rows: str) -> dict[str, Path]:
    """Write an overlay's tables, a row in each."""
    own = tmp_path / "own"
    own.mkdir(exist_ok=True)
    for table, row in rows.items():
        text = f"{','.join(TABLES[table].header)}\n{row}\n"
        (own / f"{table}.csv").write_text(text, encoding="utf-8")
    return {"ours": own}


OWNERS = {"model-support": None, "cloud-ai-100": None, "lab": "ours", "den": "theirs"}


@pytest.mark.parametrize("table", [name for name in TABLES if "source" in TABLES[name].header])
def test_an_overlay_speaks_of_its_own_sources_only(
    table: str, tables: Path, tmp_path: Path
) -> None:
    with (CURATED / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        cells = next(row for row in csv.DictReader(file))
    for source, problem in (
        ("model-support", "its own sources only; model-support is the project's"),
        ("den", "its own sources only; den is theirs's"),
        ("nobody", "there is no source 'nobody'"),
        ("lab", None),
    ):
        values = [{**cells, "source": source}[name] for name in TABLES[table].header]
        row = ",".join(f'"{value}"' for value in values)
        overlays = _own(tmp_path, **{table: row})
        if problem is None:
            read_curated_tables(tables, overlays, owners=OWNERS)
            continue
        with pytest.raises(SourceError) as caught:
            read_curated_tables(tables, overlays, owners=OWNERS)
        assert f"{tmp_path}/own/{table}.csv:2: " in str(caught.value)
        assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("subject", "object_", "problem"),
    [
        ("lab,L", "model-support,Llama 3.1", None),
        ("cloud-ai-100,Llama 3.1", "lab,L", None),
        ("cloud-ai-100,GPT-OSS", "model-support,Qwen3", "cloud-ai-100 is the project's"),
        ("cloud-ai-100,GPT-OSS", "den,D", "den is theirs's"),
        ("lab,L", "nobody,N", "there is no source 'nobody'"),
        ("cloud-ai-100,Llama 3.1", "model-support,Llama 3.1", "stands already at"),
    ],
)
def test_an_overlay_s_alignment_has_a_side_of_its_own(
    subject: str, object_: str, problem: str | None, tables: Path, tmp_path: Path
) -> None:
    row = f"{subject},skos:exactMatch,{object_},semapv:ManualMappingCuration,true,why,here"
    overlays = _own(tmp_path, family_alignment=row)
    if problem is None:
        read_curated_tables(tables, overlays, owners=OWNERS)
    else:
        with pytest.raises(SourceError, match=problem):
            read_curated_tables(tables, overlays, owners=OWNERS)


def test_an_overlay_s_rows_hold_for_its_own_sources_alone(tables: Path, tmp_path: Path) -> None:
    overlays = _own(
        tmp_path,
        organisations="ours,Our Lab,,why,here",
        precision_names=",FP8-ish,fp8,compute,why,here",
        status_words=",brilliant,supported,,stable,ran,why,here",
        stacks=",vLLM,tensorrt-llm,,,why,here",
    )
    read = read_curated_tables(tables, overlays, owners=OWNERS)
    alone = registry_for("model-support", None, read_curated_tables(tables))
    assert registry_for("model-support", None, read) == alone
    assert registry_for("den", "theirs", read) == registry_for("den", None, read)
    ours = registry_for("lab", "ours", read)
    assert "FP8-ish" in ours.precisions.values
    assert "brilliant" in ours.statuses.values
    assert "Our Lab" in ours.organisations.values
    assert "tensorrt-llm" in [part.component for part in ours.stacks["vLLM"]]
    assert ours.precisions["FP8"] == alone.precisions["FP8"]


def test_an_overlay_s_row_is_the_one_that_takes_a_name(tables: Path, tmp_path: Path) -> None:
    """A platform is read before a generation, but ours were there first."""
    overlays = _own(tmp_path, platforms="hopper,New,nvidia,why,here")
    with pytest.raises(SourceError) as caught:
        read_curated_tables(tables, overlays)
    assert [problem.path for problem in caught.value.problems] == [f"{tmp_path}/own/platforms.csv"]


def test_names_of_hardware_and_software_do_not_meet(tables: Path) -> None:
    """Nobody asks for a component where hardware is asked for: a name may mean one of each."""
    with (tables / "components.csv").open("a", encoding="utf-8") as file:
        file.write("hopper,Hopper,none,why,here\n")
    assert "hopper" in read_curated_tables(tables).ids("components")


def test_a_name_is_folded_as_in_a_question(tables: Path) -> None:
    with (tables / "aliases.csv").open("a", encoding="utf-8") as file:
        file.write("product,h100,Große Karte,why,here\nproduct,h200,GROSSE KARTE,why,here\n")
    assert any("'grosse karte' means the product 'h100'" in p for p in _problems(tables))


@pytest.mark.parametrize("name", ["aliases.CSV", "notes.txt", "old", "features.csv~"])
def test_what_is_no_table_is_named(name: str, tables: Path) -> None:
    (tables / name).touch()
    for fine in ("README.md", ".DS_Store", ".features.csv"):
        (tables / fine).touch()
    message = f"{name}:1: not a curated table: {name!r} does not end in .csv"
    assert _problems(tables) == [message]


def test_a_huge_cell_is_quoted_short(tables: Path) -> None:
    with (tables / "products.csv").open("a", encoding="utf-8") as file:
        file.write(f"x1,X1,{'g' * 100_000},{'p' * 100_000},{'q' * 100_000},,why,here\n")
        file.write(f"{'i' * 100_000},X2,chip,nvidia-gpu,,{'c' * 100_000},why,here\n" * 2)
    assert all(len(problem) < 700 for problem in _problems(tables))


@pytest.mark.parametrize("line", ["x", ",,"])
def test_memory_is_bounded(line: str, tmp_path: Path) -> None:
    header = ",".join(TABLES["variant_words"].header)
    rows = f"{line}\n" * (16_000_000 // (len(line) + 1))
    (tmp_path / "variant_words.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    megabytes, problems, last = read_alone(read_curated_tables, tmp_path)
    assert megabytes < 900
    assert problems == MAX_PROBLEMS + 1
    assert "the rest of the file was not checked" in last


def test_a_source_s_own_reading_wins(tables: Path) -> None:
    with (tables / "precision_names.csv").open("a", encoding="utf-8") as file:
        file.write("lab,FP8,fp8,kv-cache,why,here\n")
    read = read_curated_tables(tables)
    assert registry_for("lab", None, read).precisions["FP8"].role.value.endswith("KVCache")
    assert registry_for("other", None, read).precisions["FP8"].role.value.endswith("RoleUnstated")


@given(text=st.text(max_size=200), table=st.sampled_from(sorted(TABLES)))
def test_any_text_is_read_or_refused(
    text: str, table: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("curated")
    (folder / f"{table}.csv").write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(SourceError):
        read_curated_tables(folder)


def test_a_pattern_of_words_is_one(tables: Path) -> None:
    with (tables / "variant_words.csv").open("a", encoding="utf-8") as file:
        file.write("[,why,here\n")
    assert any("is not a pattern" in problem for problem in _problems(tables))
