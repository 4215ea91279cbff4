"""Read the data of a validation set-wise: the nodes of a target, the values of a predicate."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TypeAlias

import rdflib
from pyoxigraph import DefaultGraph, Literal, NamedNode, Store, Triple

from kg.backend import Term
from kg.validation.shapes import (
    TARGET_CLASS,
    TARGET_NODE,
    TARGET_SUBJECTS_OF,
    TARGETS,
    Said,
    Shapes,
)
from kg.vocab import RDF, RDFS, XSD

Value: TypeAlias = Term | rdflib.Literal

_DEFAULT = DefaultGraph()


@dataclass(frozen=True, slots=True)
class Extent:
    """All values of a predicate, and those of a node that has the most."""

    values: Set[Value]
    most: Set[Value]


class Data:
    """A store's default graph, each predicate and each class of which is read once."""

    def __init__(self, store: Store) -> None:
        """Read from a store that does not change meanwhile."""
        self.store = store
        self._values: dict[NamedNode, dict[Term, set[Value]]] = {}
        self._extents: dict[NamedNode, Extent] = {}
        self._instances: dict[Term, frozenset[Term]] = {}

    def values(self, predicate: NamedNode) -> Mapping[Term, set[Value]]:
        """Return the value nodes of a predicate by their focus node."""
        found = self._values.get(predicate)
        if found is None:
            found = self._values[predicate] = {}
            for quad in self.store.quads_for_pattern(None, predicate, None, _DEFAULT):
                found.setdefault(quad.subject, set()).add(as_value(quad.object))
        return found

    def extent(self, predicate: NamedNode) -> Extent:
        """Return what a predicate's values are, whatever their focus nodes."""
        found = self._extents.get(predicate)
        if found is None:
            values = self.values(predicate).values()
            every: set[Value] = set().union(*values)
            found = self._extents[predicate] = Extent(every, max(values, key=len, default=set()))
        return found

    def instances(self, class_: Term) -> frozenset[Term]:
        """Return the SHACL instances of a class: those of its subclasses too."""
        found = self._instances.get(class_)
        if found is None:
            found = self._instances[class_] = frozenset(
                quad.subject
                for kind in self._with_subclasses(class_)
                for quad in self.store.quads_for_pattern(None, RDF.type, kind, _DEFAULT)
            )
        return found

    def _with_subclasses(self, class_: Term) -> list[Term]:
        found = [class_]
        for kind in found:
            quads = self.store.quads_for_pattern(None, RDFS.subClassOf, kind, _DEFAULT)
            found += (quad.subject for quad in quads if quad.subject not in found)
        return found

    def predicates(self, node: Term) -> set[NamedNode]:
        """Return the predicates of what is said of a node."""
        if isinstance(node, Literal | Triple):
            return set()
        quads = self.store.quads_for_pattern(node, None, None, _DEFAULT)
        return {quad.predicate for quad in quads}

    def targets(self, said: Said) -> Set[Term]:
        """Return the nodes that a shape's target declarations choose."""
        chosen = [
            self._targets(predicate, target)
            for predicate in TARGETS.intersection(said)
            for target in said[predicate]
        ]
        return chosen[0] if len(chosen) == 1 else frozenset().union(*chosen)

    def _targets(self, predicate: NamedNode, target: Term) -> Set[Term]:
        if predicate == TARGET_NODE:
            return {target}
        if predicate == TARGET_CLASS:
            return self.instances(target)
        if not isinstance(target, NamedNode):
            return frozenset()
        if predicate == TARGET_SUBJECTS_OF:
            return self.values(target).keys()
        quads = self.store.quads_for_pattern(None, target, None, _DEFAULT)
        return {quad.object for quad in quads}

    def focus_nodes(self, shapes: Shapes) -> set[Term]:
        """Return the nodes that any shape targets."""
        chosen = {
            (triple.predicate, triple.object)
            for triple in shapes.triples
            if triple.predicate in TARGETS
        }
        return set().union(*(self._targets(*target) for target in chosen))


def as_value(term: Term) -> Value:
    """Return what compares as pyshacl's own terms do: rdflib rewrites a literal such as 01."""
    if not isinstance(term, Literal) or term.datatype == XSD.string:
        return term
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    return rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value))


def focus_nodes(store: Store, shapes: Shapes) -> set[Term]:
    """Return the nodes of a store's default graph that shapes target."""
    return Data(store).focus_nodes(shapes)
