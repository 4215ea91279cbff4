"""Compare releases of software as the component numbers them."""

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pyoxigraph import NamedNode

from kg.vocab import RA


def release_fits(asked: str, kind: NamedNode, stated: str, ordering: str) -> bool | None:
    """Tell whether a release meets a stated bound; None if the two cannot be compared.

    ``kind`` is ra:release, ra:minRelease or ra:maxRelease. An exact bound may end in ``.x``. The
    ordering ``pep440`` is that of PEP 440; with any other, only equal texts compare.
    """
    if kind == RA.release and asked == stated:
        return True
    if ordering != "pep440":
        return None
    operator = {RA.release: "==", RA.minRelease: ">=", RA.maxRelease: "<="}[kind]
    wildcard = stated.removesuffix(".x") + ".*" if stated.endswith(".x") else stated
    try:
        bound = SpecifierSet(f"{operator}{wildcard}", prereleases=True)
        return Version(asked) in bound
    except (InvalidSpecifier, InvalidVersion):
        return None
