"""SPARQL 1.1 Query syntax: what parses is answered, what does not is a 400."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx2
import pytest
from rdflib import Graph, URIRef
from rdflib.namespace import RDF, Namespace

from api.operation import QUERY
from tests.http_server import serving_dataset
from tests.w3c import ABSENT, SUITES

MF: Final = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
# Queries that ask another server: they parse, and are refused.
FEDERATED: Final = "syntax-fed/"
# Queries that parse, and are told what else is wrong with them.
NOT_ANSWERED: Final = {
    "syntax-query/test_4": "The custom function <http://example/function> is not supported"
}

pytestmark = pytest.mark.skipif(not SUITES.is_dir(), reason=ABSENT)


def _tests() -> dict[str, tuple[Path, bool]]:
    """Return each test's query, and whether it parses, by its folder and name."""
    found = {}
    for manifest in sorted(SUITES.glob("*/manifest.ttl")):
        graph = Graph().parse(manifest)
        for kind, parses in ((MF.PositiveSyntaxTest11, True), (MF.NegativeSyntaxTest11, False)):
            for test in graph.subjects(RDF.type, kind):
                assert isinstance(test, URIRef)
                file = Path(str(graph.value(test, MF.action)).removeprefix("file://"))
                if file.suffix != ".rq":
                    continue
                name = f"{manifest.parent.name}/{test.fragment or test.rpartition('/')[2]}"
                found[name] = (file, parses)
    return found


TESTS: Final = _tests()


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    nothing = tmp_path_factory.mktemp("w3c") / "empty.nq"
    nothing.touch()
    with serving_dataset([nothing]) as address, httpx2.Client(base_url=address) as client:
        yield client


@pytest.mark.parametrize("name", TESTS)
def test_syntax(name: str, http: httpx2.Client) -> None:
    file, parses = TESTS[name]
    response = http.post("/sparql", content=file.read_bytes(), headers={"Content-Type": QUERY})
    if name in NOT_ANSWERED:
        problem = response.json()
        assert (response.status_code, problem["detail"]) == (400, NOT_ANSWERED[name])
    elif parses and name.startswith(FEDERATED):
        assert response.status_code in {200, 403}  # with SILENT it has no bindings
    else:
        assert response.status_code == (200 if parses else 400), response.text


def test_every_test_is_run() -> None:
    assert len(TESTS) == 106
