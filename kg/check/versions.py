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
        version, bound = Version(asked), SpecifierSet(f"{operator}{wildcard}", prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return None
    # PEP 440 lets 1.2.0+fork meet ==1.2.0; a fork is not what the source has stated.
    return None if version.local else version in bound
