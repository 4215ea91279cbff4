"""Mutants: small changes of the real data, written in tests/cases/mutants/*.toml.

A mutant edits a JSON document (``edit``), a line of a text (``text``), a row of a curated table
(``row``) or a source's description (``toml``), or adds and takes statements of the graph where no
edit gives the fault (``add``, ``remove``; ``why`` says why); there ``<product/mi300x>`` stands for
the IRI of a thing. ``base`` names an overlay of examples/ that is loaded too.
"""

import json
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pyoxigraph import DefaultGraph, NamedNode, Quad, RdfFormat, Store, parse

from kg.build import Graph, assemble
from kg.resources import DATA
from kg.vocab import DERIVED_GRAPHS, PREFIXES
from tests.conftest import DOCUMENTS

MUTANTS: Final = Path(__file__).parent / "cases" / "mutants"
EXAMPLES: Final = Path(__file__).parents[1] / "examples"
GRAPHS: Final[Mapping[str, NamedNode | DefaultGraph]] = {
    "asserted": DefaultGraph(),
    "derived": NamedNode(f"{DERIVED_GRAPHS}same-architecture"),
}
_PREFIXES: Final = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in PREFIXES.items())
_DELETED: Final = object()
Changes = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A change of the data, and the shape that must report it at a focus node."""

    file: str
    number: int
    shape: str
    focus: str
    edit: Changes = ()
    text: Changes = ()
    row: Changes = ()
    toml: Changes = ()
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    graph: str = "asserted"
    base: str = ""
    why: str = ""
    also: frozenset[str] = field(default_factory=frozenset)

    def __str__(self) -> str:
        """Name the mutant in a test's id."""
        return f"{self.file}-{self.number}-{self.shape}"

    @property
    def rule(self) -> str:
        """The rule of the shape."""
        return self.shape.partition("-")[0]

    @property
    def focus_node(self) -> NamedNode:
        """The node at which it must be reported."""
        return NamedNode(self.focus if ":" in self.focus else PREFIXES["id"] + self.focus)


def read_mutants() -> tuple[Mutant, ...]:
    """Read every mutant, in the order of files and of places in them."""
    return tuple(
        _mutant(path.stem, number, entry)
        for path in sorted(MUTANTS.glob("*.toml"))
        for number, entry in enumerate(_read_toml(path)["mutant"], 1)
    )


def _read_toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _mutant(file: str, number: int, entry: Mapping[str, Any]) -> Mutant:
    frozen: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in entry.items()
        if name != "also"
    }
    return Mutant(file=file, number=number, also=frozenset(entry.get("also", ())), **frozen)


def grow(mutant: Mutant, clean: Graph, folder: Path) -> Graph:
    """Return the graph that the mutated data make."""
    graph = clean
    if mutant.edit or mutant.text or mutant.row or mutant.toml:
        graph = assemble_edited(mutant, folder)
    if not (mutant.add or mutant.remove):
        return graph
    store = Store()
    store.extend(graph.store)
    for quad in quads(mutant.remove, mutant.graph):
        assert quad in store, f"{mutant}: {quad} is not there"
        store.remove(quad)
    for quad in quads(mutant.add, mutant.graph):
        assert quad not in store, f"{mutant}: {quad} is there already"
        store.add(quad)
    return Graph(graph.version, store, graph.inputs, graph.places)


def assemble_edited(mutant: Mutant, folder: Path) -> Graph:
    """Copy the data, make the mutant's edits of files, and assemble what is then there."""
    data, overlays = copy_edited(mutant, folder)
    return assemble(data=data, only=None if mutant.base else DOCUMENTS, overlays=overlays)


def copy_edited(mutant: Mutant, folder: Path) -> tuple[Path, tuple[Path, ...]]:
    """Copy the data, and an overlay if the mutant names one, and make its edits of files."""
    data = shutil.copytree(DATA, folder / "data")
    overlays: tuple[Path, ...] = ()
    if mutant.base:
        overlays = (shutil.copytree(EXAMPLES / mutant.base, folder / mutant.base),)
    roots = (data, *overlays)
    for change in mutant.edit:
        _edit(_document(roots, change["source"]), change)
    for change in mutant.text:
        _replace_in_line(_document(roots, change["source"]), change)
    for change in mutant.row:
        _change_row(_one(roots, f"curated/{change['table']}.csv"), change)
    for change in mutant.toml:
        _replace(_one(roots, f"sources/{change['source']}/source.toml"), change)
    return data, overlays


def _one(roots: tuple[Path, ...], path: str) -> Path:
    """Return the file of the last folder that has it: an overlay's before the data's."""
    return [root / path for root in roots if (root / path).exists()][-1]


def _document(roots: tuple[Path, ...], source: str) -> Path:
    about = _one(roots, f"sources/{source}/source.toml")
    name: str = _read_toml(about)["document"]
    return about.with_name(name)


def _edit(path: Path, change: Mapping[str, Any]) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    *parents, last = change["at"].strip("/").split("/")
    place: Any = document
    for key in parents:
        place = place[_key(place, key)]
    key = _key(place, last)
    if "value" not in change:
        assert change["remove"] is True
        del place[key]
    elif isinstance(place, list) and key == len(place):
        place.append(change["value"])
    else:
        before = place.get(key, _DELETED) if isinstance(place, dict) else place[key]
        assert before != change["value"], f"{change} changes nothing"
        place[key] = change["value"]
    path.write_text(json.dumps(document, ensure_ascii=False, indent=2), encoding="utf-8")


def _key(place: Any, key: str) -> Any:
    return int(key) if isinstance(place, list) else key


def _replace_in_line(path: Path, change: Mapping[str, Any]) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    line = lines[change["line"] - 1]
    assert change["replace"] in line, f"{change}: the line is {line!r}"
    lines[change["line"] - 1] = line.replace(change["replace"], change["by"])
    path.write_text("\n".join(lines), encoding="utf-8")


def _change_row(path: Path, change: Mapping[str, Any]) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    if "replace" in change:
        at = [number for number, line in enumerate(lines) if line.startswith(change["replace"])]
        assert len(at) == 1, f"{change}: {len(at)} rows begin so"
        lines[at[0] : at[0] + 1] = [change["by"]] if "by" in change else []
    else:
        lines.append(change["by"])
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _replace(path: Path, change: Mapping[str, Any]) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(change["replace"]) == 1, f"{change} is not there once"
    path.write_text(text.replace(change["replace"], change["by"]), encoding="utf-8")


def quads(statements: tuple[str, ...], graph: str) -> list[Quad]:
    """Read statements that a mutant adds to a graph or takes from it."""
    text = _PREFIXES + "\n".join(statements)
    read = parse(text.encode(), format=RdfFormat.TURTLE, base_iri=PREFIXES["id"])
    name = GRAPHS[graph]
    return [Quad(quad.subject, quad.predicate, quad.object, name) for quad in read]
