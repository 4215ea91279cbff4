"""The core constraint components that can be judged set-wise, each by its parameter.

Each makes a check of a focus node and its value nodes. True promises that pyshacl finds nothing;
False says only that it may.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from operator import ge, gt, le, lt
from typing import Any, Final, TypeAlias

import rdflib
from pyoxigraph import BlankNode, Literal, NamedNode
from rdflib.namespace import SH

from kg.backend import Term
from kg.validation.data import Data, Value, as_value
from kg.validation.shapes import Said, Shapes
from kg.vocab import RDF, RDFS, XSD

Check: TypeAlias = Callable[[Term, Collection[Value]], bool]

_FLAGS: Final = {"i": re.IGNORECASE, "m": re.MULTILINE}
# What may stand beside sh:class in a shape that sh:not refers to.
_ABOUT: Final = frozenset((RDF.type, RDFS.label, NamedNode(SH.message), NamedNode(SH.severity)))
_CLASS: Final = NamedNode(SH["class"])
_KINDS: Final = {
    NamedNode(SH.IRI): (NamedNode,),
    NamedNode(SH.BlankNode): (BlankNode,),
    NamedNode(SH.Literal): (Literal, rdflib.Literal),
    NamedNode(SH.BlankNodeOrIRI): (BlankNode, NamedNode),
    NamedNode(SH.IRIOrLiteral): (NamedNode, Literal, rdflib.Literal),
}
# Datatypes of which pyshacl asks nothing but the name.
_UNCHECKED: Final = frozenset((XSD.anyURI, XSD.string))
_VALUES: Final = {
    XSD.boolean: bool,
    XSD.date: date,
    XSD.dateTime: datetime,
    XSD.integer: int,
}


@dataclass(frozen=True, slots=True)
class Constraint:
    """One parameter of one shape: its values, and what they are to be seen with."""

    data: Data
    shapes: Shapes
    said: Said
    values: tuple[Term, ...]

    def only(self) -> Term | None:
        """Return the parameter's value if it has just one."""
        return self.values[0] if len(self.values) == 1 else None

    def number(self) -> int | None:
        """Return the parameter's value if it is just one whole number."""
        value = self.only()
        if not isinstance(value, Literal) or value.datatype != XSD.integer:
            return None
        return int(value.value) if re.fullmatch(r"\d{1,9}", value.value) else None


def _class(constraint: Constraint) -> Check:
    wanted = [constraint.data.instances(class_) for class_ in constraint.values]
    return lambda _, values: all(nodes.issuperset(values) for nodes in wanted)


def _not(constraint: Constraint) -> Check | None:
    """Judge the negation of a shape that asks for one class and for nothing else."""
    excluded = []
    for shape in constraint.values:
        said = constraint.shapes.said.get(shape, {})
        classes = said.get(_CLASS, ())
        if len(classes) != 1 or said.keys() - _ABOUT - {_CLASS}:
            return None
        excluded.append(constraint.data.instances(classes[0]))
    return lambda _, values: not any(value in nodes for nodes in excluded for value in values)


def _datatype(constraint: Constraint) -> Check | None:
    datatype = constraint.only()
    if datatype in _UNCHECKED:
        return lambda _, values: all(_datatype_of(value) == datatype for value in values)
    if not isinstance(datatype, NamedNode) or datatype not in _VALUES:
        return None
    kind, iri = _VALUES[datatype], rdflib.URIRef(datatype.value)
    return lambda _, values: all(
        isinstance(value, rdflib.Literal)
        and value.datatype == iri
        and not value.ill_typed
        and isinstance(value.value, kind)
        for value in values
    )


def _datatype_of(value: Value) -> NamedNode | None:
    if isinstance(value, Literal):
        return value.datatype
    if isinstance(value, rdflib.Literal) and value.datatype:
        return NamedNode(value.datatype)
    return None


def _node_kind(constraint: Constraint) -> Check | None:
    kind = constraint.only()
    kinds = _KINDS.get(kind) if isinstance(kind, NamedNode) else None
    if kinds is None:
        return None
    return lambda _, values: all(isinstance(value, kinds) for value in values)


def _min_count(constraint: Constraint) -> Check | None:
    number = constraint.number()
    return None if number is None else lambda _, values: len(values) >= number


def _max_count(constraint: Constraint) -> Check | None:
    number = constraint.number()
    return None if number is None else lambda _, values: len(values) <= number


def _min_length(constraint: Constraint) -> Check | None:
    number = constraint.number()
    if number is None:
        return None
    return lambda _, values: all(len(_text(value)) >= number for value in values)


def _max_length(constraint: Constraint) -> Check | None:
    number = constraint.number()
    if number is None:
        return None
    return lambda _, values: all(
        len(_text(value)) <= number and not isinstance(value, BlankNode) for value in values
    )


def _pattern(constraint: Constraint) -> Check | None:
    flags = constraint.said.get(NamedNode(SH.flags), ())
    if len(flags) > 1 or not all(isinstance(value, Literal) for value in constraint.values):
        return None
    options = 0
    for letter in _text(flags[0]).lower() if flags else "":
        options |= _FLAGS.get(letter, 0)
    patterns = [re.compile(_text(value), options) for value in constraint.values]
    return lambda _, values: all(
        pattern.search(_text(value)) and not isinstance(value, BlankNode)
        for pattern in patterns
        for value in values
    )


def _text(value: Value) -> str:
    """Return the text that pyshacl measures; that of a blank node is never long enough."""
    if isinstance(value, Literal | NamedNode):
        return value.value
    return str(value) if isinstance(value, rdflib.Literal) else ""


def _in(constraint: Constraint) -> Check | None:
    head = constraint.only()
    items = constraint.shapes.items(head) if head is not None else None
    if items is None:
        return None
    allowed = {as_value(item) for item in items}
    return lambda _, values: all(value in allowed for value in values)


def _has_value(constraint: Constraint) -> Check:
    wanted = {as_value(value) for value in constraint.values}
    return lambda _, values: wanted.issubset(values)


def _equals(constraint: Constraint) -> Check | None:
    others = _others(constraint)
    if others is None:
        return None
    return lambda focus, values: all(other.get(focus, set()) == values for other in others)


def _disjoint(constraint: Constraint) -> Check | None:
    others = _others(constraint)
    if others is None:
        return None
    return lambda focus, values: all(other.get(focus, set()).isdisjoint(values) for other in others)


def _others(constraint: Constraint) -> list[Mapping[Term, set[Value]]] | None:
    """Return the values of the other properties, by focus node."""
    others = [value for value in constraint.values if isinstance(value, NamedNode)]
    if len(others) < len(constraint.values):
        return None
    return [constraint.data.values(other) for other in others]


def _pair(compare: Callable[[Any, Any], bool]) -> Callable[[Constraint], Check | None]:
    def make(constraint: Constraint) -> Check | None:
        others = _others(constraint)
        if others is None:
            return None
        return lambda focus, values: (
            not any(isinstance(v, BlankNode) for v in values)
            and all(
                _compares(compare, value, other_value)
                for other in others
                for other_value in other.get(focus, ())
                for value in values
            )
        )

    return make


def _bound(compare: Callable[[Any, Any], bool]) -> Callable[[Constraint], Check | None]:
    def make(constraint: Constraint) -> Check | None:
        bounds = [as_value(value) for value in constraint.values]
        return lambda _, values: all(
            _compares(compare, value, bound) for bound in bounds for value in values
        )

    return make


def _compares(compare: Callable[[Any, Any], bool], left: Value, right: Value) -> bool:
    """Compare two whole numbers or two dates; of anything else, let pyshacl tell."""
    if not isinstance(left, rdflib.Literal) or not isinstance(right, rdflib.Literal):
        return False
    one, other = left.value, right.value
    return type(one) is type(other) and type(one) in (date, int) and compare(one, other)


def _closed(constraint: Constraint) -> Check | None:
    lists = constraint.said.get(NamedNode(SH.ignoredProperties), ())
    ignored = [constraint.shapes.items(head) for head in lists]
    if constraint.only() != Literal("true", datatype=XSD.boolean) or None in ignored:
        return None
    allowed = {item for items in ignored for item in items or ()}
    predicates = constraint.data.predicates
    return lambda _, values: all(
        isinstance(value, rdflib.Literal) or allowed.issuperset(predicates(value))
        for value in values
    )


COMPONENTS: Final[Mapping[NamedNode, Callable[[Constraint], Check | None]]] = {
    _CLASS: _class,
    NamedNode(SH.closed): _closed,
    NamedNode(SH.datatype): _datatype,
    NamedNode(SH.disjoint): _disjoint,
    NamedNode(SH.equals): _equals,
    NamedNode(SH.hasValue): _has_value,
    NamedNode(SH["in"]): _in,
    NamedNode(SH.lessThan): _pair(lt),
    NamedNode(SH.lessThanOrEquals): _pair(le),
    NamedNode(SH.maxCount): _max_count,
    NamedNode(SH.maxExclusive): _bound(lt),
    NamedNode(SH.maxInclusive): _bound(le),
    NamedNode(SH.maxLength): _max_length,
    NamedNode(SH.minCount): _min_count,
    NamedNode(SH.minExclusive): _bound(gt),
    NamedNode(SH.minInclusive): _bound(ge),
    NamedNode(SH.minLength): _min_length,
    NamedNode(SH.nodeKind): _node_kind,
    NamedNode(SH["not"]): _not,
    NamedNode(SH.pattern): _pattern,
}

MAX_COUNT: Final = NamedNode(SH.maxCount)
# The components that ask something of each value by itself, whatever node it is a value of.
OF_EACH_VALUE: Final = frozenset(
    (
        *(NamedNode(SH["class"]), NamedNode(SH.datatype), NamedNode(SH["in"])),
        *(NamedNode(SH.maxExclusive), NamedNode(SH.maxInclusive), NamedNode(SH.maxLength)),
        *(NamedNode(SH.minExclusive), NamedNode(SH.minInclusive), NamedNode(SH.minLength)),
        *(NamedNode(SH.nodeKind), NamedNode(SH["not"]), NamedNode(SH.pattern)),
    )
)
