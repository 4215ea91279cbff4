"""Graph Store HTTP Protocol over real HTTP: one graph is read, and nothing is written."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx2
import pytest
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, parse

from kg.backend import StoreBackend
from kg.snapshot import Snapshot
from tests.http_server import serving, serving_dataset

ONTOLOGY: Final = "https://w3id.org/runatlas/graph/ontology"


@pytest.fixture(scope="module")
def http(backend: StoreBackend) -> Iterator[httpx2.Client]:
    with serving(backend) as address, httpx2.Client(base_url=address, timeout=30) as client:
        yield client


@pytest.mark.parametrize("graph", [ONTOLOGY, None])
@pytest.mark.parametrize(
    "format_", [RdfFormat.TURTLE, RdfFormat.N_TRIPLES, RdfFormat.JSON_LD, RdfFormat.RDF_XML]
)
def test_a_graph_is_read_whole(
    http: httpx2.Client, snapshot: Snapshot, graph: str | None, format_: RdfFormat
) -> None:
    response = http.get(
        "/graph-store",
        params={"graph": graph} if graph else {"default": ""},
        headers={"Accept": format_.media_type},
    )
    assert response.headers["content-type"] == format_.media_type
    if graph and format_ == RdfFormat.N_TRIPLES:
        stated = snapshot.store.quads_for_pattern(None, None, None, NamedNode(graph))
        expected = {str(Quad(*quad.triple)) for quad in stated}
        assert {str(quad) for quad in parse(response.content, format=format_)} == expected


def test_a_graph_that_is_not_there_is_named(http: httpx2.Client) -> None:
    response = http.get("/graph-store", params={"graph": "urn:none"})
    assert response.status_code == 404
    assert response.json()["detail"] == "There is no graph urn:none."


def test_head_and_tag_are_those_of_a_query(http: httpx2.Client) -> None:
    get = http.get("/graph-store", params={"graph": ONTOLOGY})
    head = http.head("/graph-store", params={"graph": ONTOLOGY})
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["ETag"] == get.headers["ETag"]
    again = http.get(
        "/graph-store", params={"graph": ONTOLOGY}, headers={"If-None-Match": get.headers["ETag"]}
    )
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/graph-store", 400),
        ("/graph-store?default&graph=urn:a", 400),
        ("/graph-store?graph=urn:a&graph=urn:b", 400),
        ("/graph-store?graf=urn:a", 400),
        ("/graph-store?graph=urn:absent", 404),
        ("/graph-store?graph=", 404),
        ("/graph-store/absent", 404),
        ("/graph-store/absent?default", 400),
        ("/graph-store?default&format=csv", 406),
        ("/graph-store?default&format=yaml", 400),
    ],
)
def test_what_names_no_graph(http: httpx2.Client, address: str, status: int) -> None:
    response = http.get(address)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", ["PUT", "POST", "PATCH", "DELETE"])
@pytest.mark.parametrize("address", ["/graph-store?default", "/graph-store/any"])
def test_nothing_is_written(http: httpx2.Client, method: str, address: str) -> None:
    response = http.request(method, address, content=b"")
    assert response.status_code == 405
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS"


def test_an_address_names_its_graph(tmp_path: Path) -> None:
    """The address is that of the request, so it is known before the server only by its host."""
    file = tmp_path / "data.nq"
    file.write_text('<urn:s> <urn:p> "1" <http://data.example/graph-store/one> .\n')
    with serving_dataset([file]) as address:
        found = httpx2.get(f"{address}/graph-store/one", headers={"Host": "data.example"})
        absent = httpx2.get(f"{address}/graph-store/two", headers={"Host": "data.example"})
    assert (found.status_code, absent.status_code) == (200, 404)
    assert b'<urn:s> <urn:p> "1"' in found.content


def test_the_catalog_counts_the_triples_that_there_are(
    http: httpx2.Client, snapshot: Snapshot
) -> None:
    catalog = list(parse(http.get("/.well-known/void").content, format=RdfFormat.TURTLE))
    counted = {
        quad.subject.value: int(quad.object.value)
        for quad in catalog
        if quad.predicate.value.endswith("void#triples")
        and isinstance(quad.subject, NamedNode)
        and isinstance(quad.object, Literal)
        and "/graph/" in quad.subject.value
    }
    assert ONTOLOGY in counted
    for graph, count in counted.items():
        stated = snapshot.store.quads_for_pattern(None, None, None, NamedNode(graph))
        assert len(list(stated)) == count, graph


def test_the_catalog_is_only_read(http: httpx2.Client) -> None:
    assert http.post("/.well-known/void").status_code == 405
    assert http.head("/.well-known/void").headers["content-type"] == "text/turtle"
