"""SPARQL 1.1 Graph Store Protocol: the W3C's requests, against the state that its writes leave.

The store is read-only. Each write of a test is refused, and made here in a model of the store
instead; each read is asked of a server of what the model then holds.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    DefaultGraph,
    NamedNode,
    Quad,
    RdfFormat,
    Triple,
    parse,
    serialize,
)
from rdflib import Graph, URIRef
from rdflib.collection import Collection
from rdflib.namespace import RDF, Namespace
from rdflib.term import Node

from api.graph_store import ALLOW, PATH
from kg.backend import Term
from tests.http_server import serving_dataset
from tests.w3c import ABSENT, SUITES

MANIFESTS: Final = sorted((SUITES / "graph-store-protocol").glob("manifest-*.ttl"))
MF: Final = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
HT: Final = Namespace("http://www.w3.org/2011/http#")
CNT: Final = Namespace("http://www.w3.org/2011/content#")
HOST: Final = "www.example"
# How the suite's statuses, hts:…, are numbered; those of its reads alone.
STATUSES: Final = {"OK": 200, "NotFound": 404}
WRITES: Final = frozenset({"DELETE", "POST", "PUT"})
# Where the model puts a graph that the store is to name itself.
LOCATION: Final = f"http://{HOST}/new"

pytestmark = pytest.mark.skipif(not MANIFESTS, reason=ABSENT)


@dataclass(slots=True)
class Model:
    """What the store would hold; blank nodes of each body are apart."""

    quads: set[Quad] = field(default_factory=set)
    bodies: int = 0

    def write(self, method: str, graph: NamedNode | DefaultGraph, bodies: list[str]) -> None:
        if method in {"DELETE", "PUT"}:
            self.quads = {quad for quad in self.quads if quad.graph_name != graph}
        for text in bodies:
            self.bodies += 1
            for triple in _turtle(text):
                nodes = [self._apart(node) for node in (triple.subject, triple.object)]
                self.quads.add(Quad(nodes[0], triple.predicate, nodes[1], graph))  # type: ignore[arg-type]  # it was a subject before

    def _apart(self, term: Term) -> Term:
        return BlankNode(f"b{self.bodies}x{term.value}") if isinstance(term, BlankNode) else term

    def n_quads(self) -> bytes:
        written = serialize(self.quads, format=RdfFormat.N_QUADS) or b""
        return b"".join(sorted(written.splitlines(keepends=True)))


class Servers:
    """A running server for each state, started when it is first asked."""

    def __init__(self, folder: Path, running: ExitStack) -> None:
        """Keep what runs, and its files, until the tests end."""
        self.folder, self.running = folder, running
        self.clients: dict[bytes, httpx2.Client] = {}

    def of(self, model: Model) -> httpx2.Client:
        state = model.n_quads()
        if state not in self.clients:
            file = self.folder / f"state-{len(self.clients)}.nq"
            file.write_bytes(state)
            address = self.running.enter_context(serving_dataset([file]))
            client = httpx2.Client(base_url=address, headers={"Host": HOST})
            self.clients[state] = self.running.enter_context(client)
        return self.clients[state]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with ExitStack() as running:
        yield Servers(tmp_path_factory.mktemp("w3c"), running)


def _manifest() -> Graph:
    graph = Graph()
    for manifest in MANIFESTS:
        graph.parse(manifest)
    return graph


GRAPH: Final = _manifest()
# Each that is described: head_non_existing_direct is, but no list of entries has it.
TESTS: Final = sorted(
    test for test in GRAPH.subjects(RDF.type, MF.GraphStoreProtocolTest) if isinstance(test, URIRef)
)


def _name(test: Node) -> str:
    return str(test).rpartition("#")[2]


@pytest.mark.parametrize("test", TESTS, ids=_name)
def test_graph_store(test: URIRef, servers: Servers) -> None:
    model = Model()
    requests = GRAPH.value(GRAPH.value(test, MF.action), HT.requests)
    assert requests is not None
    for request in Collection(GRAPH, requests):
        response = _send(servers.of(model), request)
        method = str(GRAPH.value(request, HT.methodName))
        if method not in WRITES:
            _check(response, request)
            continue
        assert response.status_code == 405
        assert response.headers["Allow"] == ALLOW
        model.write(method, _graph(request), _bodies(request))


def _send(client: httpx2.Client, request: Node) -> httpx2.Response:
    body = GRAPH.value(request, HT.body)
    return client.request(
        str(GRAPH.value(request, HT.methodName)),
        _target(request),
        content=str(GRAPH.value(body, CNT.chars)).encode() if body else None,
        headers=_headers(request),
    )


def _target(request: Node) -> str:
    target = str(GRAPH.value(request, HT.absolutePath)).replace("$LOCATION$", LOCATION)
    return target.replace("/gsp", PATH, 1)


def _graph(request: Node) -> NamedNode | DefaultGraph:
    target = urlsplit(_target(request))
    parameters = parse_qs(target.query, keep_blank_values=True)
    if "default" in parameters:
        return DefaultGraph()
    if "graph" in parameters:
        return NamedNode(parameters["graph"][0])
    return NamedNode(LOCATION if target.path == PATH else f"http://{HOST}{target.path}")


def _bodies(request: Node) -> list[str]:
    """Return the texts of a request, which is one message or one of many parts."""
    body = GRAPH.value(request, HT.body)
    head = "".join(f"{name}: {value}\r\n" for name, value in _headers(request).items())
    text = str(GRAPH.value(body, CNT.chars)) if body else ""
    parts = message_from_string(f"{head}\r\n{text}").walk()
    return [_payload(part) for part in parts if not part.is_multipart()]


def _payload(part: Message) -> str:
    payload = part.get_payload()
    assert isinstance(payload, str)
    return payload


def _headers(described: Node) -> dict[str, str]:
    listed = GRAPH.value(described, HT.headers)
    return {
        str(GRAPH.value(header, HT.fieldName)): str(GRAPH.value(header, HT.fieldValue))
        for header in (Collection(GRAPH, listed) if listed else ())
    }


def _check(response: httpx2.Response, request: Node) -> None:
    expected = GRAPH.value(request, HT.resp)
    assert expected is not None
    statuses = {_name(status) for status in GRAPH.objects(expected, MF.expectedStatus)}
    assert response.status_code in {STATUSES[status] for status in statuses}, response.text
    for name, value in _headers(expected).items():
        assert response.headers[name].partition(";")[0] == value.partition(";")[0]
    if (body := GRAPH.value(expected, HT.body)) is not None:
        chars = str(GRAPH.value(body, CNT.chars))
        assert _canonical(_turtle(response.text)) == _canonical(_turtle(chars))
    if str(GRAPH.value(request, HT.methodName)) == "HEAD":
        assert response.content == b""


def _turtle(text: str) -> list[Triple]:
    return [quad.triple for quad in parse(text, format=RdfFormat.TURTLE)]


def _canonical(triples: list[Triple]) -> list[str]:
    dataset = Dataset(Quad(t.subject, t.predicate, t.object) for t in triples)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return sorted(str(quad.triple) for quad in dataset)


def test_every_test_is_run() -> None:
    assert len(TESTS) == 14
    methods = [str(method) for method in GRAPH.objects(None, HT.methodName)]
    assert Counter(methods) == {"DELETE": 4, "GET": 15, "HEAD": 4, "POST": 5, "PUT": 12}
