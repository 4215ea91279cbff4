"""Time validation on renamed copies of the data: how it grows, and what plain pyshacl takes.

``make bench`` prints CPU seconds for 1, 10, 30 and 100 copies, clean and with rules broken in each
copy, the exponent by which time grows between neighbouring sizes, and plain pyshacl on one copy
of the same data in the same run. The registry (platforms, products, software …) and the
curated readings of words stay one.
"""

import gc
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import pyshacl
from oxrdflib import OxigraphStore
from pyoxigraph import Literal, NamedNode, Quad, Store
from rdflib import Graph
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from kg.build import assemble
from kg.snapshot import Place
from kg.store import is_asserted
from kg.validation import ASSERTED, DERIVED, WARNINGS, asserted, derived, read_shapes, validate
from kg.vocab import CATALOG_GRAPH, ID, ONTOLOGY_GRAPH, RA, RDF, expand

COPIES: Final = (1, 10, 30, 100)
DOCUMENTS: Final = ("cloud-ai-100", "model-support")
REGISTRY: Final = frozenset(
    (
        *("component", "curated-row", "feature", "generation", "integration", "organisation"),
        "platform",
        *("precision", "product", "vendor"),
    )
)
# Texts that are renamed too, so that no copy meets another: an IRI follows from its id (rule R25),
# statements are joined on keys, families on labels (rule R27).
_KEYS: Final = frozenset((RA.foldedLabel, RA.repositoryId, RA.statementKey))
# One in so many nodes of a class loses every value of a predicate, or gets one more.
LOST: Final = (
    (RA.SupportPath, 5, RA.limitation),
    (RA.SupportPath, 7, RA.outcome),
    (RA.SupportPath, 9, RA.evidence),
    (RA.ModelStatement, 9, RA.rowKey),
    (RA.Evidence, 5, RA.claim),
    (RA.Checkpoint, 9, RA.repositoryId),
    (RA.CompatibilityInference, 5, RA.premise),
)
ADDED: Final = (
    (RA.SupportPath, 11, RA.position, Literal(3)),
    (RA.SupportPath, 4, RA.onProduct, NamedNode(f"{ID}product/mi300x")),
    (RA.Checkpoint, 8, expand("owl:sameAs"), NamedNode(f"{ID}checkpoint/openai/gpt-oss-120b")),
    (RA.Evidence, 6, RA.evidenceType, RA.IndependentTestReport),
    (RA.Exclusion, 2, RA.exclusionText, Literal("It takes 35 ms.")),
)


def originals(store: Store) -> list[Quad]:
    """Return what is copied: all but the catalog and the ontology, asserted quads twice.

    As in what is built, the default graph holds those of the asserted graphs.
    """
    quads = []
    for quad in store:
        graph = quad.graph_name
        if isinstance(graph, NamedNode) and graph not in (CATALOG_GRAPH, ONTOLOGY_GRAPH):
            quads.append(quad)
            if is_asserted(graph):
                quads.append(Quad(*quad.triple))
    return sorted(set(quads), key=str)


def broken(quads: list[Quad]) -> list[Quad]:
    """Return quads in which some nodes of each class break rules of it."""
    graphs: dict[Any, dict[Any, list[Any]]] = {}
    for quad in quads:
        if quad.predicate == RDF.type:
            typed = graphs.setdefault(quad.object, {})
            typed.setdefault(quad.subject, []).append(quad.graph_name)
    nodes = {kind: list(typed) for kind, typed in graphs.items()}
    lost = {(n, predicate) for kind, step, predicate in LOST for n in nodes[kind][::step]}
    kept = [quad for quad in quads if (quad.subject, quad.predicate) not in lost]
    for kind, step, predicate, term in ADDED:
        kept += (
            Quad(node, predicate, term, graph)
            for node in nodes[kind][::step]
            for graph in graphs[kind][node]
        )
    return kept


def copies(quads: list[Quad], ontology: list[Quad], count: int) -> Store:
    """Return a store of the quads and of renamed copies of them."""
    store = Store()
    store.bulk_extend(ontology)
    store.bulk_extend(quads)
    for number in range(1, count):
        store.bulk_extend(_renamed(quads, f"copy{number}-"))
    return store


def copied_places(places: Mapping[str, set[Place]], count: int) -> dict[str, set[Place]]:
    """Return the places of what is copied: a copy is stated where its original is."""
    prefixes = ("", *(f"copy{number}-" for number in range(1, count)))
    return {_named(iri, prefix): found for prefix in prefixes for iri, found in places.items()}


def _renamed(quads: list[Quad], prefix: str) -> Iterator[Quad]:
    def renamed(term: Any) -> Any:
        return NamedNode(_named(term.value, prefix)) if isinstance(term, NamedNode) else term

    for quad in quads:
        value = renamed(quad.object)
        if quad.predicate in _KEYS and isinstance(value, Literal):
            value = Literal(prefix + value.value)
        yield Quad(renamed(quad.subject), quad.predicate, value, quad.graph_name)


def _named(iri: str, prefix: str) -> str:
    kind, _, keys = iri.removeprefix(ID).partition("/")
    return iri if not iri.startswith(ID) or kind in REGISTRY else f"{ID}{kind}/{prefix}{keys}"


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of a run, and its outcome."""
    gc.collect()
    start = time.process_time()
    outcome = run()
    return time.process_time() - start, outcome


def plain(store: Store) -> None:
    """Check the same shapes by pyshacl alone: every constraint, node by node."""
    seen = Store()
    for folders, quads in (((ASSERTED, WARNINGS), asserted(store)), ((DERIVED,), derived(store))):
        seen.bulk_extend(quads)
        shapes = read_shapes(file for folder in folders for file in folder.glob("*.ttl"))
        graph = Graph(OxigraphStore(store=seen), DATASET_DEFAULT_GRAPH_ID)
        pyshacl.validate(graph, shacl_graph=shapes.graph(sparql=True), inplace=True)


def main() -> None:
    """Print the table."""
    write = sys.stdout.write
    built = assemble(only=DOCUMENTS)
    quads = originals(built.store)
    ontology = [
        Quad(*quad.triple)
        for quad in built.store.quads_for_pattern(None, None, None, ONTOLOGY_GRAPH)
    ]
    write(f"{'validation':12} {'copies':>6} {'quads':>8} {'results':>8} {'CPU s':>7}  exponent\n")
    for title, copied in (("clean", quads), ("broken", broken(quads))):
        before: tuple[int, float] | None = None
        for count in COPIES:
            store = copies(copied, ontology, count)
            places = copied_places(built.places, count)
            seconds, report = timed(partial(validate, store, places))
            growth = ""
            if before:
                growth = f"{math.log(seconds / before[1]) / math.log(count / before[0]):.2f}"
            before = count, seconds
            results = len(report.results)
            write(f"{title:12} {count:6} {len(store):8} {results:8} {seconds:7.2f}  {growth:>8}\n")
        store = copies(copied, ontology, 1)
        ours, _ = timed(partial(validate, store, built.places))
        theirs, _ = timed(partial(plain, store))
        write(f"{title:12} plain pyshacl on one copy: {theirs:.2f} s, {theirs / ours:.1f} times\n")


if __name__ == "__main__":
    main()
