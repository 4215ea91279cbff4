"""The commands that build, check and hand out the graph: build, validate, export."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from kg.cli.app import app, complain, show
from kg.cli.options import (
    DataOption,
    ExportFormat,
    OnlyOption,
    OverlayOption,
    SnapshotOption,
    SourceOption,
    documents_in,
    names_in,
)
from kg.errors import SourceError
from kg.printable import printable
from kg.resources import DATA
from kg.snapshot import default_snapshot, open_snapshot


@app.command("build", short_help="Build the graph into a snapshot.")
def build_command(
    data: DataOption = None,
    out: Annotated[
        Path, typer.Option("--out", help="Folder for snapshots and the link 'current'.")
    ] = Path("build"),
    source: SourceOption = None,
    only: OnlyOption = None,
    overlay: OverlayOption = None,
    *,
    stats: Annotated[
        bool, typer.Option("--stats", help="Print time, memory and counts to standard error.")
    ] = False,
) -> None:
    """Build the graph, validate it and make it the current snapshot; exit 1 on a violation."""
    from kg.build import build

    with _working("Building the graph"), _writing():
        built = build(
            data=data or own_data(),
            out=out,
            documents=documents_in(source),
            only=names_in(only) or None,
            overlays=tuple(overlay or ()),
        )
    if stats:
        complain(_stats(built.graph.counts))
    if built.snapshot is None:
        typer.echo(printable(built.report.text, keep="\n"), err=True, nl=False)
        complain(["Violations: nothing was written, the current snapshot stays."])
        raise SystemExit(1)
    typer.echo(str(built.snapshot))


@app.command("validate", short_help="Check the data against the shapes.")
def validate_command(
    data: DataOption = None,
    source: SourceOption = None,
    only: OnlyOption = None,
    overlay: OverlayOption = None,
) -> None:
    """Validate the data against the shapes and print the report; exit 1 on a violation."""
    from kg.build import assemble
    from kg.validation import validate

    with _working("Validating the graph"):
        graph = assemble(
            data=data or own_data(),
            documents=documents_in(source),
            only=names_in(only) or None,
            overlays=tuple(overlay or ()),
        )
        report = validate(graph.store, graph.places)
    show(report.text)
    raise SystemExit(0 if report.conforms else 1)


@app.command("export", short_help="Write quads, or tables.")
def export_command(
    format_: Annotated[
        ExportFormat, typer.Option("--format", help="nquads, trig, jsonld; csv, parquet, sqlite.")
    ],
    out: Annotated[Path, typer.Option("--out", help="File, or folder for csv and parquet.")],
    *,
    overlays: Annotated[
        bool, typer.Option("--overlays", help="Export your own statements too.")
    ] = False,
    snapshot: SnapshotOption = None,
) -> None:
    """Export a snapshot: all quads, or tables with one row for each asserted path."""
    from kg.export import export

    opened = open_snapshot(snapshot or default_snapshot())
    for path in export(opened, format_.value, out, overlays=overlays):
        typer.echo(str(path))


def own_data() -> Path:
    """Return our data folder, relative to the working folder where it lies inside."""
    try:
        here = Path.cwd()
    except FileNotFoundError:  # the working folder has been deleted
        return DATA
    return DATA.relative_to(here) if DATA.is_relative_to(here) else DATA


@contextmanager
def _working(what: str) -> Iterator[None]:
    """Show on a terminal that something is under way; stay silent in a pipe."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(f"{what}…"):
        yield


@contextmanager
def _writing() -> Iterator[None]:
    """Have faults of the sources say that nothing was written: of a command that else writes."""
    try:
        yield
    except SourceError as error:
        error.add_note("Nothing was written.")
        raise


def _stats(counts: dict[str, int]) -> list[str]:
    import resource

    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures = [
        f"CPU {usage.ru_utime + usage.ru_stime:.2f} s",
        f"peak memory {usage.ru_maxrss / 1024:.0f} MB",
    ]
    return [*figures, *(f"{name} {count}" for name, count in counts.items())]
