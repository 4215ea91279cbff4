"""Any RDF is served as its files say, or refused with every file and line."""

from pathlib import Path

import httpx2
import pytest

from kg.dataset import open_dataset
from kg.errors import SourceError
from tests.http_server import serving_dataset

TRIPLES = "<urn:s> <urn:p> 1 .\n"
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
