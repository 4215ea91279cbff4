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

CURATED = Path(__file__).parents[1] / "data" / "curated"
ROOT = Path(__file__).parents[1]


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


def test_a_source_s_own_reading_wins(tables: Path) -> None:
    with (tables / "precision_names.csv").open("a", encoding="utf-8") as file:
        file.write("lab,FP8,fp8,kv-cache,why,here\n")
    read = read_curated_tables(tables)
    assert registry_for("lab", read).precisions["FP8"].role.value.endswith("KVCache")
    assert registry_for("other", read).precisions["FP8"].role.value.endswith("RoleUnstated")


@given(text=st.text(max_size=200), table=st.sampled_from(sorted(TABLES)))
def test_any_text_is_read_or_refused(
    text: str, table: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("curated")
    (folder / f"{table}.csv").write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(SourceError):
        read_curated_tables(folder)
