"""The options that commands share, and the values that people type into them."""

import shlex
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kg.backend import StoreBackend
from kg.check.engine import Request, read_model_config
from kg.days import parse_day
from kg.errors import UsageError
from kg.snapshot import default_snapshot, open_snapshot


class AnswerFormat(StrEnum):
    """How ``check`` answers."""

    TEXT = "text"
    JSON = "json"


class ExplanationFormat(StrEnum):
    """How ``explain`` answers."""

    TEXT = "text"
    JSON = "json"
    MERMAID = "mermaid"


class RowsFormat(StrEnum):
    """How ``ask`` answers."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class QueryFormat(StrEnum):
    """How ``query`` answers: a table or boolean in the first five, a graph in the last three."""

    TABLE = "table"
    JSON = "json"
    XML = "xml"
    CSV = "csv"
    TSV = "tsv"
    TURTLE = "turtle"
    NTRIPLES = "ntriples"
    JSONLD = "jsonld"


class ExportFormat(StrEnum):
    """What ``export`` writes: three forms of RDF, three of tables."""

    NQUADS = "nquads"
    TRIG = "trig"
    JSONLD = "jsonld"
    CSV = "csv"
    PARQUET = "parquet"
    SQLITE = "sqlite"


SnapshotOption = Annotated[
    Path | None,
    typer.Option(
        "--snapshot", help="Snapshot folder; by default build/current, or the packaged one."
    ),
]
DataOption = Annotated[Path | None, typer.Option("--data", help="Data folder; by default ours.")]
SourceOption = Annotated[
    list[str] | None,
    typer.Option("--source", help="NAME=PATH: read a source's document from another file."),
]
OnlyOption = Annotated[
    str | None, typer.Option("--only", help="NAME,…: build from these sources alone.")
]
OverlayOption = Annotated[
    list[Path] | None,
    typer.Option("--overlay", help="A folder of your own statements, kept apart; repeatable."),
]


ArchitectureOption = Annotated[
    str | None,
    typer.Option("--architecture", help="The model's class, for one that is not listed."),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", help="The model's config.json, to read its class from."),
]
StackOption = Annotated[
    str | None, typer.Option("--stack", help="NAME or NAME==VERSION, such as vLLM==0.9.1.")
]
PrecisionOption = Annotated[
    str | None,
    typer.Option("--precision", help="PRECISION or PRECISION:ROLE, such as fp8:kv-cache."),
]
FeatureOption = Annotated[
    list[str] | None, typer.Option("--feature", help="A feature it must have; repeatable.")
]
CountOption = Annotated[int | None, typer.Option("--count", help="Number of devices.")]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Refuse a class that is only assumed from a family.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """The options by which a question about a model is narrowed, as they were typed."""

    architecture: str | None
    config: Path | None
    stack: str | None
    precision: str | None
    features: tuple[str, ...]
    count: int | None
    strict: bool
    as_of: str | None

    @property
    def given(self) -> bool:
        """Tell whether any of them was typed."""
        return bool(self.typed())

    def typed(self) -> tuple[str, ...]:
        """Return them as a shell reads them."""
        return options_typed(
            ("--architecture", self.architecture),
            ("--config", self.config),
            ("--stack", self.stack),
            ("--precision", self.precision),
            *(("--feature", feature) for feature in self.features),
            ("--count", self.count),
            ("--strict", self.strict),
            ("--as-of", self.as_of),
        )

    def request(self, model: str, targets: tuple[str, ...]) -> Request:
        """Return the question about a model on targets."""
        if self.architecture and self.config:
            raise UsageError("Give --architecture or --config, not both.")
        class_, quantised = self.architecture, False
        if self.config:
            class_, quantised = read_model_config(self.config)
        return Request(
            model=model,
            targets=targets,
            architecture=class_,
            quantised=quantised,
            stack=self.stack,
            precision=self.precision,
            features=self.features,
            count=self.count,
            strict=self.strict,
        )


def options_typed(*options: tuple[str, object]) -> tuple[str, ...]:
    """Return options as a shell reads them; one that is None or False was not typed."""
    return tuple(
        name if value is True else f"{name} {shlex.quote(str(value))}"
        for name, value in options
        if value is not None and value is not False
    )


def open_backend(snapshot: Path | None) -> StoreBackend:
    """Open a snapshot, or the one that is read when none is named."""
    return StoreBackend(open_snapshot(snapshot or default_snapshot()))


def names_in(text: str | None) -> tuple[str, ...]:
    """Return the names in a list that commas separate; none for no list."""
    names = tuple(name.strip() for name in (text or "").split(","))
    if text is not None and not all(names):
        raise UsageError(f"{text!r} is not a list of names separated by commas.")
    return tuple(name for name in names if name)


def documents_in(pairs: list[str] | None) -> dict[str, Path]:
    """Return the documents in options of the form NAME=PATH."""
    return {name: Path(path) for name, path in (pair_in(p, "NAME=PATH") for p in pairs or ())}


def pair_in(text: str, form: str) -> tuple[str, str]:
    """Return the name and the value of NAME=VALUE; ``form`` is how the error writes it."""
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise UsageError(f"{text!r} does not have the form {form}.")
    return name, value


def day_in(text: str | None) -> date:
    """Return a day; today for none."""
    if text is None:
        return date.today()
    try:
        return parse_day(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day such as 2026-11-30.") from error
