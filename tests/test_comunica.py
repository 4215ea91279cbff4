"""Comunica, a SPARQL engine in JavaScript, asks the endpoint, and answers as the store does."""

import fcntl
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from pyoxigraph import (
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    parse,
    parse_query_results,
)

from kg.backend import StoreBackend
from kg.snapshot import Snapshot
from kg.vocab import PREFIXES
from kg.workers.limits import DEFAULTS
from tests.http_server import serving_by_workers

FOLDER: Final = Path(__file__).parent / "comunica"
PREFIX: Final = f"PREFIX ra: <{PREFIXES['ra']}>\nPREFIX xsd: <{PREFIXES['xsd']}>\n"
PATHS: Final = "?path a ra:SupportPath ; ra:level ?level"
QUERIES: Final = {
    "select": f"SELECT ?path ?level WHERE {{ {PATHS} }}",
    "count": f"SELECT ?level (COUNT(*) AS ?n) WHERE {{ {PATHS} }} GROUP BY ?level",
    "optional": f"SELECT * WHERE {{ {PATHS} OPTIONAL {{ ?path ra:noSuchThing ?x }} }}",
    "values": f"SELECT ?n ?path WHERE {{ VALUES ?n {{ 1 2 }} {PATHS} }}",
    "graph": "SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s a ra:SupportPath } }",
    "texts": "SELECT ?x WHERE { VALUES ?x { 'caf\u00e9 \U0001f600'@fr 'a\\r\\n\\t\"<&>' '' } }",
    "construct": f"CONSTRUCT {{ ?path ra:level ?level }} WHERE {{ {PATHS} }}",
    "describe": "DESCRIBE <urn:nothing> ?path WHERE { ?path a ra:SupportPath }",
    "ask": f"ASK {{ {PATHS} }}",
    "ask-not": "ASK { ?path a ra:NoSuchClass }",
    "large": "SELECT ?s ?p ?o WHERE { ?s ?p ?o }",
}
GRAPHS: Final = ("construct", "describe")
WRONG: Final = "SELECT * WHERE { ?s ?p ?o FILTER(<urn:no-function>(?s)) }"


@pytest.fixture(scope="module")
def program() -> Path:
    """Return the program that asks, with its packages installed as their lock file says."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not here")
    with (FOLDER / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests may run side by side
        installed = FOLDER / "node_modules" / ".package-lock.json"
        if not installed.is_file():
            subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=FOLDER, check=True, timeout=600)
    return FOLDER / "ask.mjs"


@pytest.fixture(scope="module")
def address(backend: StoreBackend) -> Iterator[str]:
    with serving_by_workers(backend, DEFAULTS) as address:
        yield f"{address}/sparql"


@pytest.fixture(scope="module")
def answers(program: Path, address: str) -> dict[tuple[str, str], dict[str, str]]:
    """Ask every query of the endpoint, once by its kind and once by its own description."""
    sources = {"named": {"type": "sparql", "value": address}, "found": address}
    asked = [(how, name) for how in sources for name in (*QUERIES, "wrong")]
    queries = {**QUERIES, "wrong": WRONG}
    content = [{"query": PREFIX + queries[name], "sources": [sources[how]]} for how, name in asked]
    said = subprocess.run(
        ["node", program],
        input=json.dumps(content),
        capture_output=True,
        check=True,
        encoding="utf-8",
        timeout=300,
    )
    return dict(zip(asked, json.loads(said.stdout), strict=True))


def _comparable(results: object) -> bool | Counter[tuple[str, ...]]:
    if isinstance(results, QuerySolutions):
        names = sorted(variable.value for variable in results.variables)
        return Counter(tuple(f"{name}={row[name]}" for name in names) for row in results)
    if isinstance(results, QueryBoolean):
        return bool(results)
    return Counter((str(t.subject), str(t.predicate), str(t.object)) for t in results)  # type: ignore[attr-defined]  # triples


def _read(content: str, *, is_graph: bool) -> object:
    if is_graph:
        return parse(content, format=RdfFormat.N_TRIPLES)
    members = json.loads(content)
    members.pop("metadata", None)  # of its own; the format has no such member
    return parse_query_results(json.dumps(members), format=QueryResultsFormat.JSON)


@pytest.mark.parametrize("how", ["named", "found"])
@pytest.mark.parametrize("name", QUERIES)
def test_it_answers_as_the_store_does(
    answers: dict[tuple[str, str], dict[str, str]], snapshot: Snapshot, how: str, name: str
) -> None:
    answer = _read(answers[how, name]["content"], is_graph=name in GRAPHS)
    direct = _comparable(snapshot.store.query(PREFIX + QUERIES[name]))
    assert _comparable(answer) == direct


@pytest.mark.parametrize("how", ["named", "found"])
def test_an_error_arrives(answers: dict[tuple[str, str], dict[str, str]], how: str) -> None:
    assert "400" in answers[how, "wrong"]["error"]
