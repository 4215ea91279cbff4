"""What the curated tables define, as look-ups for the mappers of sources."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Generic, TypeVar

from pyoxigraph import NamedNode

from kg.iris import mint_iri
from mappings.curated.rows import CuratedTables, Row
from mappings.curated.tables import BASES, LEVELS, MATURITIES, OUTCOMES, ROLES
from mappings.source_text import shorten

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Status:
    """What a raw status token says: its outcome, level, maturity and basis."""

    token: str
    outcome: NamedNode
    level: NamedNode | None
    maturity: NamedNode
    basis: NamedNode


@dataclass(frozen=True, slots=True)
class StackPart:
    """One component that a stack's text names, with the version bound it prints, if any."""

    component: str
    bound: str | None
    version: str | None


@dataclass(frozen=True, slots=True)
class PrecisionReading:
    """What a precision token says; ``precision`` is None where it names no precision."""

    precision: NamedNode | None
    role: NamedNode


@dataclass(frozen=True, slots=True)
class Names(Generic[Value]):
    """Values by name, for the error message of a name that is not known."""

    table: str
    values: Mapping[str, Value]

    def __getitem__(self, name: str) -> Value:
        """Return the value of a name that ``fault`` has found no fault with."""
        return self.values[name]

    def fault(self, field: str, name: str) -> str | None:
        """Say what is wrong with a name, with near misses; None if it is known."""
        if name in self.values:
            return None
        near = get_close_matches(name, self.values, n=3)
        hint = f"; did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
        return f"{field} {shorten(name)!r} is not in data/curated/{self.table}.csv{hint}"


@dataclass(frozen=True, slots=True)
class Registry:
    """The names that one source's document may use: ids of tables, or its own tokens.

    ``features``, ``precisions``, ``stacks`` and ``statuses`` are tokens, which a row reads;
    ``components`` has each component's label, for a stack's text.
    """

    organisations: Names[NamedNode]
    platforms: Names[NamedNode]
    products: Names[NamedNode]
    integrations: Names[NamedNode]
    stacks: Names[tuple[StackPart, ...]]
    features: Names[NamedNode]
    precisions: Names[PrecisionReading]
    statuses: Names[Status]
    components: Names[str]
    feature_ids: Names[NamedNode]
    precision_ids: Names[NamedNode]
    product_platforms: Mapping[str, NamedNode]


def registry_for(source: str, overlay: str | None, tables: CuratedTables) -> Registry:
    """Collect the names that hold for a source: its own rows win over rows for any source.

    A source knows the project's rows and those of the overlay that it comes from; none of another.
    """
    visible = CuratedTables(
        {
            table: tuple(row for row in rows if row.overlay in (None, overlay))
            for table, rows in tables.rows.items()
        }
    )
    return Registry(
        organisations=Names(
            "organisations",
            {row["label"]: mint_iri("organisation", row["id"]) for row in visible["organisations"]},
        ),
        platforms=_things("platforms", "platform", visible),
        products=_things("products", "product", visible),
        integrations=_things("integrations", "integration", visible),
        stacks=Names("stacks", _stacks(source, visible)),
        features=_readings(
            "feature_names", source, visible, lambda row: mint_iri("feature", row["feature"])
        ),
        precisions=_readings("precision_names", source, visible, _precision),
        statuses=_readings("status_words", source, visible, _status),
        components=Names("components", {row["id"]: row["label"] for row in visible["components"]}),
        feature_ids=_things("features", "feature", visible),
        precision_ids=_things("precisions", "precision", visible),
        product_platforms={
            row["id"]: mint_iri("platform", row["platform"]) for row in visible["products"]
        },
    )


def _things(table: str, kind: str, tables: CuratedTables) -> Names[NamedNode]:
    return Names(table, {row["id"]: mint_iri(kind, row["id"]) for row in tables[table]})


def _readings(
    table: str, source: str, tables: CuratedTables, read: Callable[[Row], Value]
) -> Names[Value]:
    ordered = sorted(_rows_for(table, source, tables), key=lambda row: row["source"])
    return Names(table, {row["token"]: read(row) for row in ordered})


def _rows_for(table: str, source: str, tables: CuratedTables) -> list[Row]:
    return [row for row in tables[table] if row["source"] in ("", source)]


def _stacks(source: str, tables: CuratedTables) -> dict[str, tuple[StackPart, ...]]:
    rows = _rows_for("stacks", source, tables)
    own = {row["stack_text"] for row in rows if row["source"]}
    stacks: dict[str, list[StackPart]] = {}
    for row in rows:
        if row["source"] or row["stack_text"] not in own:
            part = StackPart(row["component"], row["bound"] or None, row["version"] or None)
            stacks.setdefault(row["stack_text"], []).append(part)
    return {text: tuple(parts) for text, parts in stacks.items()}


def _precision(row: Row) -> PrecisionReading:
    precision = mint_iri("precision", row["precision"]) if row["precision"] else None
    return PrecisionReading(precision, ROLES[row["role"]])


def _status(row: Row) -> Status:
    return Status(
        token=row["token"],
        outcome=OUTCOMES[row["outcome"]],
        level=LEVELS[row["level"]] if row["level"] else None,
        maturity=MATURITIES[row["maturity"]],
        basis=BASES[row["basis"]],
    )
