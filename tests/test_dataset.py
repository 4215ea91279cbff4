"""Any RDF is served as its files say, or refused with every file and line."""

import os
import signal
import time
from pathlib import Path

import httpx2
import pytest
from pyoxigraph import NamedNode, Triple, serialize

from kg.dataset import FORMATS, open_dataset
from kg.errors import SourceError
from tests.http_server import serving_by_command, serving_dataset
from tests.processes import tree_of
from tests.reading import ROOT

TRIPLES = "<urn:s> <urn:p> 1 .\n"
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
QUADS = "<urn:s> <urn:p> <urn:o> <urn:g> .\n"


def _write(folder: Path, **files: str) -> list[Path]:
    paths = []
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        path.write_text(content)
        paths.append(path)
    return paths


def test_triples_go_to_the_default_graph_and_quads_where_they_say(tmp_path: Path) -> None:
    files = _write(tmp_path, a_ttl=TRIPLES, b_nq=QUADS)
    query = "SELECT ?g ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"
    with serving_dataset(files) as address:
        answer = httpx2.get(
            f"{address}/sparql", params={"query": query}, headers={"Accept": "text/csv"}
        )
    assert sorted(answer.text.split()) == [",1", "g,o", "urn:g,urn:o"]


def test_the_name_follows_from_what_the_files_hold(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    same = [_write(folder, a_ttl=TRIPLES) for folder in (one, two)]
    names = {open_dataset(files).name for files in same}
    assert len(names) == 1
    assert open_dataset(_write(two, a_ttl=TRIPLES * 2)).name not in names


def test_relative_names_are_those_of_queries_and_tell_of_no_folder(tmp_path: Path) -> None:
    files = _write(tmp_path, a_ttl="<> <urn:p> <one> .", b_ttl="<> <urn:p> <one> .")
    query = "SELECT ?s ?o { ?s <urn:p> ?o FILTER(?o = <one>) } ORDER BY ?s"
    with serving_dataset(files) as address:
        answer = httpx2.get(
            f"{address}/sparql", params={"query": query}, headers={"Accept": "text/csv"}
        )
    base = "https://w3id.org/runatlas/"
    rows = [f"{base}a.ttl,{base}one", f"{base}b.ttl,{base}one"]
    assert answer.text.split() == ["s,o", *rows]


@pytest.mark.parametrize("extension", FORMATS)
def test_an_extension_names_its_format(tmp_path: Path, extension: str) -> None:
    file = tmp_path / f"data.{extension.upper()}"
    triple = Triple(NamedNode("urn:s"), NamedNode("urn:p#p"), NamedNode("urn:o"))
    file.write_bytes(serialize([triple], format=FORMATS[extension]) or b"")
    assert {quad.triple for quad in open_dataset([file]).store} == {triple}


def test_the_guide_names_every_extension() -> None:
    guide = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert f"({', '.join(f'`{extension}`' for extension in FORMATS)})" in guide


def test_every_fault_is_told_with_file_and_line(tmp_path: Path) -> None:
    files = _write(tmp_path, a_ttl=f"{TRIPLES}<urn:s> <urn:p>\n", b_csv="a,b", c_nt=TRIPLES)
    files.append(tmp_path / "absent.ttl")
    with pytest.raises(SourceError) as raised:
        open_dataset(files)
    found = [(Path(problem.path).name, problem.place) for problem in raised.value.problems]
    assert found == [("a.ttl", 3), ("b.csv", 1), ("c.nt", 1), ("absent.ttl", 1)]


def test_only_sparql_is_answered(tmp_path: Path) -> None:
    with serving_dataset(_write(tmp_path, a_ttl=TRIPLES)) as address:
        assert httpx2.get(f"{address}/healthz").status_code == 200
        assert httpx2.get(f"{address}/api/v1/models").status_code == 404


def test_files_that_have_changed_never_answer_in_the_name_of_what_was_read(tmp_path: Path) -> None:
    """Workers that are started anew read the files again, and refuse: a signal is needed."""
    (file,) = _write(tmp_path, a_ttl=TRIPLES)
    with serving_by_command("--dataset", str(file), "--queue", "0") as (client, process):
        named = client.get("/healthz").headers["runatlas-snapshot"]
        file.write_text(TRIPLES + QUADS.replace("<urn:g> ", ""))
        os.kill(tree_of(process.pid)[1], signal.SIGKILL)
        time.sleep(2)
        seen = set()

        def ask() -> bool:
            answer = client.get("/sparql", params={"query": COUNT}, headers={"Accept": "text/csv"})
            if answer.status_code == 200:
                seen.add((answer.headers["runatlas-snapshot"] == named, answer.text.split()[1]))
            return answer.status_code == 200

        client.timeout = 1
        with pytest.raises(httpx2.ReadTimeout):
            ask()
        process.send_signal(signal.SIGHUP)
        client.timeout = 60
        deadline = time.monotonic() + 60
        while not ask():
            assert time.monotonic() < deadline
    assert seen == {(False, "2")}
