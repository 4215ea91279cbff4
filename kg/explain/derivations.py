"""What is derived, as nodes: an inference with its licence, rule and premises; a model's class."""

from pyoxigraph import NamedNode

from kg.check.classes import ClassBasis, Membership
from kg.explain.reading import Reader
from kg.explain.statements import curated_node, grant_node, path_node, statement_node
from kg.explain.tree import Branch, Kind, Node, Quote, branches, context
from kg.iris import keys_of
from kg.rows import named
from kg.rules import read_rules
from kg.terms import shorten, words
from kg.vocab import DCAT, DCTERMS, RA


def inference_node(reader: Reader, inference: NamedNode) -> Node:
    """Explain an inference: the licence, the rule, and every premise under the class."""
    architecture = reader.iri(inference, RA.mayRunArchitecture)
    class_ = keys_of(architecture)[1] if architecture else None
    premises = reader.iris(inference, RA.premise)
    rules = reader.iris(inference, RA.byRule)
    platforms = reader.iris(inference, RA.mayRunOnPlatform)
    return Node(
        kind=Kind.DERIVED,
        iri=inference.value,
        says=f"{reader.label(inference)}; no level, no evidence",
        branches=(
            *_licence(reader, inference),
            *branches("rule", *(rule_node(reader, rule) for rule in rules)),
            *branches("platform", *(platform_node(reader, platform) for platform in platforms)),
            *branches("premise", *(path_node(reader, it, of_class=class_) for it in premises)),
        ),
    )


def _licence(reader: Reader, inference: NamedNode) -> tuple[Branch, ...]:
    grants = reader.iris(inference, RA.licence)
    releases = dict.fromkeys(
        release for grant in grants for release in reader.iris(grant, DCTERMS.isPartOf)
    )
    return (
        *branches("licence", *(grant_node(reader, grant) for grant in grants)),
        *branches("description", *(release_node(reader, release) for release in releases)),
    )


def release_node(reader: Reader, release: NamedNode) -> Node:
    """Quote how we describe a release: as one that licenses an inference, in source.toml."""
    scope = reader.iri(release, RA.licensesInference)
    source = shorten(reader.iri(release, RA.ofSource))
    version = reader.text(release, DCAT.version) or ""
    return Node(
        kind=Kind.CURATED,
        iri=release.value,
        says=f"{source} {version} is described as licensing {words(scope) if scope else 'nothing'}",
        places=tuple(
            place for place in reader.places(release) if place.path.endswith("/source.toml")
        ),
    )


def platform_node(reader: Reader, platform: NamedNode) -> Node:
    """Quote the row that defines a platform; other tables only add names to it."""
    return curated_node(reader, platform, table="platforms")


def rule_node(reader: Reader, rule: NamedNode) -> Node:
    """Quote a rule by the heading of its file, if this program has the rule."""
    texts = [known.text for known in read_rules() if known.iri == rule]
    said = [line for text in texts for line in text.splitlines() if line.startswith("#")]
    lines = [line.removeprefix("#") for line in said]
    entries: list[Quote] = []
    for line in lines[1:]:
        what, separator, text = line.strip().partition(":")
        if separator and not line.startswith("   "):
            entries.append(Quote(what.lower(), text.strip()))
        elif line.strip() and entries:
            entries[-1] = Quote(entries[-1].what, f"{entries[-1].text} {line.strip()}")
    return Node(
        kind=Kind.RULE,
        iri=rule.value,
        says=lines[0].strip() if lines else shorten(rule),
        quotes=tuple(entries),
        places=reader.places(rule),
    )


def class_node(reader: Reader, checkpoint: NamedNode, membership: Membership) -> Node:
    """Explain why a model is taken to be of a class: stated, supplied or assumed."""
    says = f"{membership.name}, {membership.basis.value}"
    if membership.basis is ClassBasis.SUPPLIED:
        return Node(kind=Kind.SUPPLIED, says=says)
    if membership.basis is ClassBasis.STATED:
        return _stated(reader, checkpoint, membership.name, says)
    return _assumed(reader, checkpoint, says)


def _stated(reader: Reader, checkpoint: NamedNode, name: str, says: str) -> Node:
    rows = reader.select("classes_of_checkpoint", checkpoint=checkpoint)
    agree = [named(row["statement"]) for row in rows if shorten(row["class"]) == name]
    other = [named(row["statement"]) for row in rows if shorten(row["class"]) != name]
    return Node(
        kind=Kind.ASSERTED,
        says=says,
        branches=(
            *branches("row", *(statement_node(reader, row) for row in dict.fromkeys(agree))),
            *context("contest", *(statement_node(reader, row) for row in dict.fromkeys(other))),
        ),
    )


def _assumed(reader: Reader, checkpoint: NamedNode, says: str) -> Node:
    """Rest on the rows of the own family, the alignments, and the aligned family's listed rows."""
    rows = reader.select("classes_of_aligned_families", checkpoint=checkpoint)
    families = dict.fromkeys(named(row["family"]) for row in rows)
    own = dict.fromkeys(
        statement
        for family in families
        for statement in reader.column(
            "statements_of_family", "statement", checkpoint=checkpoint, family=family
        )
    )
    mappings = dict.fromkeys(named(row["mapping"]) for row in rows)
    witnesses = {named(row["path"]): shorten(row["class"]) for row in rows}
    return Node(
        kind=Kind.DERIVED,
        says=f"{says}; no source states it",
        branches=(
            *branches("own family", *(statement_node(reader, row) for row in own)),
            *branches("alignment", *(curated_node(reader, mapping) for mapping in mappings)),
            *branches(
                "witness",
                *(path_node(reader, path, of_class=class_) for path, class_ in witnesses.items()),
            ),
        ),
    )
