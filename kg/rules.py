"""Derive: run the rules of ontology/rules/ in order, each into a graph of its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import NamedNode, Quad, QueryTriples, Store

from kg.resources import ONTOLOGY
from kg.vocab import DERIVED_GRAPHS, OVERLAY_GRAPHS, RULE


@dataclass(frozen=True, slots=True)
class Rule:
    """One CONSTRUCT rule; it reads the default graph, so never what another rule derived."""

    name: str
    file: str
    text: str

    @property
    def iri(self) -> NamedNode:
        """The rule as its derivations name it."""
        return NamedNode(RULE + self.name)

    @property
    def graph(self) -> NamedNode:
        """The graph that the rule fills."""
        return NamedNode(DERIVED_GRAPHS + self.name)

    @property
    def overlay_graph(self) -> NamedNode:
        """The graph of what the rule derives only with a user's own statements."""
        return NamedNode(f"{OVERLAY_GRAPHS}derived/{self.name}")


def read_rules(folder: Path = ONTOLOGY / "rules") -> tuple[Rule, ...]:
    """Read the rules in the order of their file names, ``NN-name.rq``."""
    return tuple(
        Rule(path.stem.partition("-")[2], path.name, path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.rq"))
    )


def derive(store: Store, rule: Rule, graph: NamedNode) -> Iterator[Quad]:
    """Yield what a rule derives from the default graph, as quads of a graph."""
    triples = store.query(rule.text)
    if not isinstance(triples, QueryTriples):
        raise TypeError(f"{rule.name} is not a CONSTRUCT query")
    found = [Quad(triple.subject, triple.predicate, triple.object, graph) for triple in triples]
    del triples  # pyoxigraph: results must die on the thread that made them
    yield from found
