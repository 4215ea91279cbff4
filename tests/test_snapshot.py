"""Snapshots: whole or not there, named by content, switched in one step."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kg.errors import SnapshotError
from kg.snapshot import (
    GRAPH,
    MANIFEST,
    PLACES,
    default_snapshot,
    open_snapshot,
    snapshot_name,
    write_snapshot,
)

QUAD = b"<urn:a> <urn:b> <urn:c> <https://w3id.org/runatlas/graph/source/s/1> .\n"
FILES = {GRAPH: QUAD, PLACES: b"urn:a\ts\ts.csv\t2\n", "report.txt": b"conforms\n"}


def _write(out: Path, **changes: Any) -> Path:
    return write_snapshot(out, "1", {**FILES, **changes.get("files", {})}, {"overlays": []})


def test_name_is_version_and_content() -> None:
    # sha256 of no bytes at all
    assert snapshot_name("7", b"") == "7-e3b0c44298fc"


def test_write_then_open(tmp_path: Path) -> None:
    folder = _write(tmp_path)
    snapshot = open_snapshot(tmp_path / "current")
    assert snapshot.folder == folder.resolve()
    assert folder.name == snapshot.name
    assert len(list(snapshot.store)) == 2, "the quad, and its triple in the default graph"
    assert [str(place) for place in snapshot.places["urn:a"]] == ["s.csv:2"]


def test_equal_content_is_one_snapshot(tmp_path: Path) -> None:
    assert _write(tmp_path) == _write(tmp_path)
    assert len(list((tmp_path / "snapshots").iterdir())) == 1


def test_other_content_keeps_the_old_snapshot(tmp_path: Path) -> None:
    first = _write(tmp_path)
    second = _write(tmp_path, files={GRAPH: QUAD.replace(b"urn:c", b"urn:d")})
    assert first != second
    assert open_snapshot(first).name != open_snapshot(second).name
    assert (tmp_path / "current").resolve() == second.resolve()


def test_a_damaged_copy_is_written_anew_beside_it(tmp_path: Path) -> None:
    folder = _write(tmp_path)
    (folder / GRAPH).write_bytes(b"damaged")
    again = _write(tmp_path)
    assert again != folder
    assert open_snapshot(tmp_path / "current").folder == again.resolve()
    assert open_snapshot(again).name == folder.name


def test_a_snapshot_never_changes(tmp_path: Path) -> None:
    """The same graph with other places is another folder; the first is as it was."""
    first = _write(tmp_path)
    before = {path.name: path.read_bytes() for path in first.iterdir()}
    second = _write(tmp_path, files={PLACES: b"urn:a\ts\ts.csv\t3\n"})
    assert first != second
    assert {path.name: path.read_bytes() for path in first.iterdir()} == before
    assert [str(p) for p in open_snapshot(tmp_path / "current").places["urn:a"]] == ["s.csv:3"]
    assert open_snapshot(first).name == open_snapshot(second).name


def test_what_cannot_be_opened_never_becomes_the_current_one(tmp_path: Path) -> None:
    old = _write(tmp_path)
    for files in ({GRAPH: b"not quads"}, {PLACES: b"a\ttoo\tmany\tcells\there\n"}):
        with pytest.raises(SnapshotError, match="cannot be read"):
            _write(tmp_path, files=files)
        assert open_snapshot(tmp_path / "current").folder == old.resolve()


def test_things_in_the_way_are_swept_or_named(tmp_path: Path) -> None:
    _write(tmp_path)
    (tmp_path / "snapshots" / ".unfinished-a-file").write_text("", encoding="utf-8")
    _write(tmp_path)
    (tmp_path / ".current-new").mkdir()
    with pytest.raises(SnapshotError, match=r"\.current-new"):
        _write(tmp_path)


@pytest.mark.parametrize("name", [GRAPH, PLACES, "report.txt"])
@pytest.mark.parametrize("damage", ["cut", "changed", "missing"])
def test_a_damaged_snapshot_does_not_open(name: str, damage: str, tmp_path: Path) -> None:
    path = _write(tmp_path) / name
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-1])
    else:
        path.write_bytes(b"x" + path.read_bytes()[1:])
    with pytest.raises(SnapshotError, match=name):
        open_snapshot(tmp_path / "current")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"format": "other"}',
        '{"format": "runatlas-snapshot-1"}',
        '{"format": "runatlas-snapshot-1", "version": "1", "files": []}',
        '{"format": "runatlas-snapshot-1", "version": 1, "files": {}}',
        '{"format": "runatlas-snapshot-1", "version": "1", "files": {"../x": "0"}}',
        '{"format": "runatlas-snapshot-1", "version": "1", "sha256": "0", "files":'
        ' {"graph.nq": "1", "places.tsv": "2"}}',
        "[" * 100_000,
        "\x00",
    ],
)
def test_a_damaged_manifest_does_not_open(content: str, tmp_path: Path) -> None:
    (_write(tmp_path) / MANIFEST).write_text(content, encoding="utf-8")
    with pytest.raises(SnapshotError, match=r"snapshot|whole"):
        open_snapshot(tmp_path / "current")


def test_no_snapshot_at_all(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="not a snapshot"):
        open_snapshot(tmp_path / "nowhere")


def test_default_is_the_last_build_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg.snapshot.ROOT", tmp_path / "no-checkout")
    with pytest.raises(SnapshotError, match="run 'runatlas build'"):
        default_snapshot(tmp_path)
    _write(tmp_path)
    assert default_snapshot(tmp_path) == tmp_path / "current"


def test_unfinished_folders_are_swept(tmp_path: Path) -> None:
    folder = _write(tmp_path)
    left = folder.with_name(".unfinished-1-000000000000")
    shutil.copytree(folder, left)
    _write(tmp_path)
    assert not left.exists()


def test_an_unwritable_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "snapshots").write_text("a file stands in the way", encoding="utf-8")
    with pytest.raises(SnapshotError, match="cannot write a snapshot"):
        _write(tmp_path)


def test_the_manifest_names_the_hash_of_each_file(tmp_path: Path) -> None:
    manifest = json.loads((_write(tmp_path) / MANIFEST).read_bytes())
    assert set(manifest["files"]) == set(FILES)
    assert "time" not in json.dumps(manifest) and str(tmp_path) not in json.dumps(manifest)
