"""The vendor's page: what is read, what is refused and where."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mappings.vendor_page.layout import HEADINGS, MARK, QUICK_START
from mappings.vendor_page.reader import read_vendor_page
from mappings.vendor_page.records import (
    ModelRow,
    QuantizationRow,
    QuickStart,
    Section,
    Statement,
    VendorPage,
)
from tests.reading import ROOT, SEEDS, problems_of, read_alone

CASES: Final = ROOT / "tests" / "cases" / "vendor_page"
MINIMAL: Final = CASES / "minimal.txt"
TEXT: Final = MINIMAL.read_text(encoding="utf-8")
LINES: Final = TEXT.splitlines()
COMMITTED: Final = ROOT / "data/sources/cloud-ai-100/cloud-ai-100.txt"
ORIGINAL: Final = SEEDS / "cloud-ai-100.txt"

EDITS: Final = {
    edit["name"]: edit
    for edit in tomllib.loads((CASES / "edits.toml").read_text(encoding="utf-8"))["edit"]
}

MINIMAL_PAGE: Final = VendorPage(
    title=Statement(1, "Supported Models — AOT Mode"),
    intro=Statement(3, "AOT models for vLLM on Cloud AI 100."),
    compatibility=Statement(7, "The same class may work."),
    models=(
        ModelRow(
            12,
            1,
            Section.TEXT_ONLY,
            "TinyForCausalLM",
            "Tiny",
            ("acme/tiny-1b", "acme/tiny-2b"),
            "1B, 2B",
        ),
        ModelRow(
            13, 2, Section.TEXT_ONLY, "TinyForCausalLM", "Tiny Chat", ("acme/tiny-chat",), "1.5B+"
        ),
        ModelRow(
            14,
            3,
            Section.TEXT_ONLY,
            "HugeForCausalLM",
            "Huge",
            ("other_org/Huge.v2",),
            "30B (3B active)",
        ),
        ModelRow(29, 4, Section.MULTIMODAL, "SeeModel", "See", ("acme/see",), None),
        ModelRow(39, 5, Section.EMBEDDING, "EmbedModel", "Embed", ("acme/embed",), None),
        ModelRow(44, 6, Section.AUDIO, "Hear", "Hear", ("acme/hear-a", "acme/hear-b"), None),
    ),
    section_notes=(
        (Section.MULTIMODAL, Statement(25, "A first note.")),
        (Section.MULTIMODAL, Statement(26, "A second note.")),
    ),
    multimodal_limitations=(Statement(33, "One limit."), Statement(34, "Another limit.")),
    quick_starts=(
        QuickStart(
            18,
            "Tiny",
            "acme/tiny-1b",
            "vllm serve acme/tiny-1b \\\n  --max-num-seqs 8 \\\n  --trust-remote-code \\\n"
            '  --speculative-config \'{"method": "ngram"}\'',
            (
                ("--max-num-seqs", "8"),
                ("--trust-remote-code", None),
                ("--speculative-config", '{"method": "ngram"}'),
            ),
        ),
    ),
    quantizations=(
        QuantizationRow(
            51,
            Section.TEXT_ONLY,
            Statement(48, "Every text-only model takes:"),
            "q6 (compute)",
            "Recommended",
            "Fast",
        ),
    ),
    notes=(Statement(55, "Set trust_remote_code for Tiny."),),
    reference=Statement(59, "See the whole matrix."),
)

PARAMETERS: Final = (
    "124M",
    "3.8B",
    "30B (3B active)",
    "2B, 7B",
    "2B\u201327B",
    "7-34B",
    "8x7B",
    "1.5B+",
    "500K",
    "1B, 8x7B, 2B+",
)
NO_PARAMETERS: Final = (
    "7",
    "B",
    "7b",
    "7 B",
    "7T",
    "7B,",
    "7B,8B",
    "7B\u2013",
    "about 7B",
    "7B (active)",
    "7.B",
    "n/a",
    "\u0667B",
)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "page.txt"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def lines_of(page: VendorPage) -> set[int]:
    """Return the number of every line that a record of the page stands for."""
    statements = [page.title, page.intro, page.compatibility, page.reference, *page.notes]
    statements += [*page.multimodal_limitations, *(note for _, note in page.section_notes)]
    found = {statement.line for statement in statements}
    found |= {row.line for row in page.models} | {row.line for row in page.quantizations}
    for quick_start in page.quick_starts:
        length = quick_start.command.count("\n") + 1
        found |= set(range(quick_start.line, quick_start.line + length))
    return found


def check_nothing_is_dropped(page: VendorPage, text: str) -> None:
    """Check that each line is in a record, or blank, or a heading, or a row of column names.

    The scope of the quantizations is in their records as a section.
    """
    found = lines_of(page)
    headers = {"\t".join(body.columns) for body in HEADINGS.values() if body.columns}
    titles = {QUICK_START + quick_start.title for quick_start in page.quick_starts}
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        heading = line.removeprefix("\ufeff").removesuffix(MARK).rstrip()
        known = heading in HEADINGS or heading in titles or line in headers
        is_scope = "text-only" in line.lower()
        assert number in found or known or is_scope or not line.strip()


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_edit(edit: dict[str, Any], tmp_path: Path) -> None:
    assert edit["old"] in TEXT
    path = write(tmp_path, TEXT.replace(edit["old"], edit["new"], 1))
    problems = problems_of(read_vendor_page, path)
    assert [f"{place}: {message}" for place, message in problems] == edit["problems"]


def test_all_problems_at_once(tmp_path: Path) -> None:
    edits = (
        ("for vLLM", "for all"),
        ("Representative Models\tParams", "Representative Models\tSize"),
        ("acme/tiny-chat", "tiny-chat"),
        ("vllm serve", "serve"),
        ("acme/embed", "acme/hear-a"),
        ("text-only", "good"),
        ("Recommended", "Perhaps"),
        ("Notes¶", "Remarks¶"),
    )
    text = TEXT
    for old, new in edits:
        text = text.replace(old, new, 1)
    assert problems_of(read_vendor_page, write(tmp_path, text)) == [
        (3, 'the introduction does not name "vLLM"'),
        (11, 'unknown column "Size"'),
        (11, 'missing column "Params"'),
        (13, '"tiny-chat" is not a repository id such as Qwen/Qwen3-8B'),
        (18, "expected a command of the form vllm serve ID --flag value"),
        (19, 'expected a flag, found "8"'),
        (44, '"acme/hear-a" stands on line 39 already'),
        (48, "cannot tell which section this speaks of: it names none of text-only"),
        (51, 'status "Perhaps" is not one of Recommended'),
        (53, 'unknown heading "Remarks"'),
        (59, 'missing section "Notes"'),
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", " \n\u00a0\n"])
def test_empty_page(text: str, tmp_path: Path) -> None:
    problems = problems_of(read_vendor_page, write(tmp_path, text))
    assert [message for _, message in problems] == [
        f'missing section "{heading}"' for heading in HEADINGS
    ]


def test_minimal() -> None:
    page = read_vendor_page(MINIMAL)
    assert page == MINIMAL_PAGE
    check_nothing_is_dropped(page, TEXT)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("¶", ""),
        lambda text: text.replace("\n\nQuick", "¶\n\nQuick").replace(")¶", ")"),
        lambda text: text.replace("¶", " ¶"),
        lambda text: text.replace("\n\n", "\n \n"),
        lambda text: text.rstrip("\n"),
        lambda text: text + "\n\n",
    ],
    ids=[
        "CRLF",
        "CR",
        "BOM",
        "no marks",
        "mark after nothing",
        "blank before the mark",
        "blank in blank lines",
        "no line end",
        "blank lines at the end",
    ],
)
def test_same_page(change: Callable[[str], str], tmp_path: Path) -> None:
    assert read_vendor_page(write(tmp_path, change(TEXT))) == MINIMAL_PAGE


@pytest.mark.parametrize("cell", PARAMETERS)
def test_parameters(cell: str, tmp_path: Path) -> None:
    page = read_vendor_page(write(tmp_path, TEXT.replace("1.5B+", cell)))
    assert page.models[1].parameters == cell


@pytest.mark.parametrize("cell", NO_PARAMETERS)
def test_no_parameters(cell: str, tmp_path: Path) -> None:
    path = write(tmp_path, TEXT.replace("1.5B+", cell))
    message = f'"{cell}" is not a count of parameters such as 7B, 1.5B+ or 8x7B'
    assert problems_of(read_vendor_page, path) == [(13, message)]


HOSTILE: Final[dict[str, tuple[Callable[[], str], int, str]]] = {
    "50 MB of brackets": (lambda: "[" * 50_000_000, 1, ":1: larger than 16,777,216 bytes"),
    "16 MB of lines": (lambda: "a\n\n" * 5_000_000, 1, ":1: more than 1,048,576 characters"),
    "a page of unknown headings": (
        lambda: "a\n\n" * (2**20 // 3),
        2**20 // 3 + len(HEADINGS),
        'missing section "QEfficient Reference"',
    ),
    "rows of tabs": (
        lambda: TEXT + "\nEmbedding Models\n\n" + "\t\t\n" * 340_000,
        3 * 340_000 + 2,
        ':340062: empty cell in column "Representative Models"',
    ),
    "a word of a command": (
        lambda: TEXT.replace("acme/tiny-1b \\", "a" * 10**6 + " \\"),
        1,
        ":18: more than 10,000 characters, the limit for a command",
    ),
    "a cell": (
        lambda: TEXT.replace("1.5B+", "1" * 10**6),
        1,
        "is not a count of parameters",
    ),
    "a cell of ids": (
        lambda: TEXT.replace("acme/see", "a/b, " * 200_000 + "a/b"),
        200_000,
        '"a/b" stands on line 29 already',
    ),
    "deep JSON": (
        lambda: TEXT.replace('"ngram"', "[" * 9000),
        1,
        ":21: the value of --speculative-config is not a JSON object",
    ),
}


@pytest.mark.parametrize(("content", "count", "last"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_file(content: Callable[[], str], count: int, last: str, tmp_path: Path) -> None:
    path = write(tmp_path, content())
    megabytes, problems, message = read_alone(read_vendor_page, path)
    assert (problems, last in message) == (count, True), message
    assert megabytes < (300 if count < 10**6 else 1000)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"Tiny Chat", b"Tin\xff Chat", [(13, "not UTF-8")]),
        (b"Tiny Chat", b"Tin\0 Chat", [(13, "control character U+0000")]),
        (b"Tiny Chat", b"Tin\x1b[0m", [(13, "control character U+001B")]),
    ],
)
def test_hostile_bytes(
    old: bytes, new: bytes, expected: list[tuple[int | str, str]], tmp_path: Path
) -> None:
    path = tmp_path / "page.txt"
    path.write_bytes(TEXT.encode().replace(old, new))
    assert problems_of(read_vendor_page, path) == expected


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


def check_read_or_refused(text: str, scratch: Path) -> None:
    path = write(scratch, text)
    if not problems_of(read_vendor_page, path):
        check_nothing_is_dropped(read_vendor_page(path), text)


@given(text=st.text(st.characters(exclude_categories=())))
def test_any_text(text: str, scratch: Path) -> None:
    check_read_or_refused(text, scratch)


@given(lines=st.lists(st.sampled_from([*LINES, "", "\t", "\\", "¶", "'", "a\tb\tc"]), max_size=90))
def test_any_lines(lines: list[str], scratch: Path) -> None:
    check_read_or_refused("\n".join(lines), scratch)


@given(line=st.integers(0, len(LINES) - 1), data=st.data())
def test_any_edit_of_a_line(line: int, data: st.DataObject, scratch: Path) -> None:
    column = data.draw(st.integers(0, len(LINES[line])))
    end = data.draw(st.integers(column, len(LINES[line])))
    inserted = data.draw(st.text(max_size=3) | st.sampled_from(["\t", "\n", "\\", "¶", "'", ", "]))
    changed = LINES[line][:column] + inserted + LINES[line][end:]
    check_read_or_refused("\n".join([*LINES[:line], changed, *LINES[line + 1 :]]), scratch)


@pytest.mark.parametrize("line", range(len(LINES)))
def test_any_line_deleted(line: int, scratch: Path) -> None:
    """Without a line, the page is refused or lacks just what the line says."""
    text = "\n".join(LINES[:line] + LINES[line + 1 :])
    check_read_or_refused(text, scratch)
    may_go = lines_of(MINIMAL_PAGE) - {1}
    if not problems_of(read_vendor_page, write(scratch, text)):
        assert line + 1 in may_go


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(COMMITTED, id="committed"),
        pytest.param(
            ORIGINAL,
            id="original",
            marks=pytest.mark.skipif(not ORIGINAL.exists(), reason="no originals beside the tree"),
        ),
    ],
)
def test_real_page(path: Path) -> None:
    page = read_vendor_page(path)
    ids = [repository_id for row in page.models for repository_id in row.repository_ids]
    assert (len(page.models), len(ids), len(set(ids))) == (41, 72, 72)
    assert len({row.architecture for row in page.models}) == 28
    assert len({row.family for row in page.models}) == 41
    assert [row.row for row in page.models] == list(range(1, 42))
    assert [(row.quantization, row.section) for row in page.quantizations] == [
        ("mxfp6 (compute)", Section.TEXT_ONLY),
        ("mxint8 (KV cache)", Section.TEXT_ONLY),
    ]
    assert [(start.repository_id, len(start.flags)) for start in page.quick_starts] == [
        ("meta-llama/Llama-3.1-8B-Instruct", 5),
        ("BAAI/bge-base-en-v1.5", 5),
    ]
    check_nothing_is_dropped(page, path.read_text(encoding="utf-8"))
