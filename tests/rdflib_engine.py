"""The second engine: rdflib over the same quads, for answers that must not depend on the store."""

from collections.abc import Mapping

import rdflib
from pyoxigraph import DefaultGraph, Literal, NamedNode, RdfFormat, Store, serialize

from kg.backend import Row, Term


def load(store: Store) -> rdflib.Dataset:
    """Copy every quad of a store, default graph and named graphs, into rdflib."""
    dataset = rdflib.Dataset(default_union=False)
    named = [quad for quad in store if quad.graph_name != DefaultGraph()]
    default = [quad for quad in store if quad.graph_name == DefaultGraph()]
    dataset.parse(data=serialize(named, format=RdfFormat.N_QUADS), format="nquads")
    triples = [quad.triple for quad in default]
    dataset.default_graph.parse(data=serialize(triples, format=RdfFormat.N_TRIPLES), format="nt")
    return dataset


def select(dataset: rdflib.Dataset, query: str, bindings: Mapping[str, Term]) -> list[Row]:
    """Run a SELECT query, its variables bound to terms, and return its rows in their order."""
    result = dataset.query(
        query, initBindings={name: _to_rdflib(term) for name, term in bindings.items()}
    )
    rows = []
    for solution in result.bindings:
        bound = {str(name): term for name, term in solution.items() if term is not None}
        row = {name: _from_rdflib(term) for name, term in bound.items()}
        rows.append({**{name: bindings[name] for name in bindings}, **row})
    return rows


def _to_rdflib(term: Term) -> rdflib.term.Identifier:
    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    if isinstance(term, Literal):
        return rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value))
    raise TypeError(term)


def _from_rdflib(term: rdflib.term.Identifier) -> Term:
    if isinstance(term, rdflib.URIRef):
        return NamedNode(str(term))
    if isinstance(term, rdflib.Literal):
        if term.datatype is None or str(term.datatype).endswith("#string"):
            return Literal(str(term), language=term.language)
        return Literal(str(term), datatype=NamedNode(str(term.datatype)))
    raise TypeError(term)
