"""The OWL-RL closure, in a process of its own.

owlrl replaces rdflib's conversions of literals for the whole process, and what it puts back is not
what it found: a SHACL check that runs later in the same process may then miss results.
"""

import subprocess
import sys

from rdflib import Graph, Literal


def closure(graph: Graph) -> Graph:
    """Return a graph with everything that OWL-RL adds to it, errors among them."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.owl_closure"],
        input=graph.serialize(format="nt", encoding="utf-8"),
        capture_output=True,
        check=True,
    )
    return Graph().parse(data=done.stdout, format="nt")


def _close() -> None:
    from owlrl import DeductiveClosure, OWLRL_Semantics

    graph = Graph().parse(data=sys.stdin.buffer.read(), format="nt")
    DeductiveClosure(OWLRL_Semantics).expand(graph)
    # OWL-RL also says of each literal that it is itself; no RDF syntax can write that.
    for triple in [triple for triple in graph if isinstance(triple[0], Literal)]:
        graph.remove(triple)
    sys.stdout.buffer.write(graph.serialize(format="nt", encoding="utf-8"))


if __name__ == "__main__":
    _close()
