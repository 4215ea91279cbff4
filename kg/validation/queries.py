"""Ask a SPARQL constraint of all nodes at once, and make its results of the solutions.

SHACL asks the query of each node by itself (section 5.3.1). Both ways give the same results where
the query joins nothing across nodes, which tests check for every shape; a sample is also checked
whenever there are results.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from pyoxigraph import Literal, NamedNode, QuerySolution, QuerySolutions
from rdflib.namespace import SH

from kg.backend import Term
from kg.errors import ShapesError
from kg.validation.data import Data, as_value
from kg.validation.engine import Engine, said_by
from kg.validation.results import Result
from kg.validation.shapes import PATH, SELECT, SPARQL, Shapes, is_class
from kg.vocab import ID, PREFIXES, RDF

_COMPONENT: Final = NamedNode(SH.SPARQLConstraintComponent)
_MESSAGE: Final = NamedNode(SH.message)
# A node that no data have: with it, pyshacl loads a shape that has nothing to check.
_NOWHERE: Final = NamedNode(f"{ID}nowhere")
_SEVERITY: Final = NamedNode(SH.severity)
# What may be said of a constraint, or projected by its query, for it to be asked set-wise.
_KNOWN: Final = frozenset((RDF.type, SELECT, _MESSAGE, NamedNode(SH.prefixes)))
_NODE_BY_NODE: Final = re.compile(r"[$?](PATH|shapesGraph|currentShape|failure)\b")
_VARIABLE: Final = re.compile(r"\{[$?](\w+)\}")


def query_results(data: Data, shapes: Shapes, engine: Engine) -> set[Result]:
    """Return the results of SPARQL constraints.

    pyshacl loads every shape for it, whether or not the data have a node that it targets.

    Raises:
        ShapesError: a shape is not usable, or its query means something else when it is asked of
            all nodes at once.
    """
    results: set[Result] = set()
    samples: dict[NamedNode, Term] = {}
    targets: dict[NamedNode, Collection[Term] | None] = {}
    for shape in shapes.targeted():
        constraints = shapes.said[shape].get(SPARQL, ())
        if is_class(shapes.said[shape]) or not all(_is_set_wise(shapes, c) for c in constraints):
            targets[shape] = None
            continue
        nodes = data.targets(shapes.said[shape]) if constraints else set()
        found = [r for c in constraints for r in _results(data, shapes, shape, c)]
        kept = {result for result in found if result.focus in nodes}
        samples[shape] = min((result.focus for result in kept), key=str, default=_NOWHERE)
        targets[shape] = (samples[shape],)
        results |= kept
    asked = {r for r in engine.results(targets, sparql=True) if r.focus != _NOWHERE}
    _compare(asked, results, samples)
    return results | {result for result in asked if result.shape not in samples}


def _is_set_wise(shapes: Shapes, constraint: Term) -> bool:
    said = shapes.said.get(constraint, {})
    texts = [text for text in said.get(SELECT, ()) if isinstance(text, Literal)]
    return said.keys() <= _KNOWN and len(texts) == 1 and not _NODE_BY_NODE.search(texts[0].value)


def _results(data: Data, shapes: Shapes, shape: NamedNode, constraint: Term) -> Iterator[Result]:
    said, about = shapes.said[shape], shapes.said[constraint]
    severity = next(iter(said.get(_SEVERITY, ())), NamedNode(SH.Violation))
    if not isinstance(severity, NamedNode):
        raise ShapesError(f"{shape.value}: sh:severity is no IRI")
    paths = [path for path in said.get(PATH, ()) if isinstance(path, NamedNode)]
    messages = {*about.get(_MESSAGE, ()), *said.get(_MESSAGE, ())}
    query = about[SELECT][0]
    for solution in _solutions(data, shape, query.value if isinstance(query, Literal) else ""):
        found = dict(solution)
        focus = found.get("this")
        if focus is None:
            raise ShapesError(f"{shape.value}: sh:select does not give $this")
        value = found.get("value") or (None if PATH in said else focus)
        bound = found if value is None else {**found, "value": value}
        yield Result(
            rule=shapes.rules[shape],
            severity=severity,
            focus=focus,
            path=found.get("path") or next(iter(paths), None),
            value=value,
            component=_COMPONENT,
            shape=shape,
            message=said_by(_filled(messages, bound)),
        )


def _solutions(data: Data, shape: NamedNode, text: str) -> Iterator[dict[str, Term]]:
    try:
        solutions = data.store.query(text, prefixes=PREFIXES)
        if not isinstance(solutions, QuerySolutions):
            raise ShapesError(f"{shape.value}: sh:select is not a SELECT query")
        names = [variable.value for variable in solutions.variables]
        for solution in solutions:
            yield _bound(solution, names)
    except SyntaxError as error:
        raise ShapesError(f"{shape.value}: {error}") from error


def _bound(solution: QuerySolution, names: Iterable[str]) -> dict[str, Term]:
    return {name: term for name in names if (term := solution[name]) is not None}


def _filled(messages: Iterable[Term], found: dict[str, Term]) -> Iterator[Literal]:
    """Put what a solution binds in place of ``{?variable}``, as SHACL does in messages."""

    def fill(match: re.Match[str]) -> str:
        term = found.get(match[1])
        if term is None:
            return match[0]
        return term.value if isinstance(term, NamedNode | Literal) else str(term)

    for message in messages:
        if isinstance(message, Literal):
            yield Literal(_VARIABLE.sub(fill, message.value))


def _compare(asked: set[Result], results: set[Result], samples: Mapping[NamedNode, Term]) -> None:
    """Compare what pyshacl says of a sample of each shape."""
    alone, together = _parts(asked, samples), _parts(results, samples)
    for shape, _ in sorted(alone ^ together, key=str):
        raise ShapesError(f"{shape.value}: its query means something else node by node")


def _parts(
    results: Iterable[Result], samples: Mapping[NamedNode, Term]
) -> set[tuple[NamedNode, tuple[object, ...]]]:
    """Return what results say of samples, without the message: rdflib rewrites some literals."""
    return {
        (
            result.shape,
            (result.path, None if result.value is None else as_value(result.value)),
        )
        for result in results
        if result.component == _COMPONENT and samples.get(result.shape) == result.focus
    }
