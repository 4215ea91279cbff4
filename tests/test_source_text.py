"""Files as text: what is accepted, what is refused and where."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import SourceError
from mappings.source_text import (
    MAX_BYTES,
    MAX_PROBLEMS,
    MAX_QUOTED,
    REPOSITORY_ID,
    ProblemList,
    list_folder,
    quote,
    read_source_text,
)
from tests.reading import problems_of, read_alone

TEXTS = {
    "empty": (b"", ""),
    "plain": (b"a\nb\n", "a\nb\n"),
    "no line end": (b"a", "a"),
    "tab": (b"a\tb", "a\tb"),
    "CRLF": (b"a\r\nb\r\n\r\nc", "a\nb\n\nc"),
    "lone CR": (b"a\rb\r\rc", "a\nb\n\nc"),
    "BOM": (b"\xef\xbb\xbfa\n", "a\n"),
    "BOM only": (b"\xef\xbb\xbf", ""),
    "second BOM kept": (b"\xef\xbb\xbf\xef\xbb\xbf", "\ufeff"),
    "beyond ASCII": ("é ¶ \u2013 \U0001f600\u2028".encode(), "é ¶ \u2013 \U0001f600\u2028"),
}

PROBLEMS = {
    "NUL": (b"a\nb\0\n", [(2, "control character U+0000")]),
    "escape": (b"\x1b[31m", [(1, "control character U+001B")]),
    "vertical tab": (b"\x0b", [(1, "control character U+000B")]),
    "delete": (b"\x7f", [(1, "control character U+007F")]),
    "C1": (b"\xc2\x9b", [(1, "control character U+009B")]),
    "Latin-1": (b"a\nGr\xf6\xdfe\n", [(2, "not UTF-8")]),
    "cut short": (b"a\n\xe2\x82", [(2, "not UTF-8")]),
    "surrogate": (b"\xed\xa0\x80", [(1, "not UTF-8")]),
    "overlong": (b"\xc0\xaf", [(1, "not UTF-8")]),
    "UTF-16": (
        "ab\n".encode("utf-16"),
        [(1, "not UTF-8"), (1, "control character U+0000 (also on line 2)")],
    ),
    "line after CRs": (b"a\r\r\n\rb\0", [(4, "control character U+0000")]),
    "all at once": (
        b"\0\n\xff\n\0\xff\n\x07\n\0\0",
        [
            (1, "control character U+0000 (also on line 3, 5)"),
            (2, "not UTF-8 (also on line 3)"),
            (4, "control character U+0007"),
        ],
    ),
    "many lines": (
        b"\0\n" * 23,
        [
            (
                1,
                "control character U+0000 (also on line 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, "
                "14, 15, 16, 17, 18, 19, 20, 21 and 2 more)",
            )
        ],
    ),
}


@pytest.mark.parametrize(("data", "expected"), TEXTS.values(), ids=TEXTS)
def test_text(data: bytes, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(data)
    assert read_source_text(path) == expected


@pytest.mark.parametrize(("data", "expected"), PROBLEMS.values(), ids=PROBLEMS)
def test_problems(data: bytes, expected: list[tuple[int, str]], tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(data)
    assert problems_of(read_source_text, path) == expected


def test_limit_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(b"a" * MAX_BYTES)
    assert len(read_source_text(path)) == MAX_BYTES
    path.write_bytes(b"a" * (MAX_BYTES + 1))
    expected = [(1, "larger than 16,777,216 bytes, the limit for a source file")]
    assert problems_of(read_source_text, path) == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "cannot be read: No such file or directory"),
        ("", "not a regular file"),
        ("file/below", "cannot be read: Not a directory"),
        ("n" * 300, "cannot be read: File name too long"),
    ],
)
def test_unreadable(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert problems_of(read_source_text, tmp_path / name) == [(1, message)]


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "link to a pipe"])
def test_only_regular_files_are_read(kind: str, tmp_path: Path) -> None:
    """Nothing is waited for: a pipe without a writer would never end."""
    path = tmp_path / "source"
    if kind == "device":
        path = Path("/dev/zero")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
    else:
        os.mkfifo(tmp_path / "pipe")
        path.symlink_to("pipe")
    assert problems_of(read_source_text, path) == [(1, "not a regular file")]


@pytest.mark.parametrize("bad", ["\0", "\n", "\t", "\x1b", "\x85", "\u2028", "\u2029", "\udcff"])
def test_a_name_that_cannot_stand_on_a_line_is_refused(bad: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{bad}b.txt"
    if bad != "\0":
        path.write_text("fine", encoding="utf-8")
        (tmp_path / "fine").symlink_to(path)
        with pytest.raises(SourceError, match="leads to a name with a control character"):
            read_source_text(tmp_path / "fine")
    with pytest.raises(SourceError, match="the file's name holds a control character") as caught:
        read_source_text(path)
    assert str(caught.value).isprintable()


def test_another_limit(tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(b"ab")
    assert read_source_text(path, max_bytes=2) == "ab"
    with pytest.raises(SourceError, match="larger than 1 bytes, the limit for a note"):
        read_source_text(path, max_bytes=1, what="a note")


def test_a_listed_folder_leaves_out_what_is_not_meant(tmp_path: Path) -> None:
    for name in ("b.csv", "a.txt", ".hidden", "README.md"):
        (tmp_path / name).touch()
    assert [path.name for path in list_folder(tmp_path)] == ["a.txt", "b.csv"]
    assert list_folder(tmp_path / "none") == []
    assert problems_of(list_folder, tmp_path / "a.txt") == [(1, "cannot be read: Not a directory")]


@pytest.mark.parametrize(
    ("start", "repeated", "size"),
    [(b"", b"\xff\n", 16_000_000), (b"", b"\0", 16_000_000), (b"{", b"x", 50_000_000)],
    ids=["bytes", "NULs", "50 MB"],
)
def test_memory_is_bounded(start: bytes, repeated: bytes, size: int, tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(start + repeated * (size // len(repeated)))
    megabytes, problems, _ = read_alone(read_source_text, path)
    assert megabytes < 300
    assert problems <= 2


def test_path_is_shown_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match=r"^there/\.\./nothing:1: cannot be read: No such file"):
        read_source_text(Path("there/../nothing"))


@given(st.binary())
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    if not problems_of(read_source_text, path):
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        assert read_source_text(path) == text


def test_problem_list_stops() -> None:
    problems = ProblemList(Path("source"))
    for _ in range(MAX_PROBLEMS):
        problems.add("/a", "wrong")
    with pytest.raises(SourceError) as caught:
        problems.add("/b", "wrong")
    assert len(caught.value.problems) == MAX_PROBLEMS + 1
    assert str(caught.value.problems[-1]) == (
        "source#/b: more than 1,048,576 problems: the rest of the file was not checked"
    )


def test_problems_are_in_file_order() -> None:
    problems = ProblemList(Path("source"))
    for line, message in ((3, "b"), (10, "c"), (3, "a")):
        problems.add(line, message)
    with pytest.raises(SourceError, match=r"\Asource:3: b\nsource:3: a\nsource:10: c\Z"):
        problems.raise_if_any()


@given(st.text(st.characters(exclude_categories=())))
def test_quote_is_one_printable_line(text: str) -> None:
    assert quote(text).isprintable()
    assert len(quote(text)) <= 12 * MAX_QUOTED + 8


@pytest.mark.parametrize("text", ["a/b", "Qwen/Qwen2-1.5B-Instruct", "a_b/.c", "0/-"])
def test_repository_id(text: str) -> None:
    assert REPOSITORY_ID.fullmatch(text)


@pytest.mark.parametrize(
    "text", ["", "a", "a/", "/b", "a/b/c", "a b/c", "a/b ", "a/b\n", "é/b", "../b", "a/..", "./."]
)
def test_no_repository_id(text: str) -> None:
    assert not REPOSITORY_ID.fullmatch(text)
