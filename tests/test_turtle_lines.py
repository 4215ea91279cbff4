"""The lines on which subjects of a Turtle file start."""

from pyoxigraph import NamedNode, RdfFormat, parse

from kg.resources import ONTOLOGY
from kg.turtle_lines import subject_lines
from kg.vocab import PREFIXES

TRICKY = """\
# ex:comment a ex:None .
@prefix ex: <urn:x:> .
PREFIX other: <urn:y#>
ex:a.b ex:p "a . ex:no ex:p 1 .", 1.5 ; # . ex:no
  ex:q \"\"\"long " .
ex:no ex:p 2 .\"\"\" , <urn:z#.> , [ ex:p ( ex:b 'x . y' ) ] .

<urn:plain> ex:p true . other:c ex:p "tag"@en , "3"^^ex:t .
ex:a.b
  ex:p ex:b .
"""


def test_dots_and_names_in_other_places_start_no_block() -> None:
    parsed = {quad.subject for quad in parse(TRICKY, format=RdfFormat.TURTLE)}
    found = subject_lines(TRICKY)
    assert found == {"urn:x:a.b": [4, 9], "urn:plain": [8], "urn:y#c": [8]}
    assert {node.value for node in parsed if isinstance(node, NamedNode)} == set(found)


def test_every_subject_of_the_ontology_is_found_where_its_block_starts() -> None:
    text = (ONTOLOGY / "runatlas.ttl").read_text(encoding="utf-8")
    found, rows = subject_lines(text), text.splitlines()
    subjects = {quad.subject for quad in parse(text, format=RdfFormat.TURTLE)}
    assert {node.value for node in subjects if isinstance(node, NamedNode)} == set(found)
    for iri, lines in found.items():
        names = (f"<{iri}>", f"ra:{iri.removeprefix(PREFIXES['ra'])}")
        assert {rows[line - 1].split()[0] for line in lines} <= set(names), iri
