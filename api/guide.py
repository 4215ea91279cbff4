"""What a query page tells of the graph that it asks: its dataset, its prefixes, examples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from itertools import dropwhile
from typing import Final

from pyoxigraph import Literal, NamedNode

from kg.ask import bind
from kg.backend import Backend
from kg.errors import UnknownNameError
from kg.queries import questions
from kg.vocab import DERIVED_GRAPHS, PREFIXES

# Stored questions that give the same rows where their values stand in VALUES at the end.
STORED: Final = (
    "evidence_levels",
    "hardware",
    "paths_of_checkpoint",
    "hardware_with_evidence_for_checkpoint",
    "architectures_on_platform",
    "families_compatible_via_architecture",
    "checkpoints_by_architecture",
    "platforms_of_component",
    "paths_with_feature",
    "precisions_of_checkpoint_on_product",
    "coverage",
    "single_publisher_claims",
)
_ANY: Final = ("any_triples", "any_classes", "any_predicates", "any_graphs")
_COMMON: Final = (
    *("dcat", "dcterms", "owl", "prov", "rdf", "rdfs"),
    *("schema", "sh", "skos", "void", "xsd"),
)
_OURS: Final = f"""
The default graph, which a query sees without `GRAPH`, holds what is *asserted* now: the current
release of every source, the curated tables and the ontology.

What is *derived* is not in it. Each rule has a named graph of its own, below `{DERIVED_GRAPHS}`; a
query sees it by `GRAPH` alone. A derived statement says what may work: it is no evidence. That
nothing is found means no evidence in this graph, never "unsupported"."""
_THEIRS: Final = """
The default graph, which a query sees without `GRAPH`, holds the triples that are in no named graph;
those of named graphs are reached by `GRAPH` alone. Nothing is derived."""


@dataclass(frozen=True, slots=True)
class Example:
    """A query to begin with."""

    title: str
    asks: str
    query: str


@dataclass(frozen=True, slots=True)
class Guide:
    """What is told of a graph: ``dataset`` is little Markdown, of what a query sees.

    ``home`` is the address of the page where a client begins.
    """

    dataset: str
    prefixes: Mapping[str, str]
    examples: Callable[[], Sequence[Example]]
    home: str = "/"


def guide_to_questions(backend: Backend, today: Callable[[], date]) -> Guide:
    """Return the guide to our graph, with stored questions as examples."""
    return Guide(_OURS, PREFIXES, lambda: stored_examples(backend, today()))


def guide_to_any() -> Guide:
    """Return a guide to a graph that we do not know."""
    prefixes = {name: PREFIXES[name] for name in _COMMON}
    return Guide(_THEIRS, prefixes, lambda: [_any_example(name) for name in _ANY], home="/sparql")


def stored_examples(backend: Backend, today: date) -> list[Example]:
    """Return stored questions as queries; one whose default value names nothing is left out."""
    examples = []
    for name in STORED:
        question = questions()[name]
        try:
            values = bind(backend, question, {}, today=today)
        except UnknownNameError:
            continue
        text = f"# {question.title}\n{_without_header(question.text)}{_values(values)}"
        examples.append(Example(question.title, question.asks, text))
    return examples


def _without_header(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(dropwhile(lambda line: line.startswith("#"), lines))


def _values(terms: Mapping[str, NamedNode | Literal]) -> str:
    """Write values in SPARQL, for people to change; the engine writes the terms."""
    names = " ".join(f"?{name}" for name in terms)
    return f"VALUES ({names}) {{ ({' '.join(map(str, terms.values()))}) }}\n" if terms else ""


def _any_example(name: str) -> Example:
    text = files(__package__).joinpath("web", f"{name}.rq").read_text(encoding="utf-8")
    title, asks = (line.removeprefix("# ") for line in text.splitlines()[:2])
    return Example(title, asks, text)
