"""Check the rows of all curated tables together: what no row shows by itself."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from kg.errors import Problem
from mappings.addresses import canonical_address
from mappings.curated.naming import fold_name
from mappings.curated.rows import CuratedTables, Row
from mappings.curated.tables import ALIASED, HARDWARE, NAME_SPACES, TABLES, Column
from mappings.source_text import shorten

# Columns whose cell is the id of a thing in the table that another column of the row names.
_POINTED: Final = {
    "aliases": ("kind", ALIASED, "id"),
    "configuration_cells": ("hardware_kind", HARDWARE, "hardware"),
    "exclusions": (
        "target_kind",
        {**HARDWARE, "component": "components", "feature": "features", "precision": "precisions"},
        "target",
    ),
}


def repeated(tables: CuratedTables) -> Iterator[Problem]:
    """Find a row whose key another row has."""
    for name, table in TABLES.items():
        seen: dict[Collection[str | tuple[str, str]], Row] = {}
        for row in tables[name]:
            first = seen.setdefault(_key(row), row)
            if first is not row:
                said = ", ".join(f"{column} {shorten(row[column])!r}" for column in table.key)
                yield row.problem(f"{said} stands already at {first.path}:{first.line}")


def _key(row: Row) -> Collection[str | tuple[str, str]]:
    """Return what no two rows share: an alignment either way, an address in whatever spelling."""
    if row.table == "family_alignment":
        return frozenset(
            (
                (row["subject_source"], row["subject_label"]),
                (row["object_source"], row["object_label"]),
            )
        )
    if row.table == "documents":
        return (canonical_address(row["url"]),)
    return tuple(row[column] for column in TABLES[row.table].key)


def dangling(tables: CuratedTables) -> Iterator[Problem]:
    """Find a cell that names a thing that no table defines."""
    ids = {name: tables.ids(name) for name, table in TABLES.items() if "id" in table.key}
    for name, table in TABLES.items():
        for row in tables[name]:
            for column in table.columns:
                yield from _dangling_cell(ids, row, column)
            if name in _POINTED:
                selector, targets, pointing = _POINTED[name]
                target = targets.get(row[selector])
                if target and row[pointing] not in ids[target]:
                    yield _not_in(target, row, pointing, row[pointing])


def _dangling_cell(
    ids: Mapping[str, frozenset[str]], row: Row, column: Column
) -> Iterator[Problem]:
    if not column.refers_to or not row[column.name]:
        return
    values = row[column.name].split(" ") if column.many else [row[column.name]]
    for value in values:
        if value not in ids[column.refers_to]:
            yield _not_in(column.refers_to, row, column.name, value)


def _not_in(table: str, row: Row, column: str, value: str) -> Problem:
    return row.problem(f"{column} {shorten(value)!r} is not in {table}.csv")


def circles(tables: CuratedTables) -> Iterator[Problem]:
    """Find a thing that lies above itself: broader, containing, part or made of itself, any way."""
    for name, table in TABLES.items():
        for column in (column for column in table.columns if column.refers_to == name):
            above = {row["id"]: row[column.name].split() for row in tables[name]}
            for row in tables[name]:
                if row["id"] in _reached(above, above[row["id"]]):
                    message = f"{column.name} {shorten(row[column.name])!r} leads back to itself"
                    yield row.problem(message)
    yield from _circles_of_descent(tables["lineage"])


def _circles_of_descent(rows: Iterable[Row]) -> Iterator[Problem]:
    """Find a model that is made from itself, by whatever predicates and sources say so."""
    above: dict[str, list[str]] = {}
    for row in rows:
        above.setdefault(row["checkpoint"], []).append(row["parent"])
    for row in rows:
        if row["checkpoint"] in _reached(above, [row["parent"]]):
            yield row.problem(f"parent {shorten(row['parent'])!r} leads back to itself")


def _reached(above: Mapping[str, list[str]], start: list[str]) -> set[str]:
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        thing = waiting.pop()
        if thing not in reached:
            reached.add(thing)
            waiting.extend(above.get(thing, ()))
    return reached


def ambiguous_names(tables: CuratedTables) -> Iterator[Problem]:
    """Find a name that means two things, where kg/names.py or a document's reader looks it up.

    Names that differ in punctuation, blanks, case or width alone are one name to a reader.
    """
    for space in NAME_SPACES:
        yield from _meaning_two(_names(tables, space))
    labels = ((row["label"], ("organisation", row["id"]), row) for row in tables["organisations"])
    yield from _meaning_two(labels)


Named: TypeAlias = tuple[str, tuple[str, str], Row]


def _names(tables: CuratedTables, space: Mapping[str, str]) -> list[Named]:
    """Return every id, label and alias of a space; an overlay's come last."""
    named: list[Named] = [
        (row[column], (kind, row["id"]), row)
        for column in ("id", "label")
        for kind, table in space.items()
        for row in tables[table]
    ]
    named += [
        (row["alias"], (row["kind"], row["id"]), row)
        for row in tables["aliases"]
        if row["kind"] in space
    ]
    return sorted(named, key=lambda name: name[2].overlay is not None)


def _meaning_two(named: Iterable[Named]) -> Iterator[Problem]:
    owners: dict[str, tuple[str, str]] = {}
    told: set[tuple[str, tuple[str, str]]] = set()
    for printed, owner, row in named:
        name = fold_name(printed)
        kind, id_ = owners.setdefault(name, owner)
        if (kind, id_) != owner and (name, owner) not in told:
            told.add((name, owner))
            said = printed.strip().casefold()
            message = f"the name {shorten(said)!r} means the {kind} {shorten(id_)!r} already"
            yield row.problem(message)


def unusable_patterns(tables: CuratedTables) -> Iterator[Problem]:
    """Find a pattern of words that is no regular expression."""
    for row in tables["variant_words"]:
        try:
            re.compile(row["word"])
        except re.error as error:
            yield row.problem(f"word {shorten(row['word'])!r} is not a pattern: {error}")


def of_others(tables: CuratedTables, owners: Mapping[str, str | None]) -> Iterator[Problem]:
    """Find an overlay's row that speaks of a source that is not the overlay's own.

    ``owners`` gives the overlay of every source, None for the project's. An alignment may have one
    side elsewhere.
    """
    for rows in tables.rows.values():
        for row in rows:
            if row.overlay is not None:
                yield from (row.problem(message) for message in _others_in(row, owners))


def _others_in(row: Row, owners: Mapping[str, str | None]) -> Iterator[str]:
    cells = [row.cells.get(name) for name in ("source", "subject_source", "object_source")]
    named = [source for source in cells if source]
    unknown = [source for source in named if source not in owners]
    others = [s for s in named if s in owners and owners[s] != row.overlay]
    if row.table == "variant_words":
        yield "an overlay cannot say which names keep a class from being lent"
    for source in unknown:
        yield f"there is no source {shorten(source)!r}"
    if row.table == "family_alignment" and len(others) < len(named):
        return
    for source in others:
        owner = owners[source] or "the project"
        yield f"an overlay speaks of its own sources only; {source} is {owner}'s"
