"""Run pyshacl: a shape on given focus nodes, or on every node that it targets."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

import pyshacl
from oxrdflib import OxigraphStore
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Store, parse
from pyshacl.errors import ReportableRuntimeError
from rdflib import Graph
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.namespace import SH, NamespaceManager

from kg.backend import Term
from kg.errors import ShapesError
from kg.validation.results import Result
from kg.validation.shapes import Shapes, Targets
from kg.vocab import RDF

_Found: TypeAlias = Mapping[NamedNode, tuple[Term, ...]]

_COMPONENT: Final = NamedNode(SH.sourceConstraintComponent)
_FOCUS: Final = NamedNode(SH.focusNode)
_MESSAGE: Final = NamedNode(SH.resultMessage)
_PATH: Final = NamedNode(SH.resultPath)
_RESULT: Final = NamedNode(SH.ValidationResult)
_SEVERITY: Final = NamedNode(SH.resultSeverity)
_SHAPE: Final = NamedNode(SH.sourceShape)
_VALUE: Final = NamedNode(SH.value)

# What pyshacl raises of shapes that it cannot use; its own errors are runtime errors.
_FAILURES: Final = (*(RuntimeError, AssertionError, SyntaxError, TypeError, ValueError, re.error),)


class _Store(OxigraphStore):
    """A store whose size is not counted: pyshacl asks for it three times for each result."""

    def __len__(self, context: Graph | None = None) -> int:
        return 1


class _Names(NamespaceManager):
    """Names of the data as they are: pyshacl's text, which nobody reads, would shorten each."""

    def normalizeUri(self, rdfTerm: str) -> str:  # noqa: N802, N803 - rdflib's names
        return f"<{rdfTerm}>"


class Engine:
    """pyshacl over the default graph of one store, with one set of shapes."""

    def __init__(self, store: Store, shapes: Shapes) -> None:
        """Take shapes that a result can name."""
        self._shapes = shapes
        self._data = Graph(store=_Store(store=store), identifier=DATASET_DEFAULT_GRAPH_ID)
        self._data.namespace_manager = _Names(self._data, bind_namespaces="none")

    def results(self, targets: Targets, *, sparql: bool) -> set[Result]:
        """Return the results of shapes on the nodes given for each; None is its own targets.

        The nodes are given as sh:targetNode: pyshacl's own options for chosen shapes and nodes
        pass over the shapes that a chosen one refers to.

        Raises:
            ShapesError: a shape is not usable, or pyshacl fails; the message names the shape.
        """
        if not targets:
            return set()
        try:
            return self._run(targets, sparql=sparql)
        except _FAILURES as error:
            for shape, nodes in targets.items():
                self._run_alone(shape, nodes, sparql=sparql)
            raise ShapesError(str(error)) from error

    def _run_alone(self, shape: NamedNode, nodes: Collection[Term] | None, *, sparql: bool) -> None:
        try:
            self._run({shape: nodes}, sparql=sparql)
        except _FAILURES as error:
            raise ShapesError(f"{shape.value}: {error}") from error

    def _run(self, targets: Targets, *, sparql: bool) -> set[Result]:
        shapes = self._shapes.graph(sparql=sparql, targets=targets)
        _, report, text = pyshacl.validate(self._data, shacl_graph=shapes, inplace=True)
        if not isinstance(report, Graph):  # a ValidationFailure: nothing has been checked
            raise ReportableRuntimeError(text)
        return {_read_result(found, self._shapes) for found in _read_report(report)}


def _read_report(report: Graph) -> Iterator[_Found]:
    found: dict[Term, dict[NamedNode, tuple[Term, ...]]] = {}
    for quad in parse(report.serialize(format="nt"), format=RdfFormat.N_TRIPLES):
        node = found.setdefault(quad.subject, {})
        node[quad.predicate] = (*node.get(quad.predicate, ()), quad.object)
    return (node for node in found.values() if _RESULT in node.get(RDF.type, ()))


def _read_result(found: _Found, shapes: Shapes) -> Result:
    one = {predicate: terms[0] for predicate, terms in found.items()}
    shape, severity, component = one[_SHAPE], one[_SEVERITY], one[_COMPONENT]
    if not isinstance(shape, NamedNode) or shape not in shapes.rules:
        raise ShapesError(f"{shape}: a shape with constraints has an IRI and an ra:rule")
    if not isinstance(severity, NamedNode) or not isinstance(component, NamedNode):
        raise ShapesError(f"{shape.value}: sh:severity is no IRI")
    path = one.get(_PATH)
    return Result(
        rule=shapes.rules[shape],
        severity=severity,
        focus=one[_FOCUS],
        path=None if isinstance(path, BlankNode) else path,  # a path that is no predicate
        value=one.get(_VALUE),
        component=component,
        shape=shape,
        message=said_by(found.get(_MESSAGE, ())),
    )


def said_by(messages: Iterable[Term]) -> str:
    """Return what messages say, in order; a shape and its constraint may each have one."""
    texts = {message.value for message in messages if isinstance(message, Literal)}
    return " ".join(sorted(texts))
