"""Find, set-wise, the nodes that may break a shape's core constraints.

A finder may name a node that conforms, because pyshacl then decides; it must not leave one out that
does not. So it keeps a node that it cannot judge, and a shape that it does not know in full is
left to pyshacl with every node that it targets.
"""

from typing import Final

from pyoxigraph import NamedNode
from rdflib.namespace import SH

from kg.backend import Term
from kg.validation.components import COMPONENTS, MAX_COUNT, OF_EACH_VALUE, Check, Constraint
from kg.validation.data import Data, Value, as_value
from kg.validation.shapes import PATH, SPARQL, TARGETS, Said, Shapes, is_class
from kg.vocab import RA, RDF, RDFS, expand

# What is said of a shape that constrains nothing by itself.
_ABOUT: Final = frozenset(
    (
        *(NamedNode(term) for term in (SH.message, SH.severity, SH.name, SH.description)),
        *(NamedNode(term) for term in (SH.order, SH.group, SH.defaultValue)),
        *(NamedNode(term) for term in (SH.flags, SH.ignoredProperties)),  # of sh:pattern, sh:closed
        *(RDF.type, RDFS.label, RDFS.isDefinedBy, expand("rdfs:comment"), RA.rule, PATH, *TARGETS),
    )
)


def candidates(data: Data, shapes: Shapes, shape: NamedNode) -> set[Term] | None:
    """Return the nodes that may break a shape's core constraints.

    None says that only pyshacl can tell.
    """
    said = shapes.said[shape]
    components = said.keys() - _ABOUT - {SPARQL}
    if not components:
        return set()
    checks = {component: _check(data, shapes, said, component) for component in components}
    known = {component: check for component, check in checks.items() if check is not None}
    paths = said.get(PATH, ())
    if len(known) < len(checks) or is_class(said) or len(paths) > 1:
        return None
    nodes = data.targets(said)
    if not paths:
        alone = [*known.values()]
        return {node for node in nodes if not _conforms(alone, node, {as_value(node)})}
    if not isinstance(path := paths[0], NamedNode):
        return None
    values, extent = data.values(path), data.extent(path)
    # What all values together conform to, or the most values of a node, each node conforms to.
    left = [
        check
        for component, check in known.items()
        if not (component in OF_EACH_VALUE and check(shape, extent.values))
        and not (component == MAX_COUNT and check(shape, extent.most))
    ]
    return {node for node in nodes if not _conforms(left, node, values.get(node, set()))}


def _check(data: Data, shapes: Shapes, said: Said, component: NamedNode) -> Check | None:
    make = COMPONENTS.get(component)
    return make(Constraint(data, shapes, said, said[component])) if make else None


def _conforms(checks: list[Check], node: Term, values: set[Value]) -> bool:
    for check in checks:  # noqa: SIM110 - all() takes longer, and this is asked of every node
        if not check(node, values):
            return False
    return True
