"""Write again what the README shows: the output of each command, and the picture of the model.

Run it as ``python docs/refresh.py`` after a change of data or output; a test fails while anything
in the README differs from what really happens.

- In a ``console`` block, what follows ``$ command`` (and ``> more of it``) is its output.
- Between the marks ``<!-- model -->`` and ``<!-- /model -->`` stands the picture.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pyoxigraph import NamedNode, QuerySolutions, Store

from kg.build import build
from kg.snapshot import open_snapshot
from kg.terms import shorten

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"
_BLOCK: Final = re.compile(r"(?<=```console\n).*?(?=```\n)", re.DOTALL)
_PICTURE: Final = re.compile(r"(?<=<!-- model -->\n).*?(?=<!-- /model -->)", re.DOTALL)

# What the picture shows, in its groups; everything else is in the ontology.
GROUPS: Final = {
    "who says so": ("SourceRelease", "InferenceGrant", "Evidence", "Organisation"),
    "one statement": ("SupportPath", "ConfigurationCell", "Deployment", "Exclusion"),
    "about a model": ("ModelStatement", "Checkpoint", "ModelLabel", "Family", "Architecture"),
    "on hardware, with software": ("Platform", "Generation", "Product", "Component"),
    "derived, in graphs of its own": ("CompatibilityInference",),
}
DETAILS: Final = frozenset({"cellHardware", "contains", "draftLabel", "partOf", "publisher"})
_EDGES: Final = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX ra: <https://w3id.org/runatlas/def#>
SELECT DISTINCT ?from ?property ?to WHERE {
  { ?a ?property ?b } UNION { GRAPH ?g { ?a a ra:CompatibilityInference ; ?property ?b } }
  { ?a a ?from } UNION { GRAPH ?h { ?a a ?from . FILTER (?from = ra:CompatibilityInference) } }
  ?b a ?to .
  FILTER (STRSTARTS(STR(?from), STR(ra:)) && STRSTARTS(STR(?to), STR(ra:)))
  FILTER (STRSTARTS(STR(?property), STR(ra:))
    || ?property IN (dcterms:isPartOf, dcterms:publisher))
}
"""


def refreshed(text: str, snapshot: Path) -> str:
    """Return the README's text with every output and the picture as they are now."""
    with tempfile.TemporaryDirectory() as folder:
        current = Path(folder) / "build" / "current"
        current.parent.mkdir()
        current.symlink_to(snapshot.resolve())
        text = _BLOCK.sub(lambda block: run_block(block[0], Path(folder)), text)
    store = open_snapshot(snapshot).store
    return _PICTURE.sub(lambda _: _picture(store), text)


def run_block(block: str, folder: Path) -> str:
    """Run each command of a block in a folder that has only the snapshot."""
    binaries = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "COLUMNS": "80"}
    shown = []
    for lines in re.findall(r"^\$ .*(?:\n> .*)*", block, re.MULTILINE):
        command = "\n".join(line[2:] for line in lines.split("\n"))
        done = subprocess.run(  # noqa: S602 - the commands that our own README shows
            command, shell=True, cwd=folder, env=environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        shown.append(f"{lines}\n{done.stdout}")
    return "\n".join(shown)


def _picture(store: Store) -> str:
    classes = {name for names in GROUPS.values() for name in names}
    lines = ["```mermaid", "flowchart LR"]
    for number, (title, names) in enumerate(GROUPS.items()):
        lines.append(f'  subgraph g{number}["{title}"]')
        lines += [f"    {name}" for name in names]
        lines.append("  end")
    by_ends: dict[tuple[str, str], list[str]] = {}
    for start, name, end in sorted(_edges(store)):
        detail = name in DETAILS or name.startswith("excludes")
        if start in classes and end in classes and (not detail or name == "excludes"):
            by_ends.setdefault((start, end), []).append(name)
    for (start, end), properties in by_ends.items():
        arrow = "-.->" if start == "CompatibilityInference" else "-->"
        lines.append(f"  {start} {arrow}|{', '.join(properties)}| {end}")
    return "\n".join([*lines, "```", ""])


def _edges(store: Store) -> Iterator[tuple[str, str, str]]:
    """Yield each property that really leads from one class to another in the graph."""
    solutions = store.query(_EDGES)
    if not isinstance(solutions, QuerySolutions):
        raise TypeError("not a SELECT query")
    for row in solutions:
        terms = (row["from"], row["property"], row["to"])
        start, name, end = (shorten(t) for t in terms if isinstance(t, NamedNode))
        yield start.removeprefix("ra:"), name.rpartition(":")[2], end.removeprefix("ra:")


def main() -> None:
    """Refresh the README in place, from a new build."""
    with tempfile.TemporaryDirectory() as out:
        built = build(out=Path(out))
        if built.snapshot is None:
            raise SystemExit(built.report.text)
        text = README.read_text(encoding="utf-8")
        README.write_text(refreshed(text, built.snapshot), encoding="utf-8")


if __name__ == "__main__":
    main()
