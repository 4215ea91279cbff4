"""One vocabulary: code, ontology, queries, shapes and tables name the same terms alike."""

import ast
import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from pyoxigraph import NamedNode
from rdflib import Graph, URIRef
from rdflib.namespace import RDF

from kg import vocab
from kg.vocab import PREFIXES, RA

ROOT: Final = Path(__file__).parent.parent
VOCAB: Final = ROOT / "kg" / "vocab.py"
CODE: Final = sorted(
    path for folder in ("api", "kg", "mappings") for path in (ROOT / folder).rglob("*.py")
)
RDF_FILES: Final = sorted(
    path
    for folder in ("api", "data", "kg", "mappings", "ontology", "shapes")
    for suffix in ("*.ttl", "*.rq")
    for path in (ROOT / folder).rglob(suffix)
)
TABLES: Final = sorted(
    path
    for folder in ("data", "mappings")
    for suffix in ("*.csv", "*.tsv")
    for path in (ROOT / folder).rglob(suffix)
)

PREFIX_LINE: Final = re.compile(r"(?mi)^\s*@?prefix\s+([\w-]*):\s*<([^>]*)>")
DECLARATION: Final = re.compile(r'sh:prefix\s+"([\w-]*)"[\s\S]{0,20}?sh:namespace\s+"([^"]*)"')
CURIE: Final = re.compile(r"([a-z0-9]+):[A-Za-z_]\w*")
IRI: Final = re.compile(r"https?://")


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _terms(cls: type) -> dict[str, NamedNode]:
    return {name: term for name, term in vars(cls).items() if isinstance(term, NamedNode)}


def _classes() -> list[type]:
    return [
        cls
        for cls in vars(vocab).values()
        if isinstance(cls, type) and cls.__module__ == "kg.vocab"
    ]


def iris_in(source: str) -> Iterator[str]:
    """Find string literals that begin as an IRI of the web does, docstrings excepted."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            text = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
            if isinstance(text, str) and IRI.match(text):
                yield f"line {node.lineno}: {text}"


def prefixes_in(text: str) -> list[tuple[str, str]]:
    """Find the prefixes that a Turtle or SPARQL text declares, for SHACL too."""
    return [*PREFIX_LINE.findall(text), *DECLARATION.findall(text)]


def test_code_names_exactly_the_terms_of_the_ontology() -> None:
    ontology = Graph().parse(ROOT / "ontology" / "runatlas.ttl")
    declared = {
        str(term).removeprefix(PREFIXES["ra"])
        for term in ontology.subjects(RDF.type)
        if isinstance(term, URIRef) and str(term).startswith(PREFIXES["ra"])
    }
    named = set(_terms(RA))
    assert declared - named == set(), "in the ontology only"
    assert named - declared == set(), "in kg/vocab.py only"


@pytest.mark.parametrize("cls", _classes(), ids=lambda cls: cls.__name__)
def test_names_are_spelt_as_the_terms(cls: type) -> None:
    terms = _terms(cls)
    assert terms
    namespace = PREFIXES[cls.__name__.lower()]
    assert {
        name: term.value
        for name, term in terms.items()
        if term.value != namespace + name.rstrip("_")
    } == {}


def test_prefixes_are_sorted_and_distinct() -> None:
    assert list(PREFIXES) == sorted(PREFIXES)
    assert len(set(PREFIXES.values())) == len(PREFIXES)
    assert all(iri[-1] in "#/" for iri in PREFIXES.values())


@pytest.mark.parametrize("path", CODE, ids=_name)
def test_no_other_python_file_holds_an_iri(path: Path) -> None:
    if path == VOCAB:
        assert list(iris_in(path.read_text(encoding="utf-8")))
    else:
        assert list(iris_in(path.read_text(encoding="utf-8"))) == []


def test_rdf_files_are_found() -> None:
    assert ROOT / "ontology" / "runatlas.ttl" in RDF_FILES


@pytest.mark.parametrize("path", RDF_FILES, ids=_name)
def test_prefixes_agree(path: Path) -> None:
    declared = prefixes_in(path.read_text(encoding="utf-8"))
    assert [(p, iri) for p, iri in declared if PREFIXES.get(p) != iri] == []
    names = [prefix for prefix, _ in declared]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("path", TABLES, ids=_name)
def test_tables_use_known_prefixes(path: Path) -> None:
    delimiter = "\t" if path.suffix == ".tsv" else ","
    with path.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file, delimiter=delimiter) for cell in row]
    curies = (match for cell in cells if (match := CURIE.fullmatch(cell)))
    assert [curie[0] for curie in curies if curie[1] not in PREFIXES] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('X = "http://example.org/"', 1),
        ('X = f"https://example.org/{key}"', 1),
        ('X = b"http://example.org/"', 1),
        ('def f():\n    return "http://example.org/"', 1),
        ('"""http://example.org/ is in a docstring."""', 0),
        ('def f():\n    """http://example.org/"""', 0),
        ('# "http://example.org/"\nX = 1', 0),
        ('X = "see http://example.org/"', 0),
    ],
)
def test_iris_in_code_are_found_out(source: str, found: int) -> None:
    assert len(list(iris_in(source))) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@prefix ra: <urn:other> .", [("ra", "urn:other")]),
        ("PREFIX ra: <urn:other>\nASK {}", [("ra", "urn:other")]),
        ("  prefix : <urn:other>", [("", "urn:other")]),
        ('[ sh:prefix "ra" ; sh:namespace "urn:other"^^xsd:anyURI ]', [("ra", "urn:other")]),
        ("# a prefix in a comment", []),
    ],
)
def test_prefixes_are_found(text: str, found: list[tuple[str, str]]) -> None:
    assert prefixes_in(text) == found
