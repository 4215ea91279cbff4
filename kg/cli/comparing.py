"""The command that compares two snapshots: diff."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from kg.cli.app import app, show
from kg.cli.options import AnswerFormat, names_in, open_backend
from kg.diff.changes import Difference
from kg.diff.engine import diff, read_model_list
from kg.diff.finding import find_snapshot
from kg.diff.report import as_json
from kg.diff.text import as_text
from kg.printable import json_text


class FailOn(StrEnum):
    """What makes ``diff`` end with exit code 1."""

    WITHDRAWN = "withdrawn"
    CHANGED = "changed"
    ANY = "any"


_FAILS: Final[Mapping[FailOn, Callable[[Difference], bool]]] = {
    FailOn.WITHDRAWN: lambda difference: difference.withdrawn > 0,
    FailOn.CHANGED: lambda difference: difference.withdrawn > 0 or difference.changed > 0,
    FailOn.ANY: lambda difference: not difference.same_support,
}


@app.command("diff", short_help="What changed in support between two snapshots.")
def diff_command(
    old: Annotated[str, typer.Argument(help="Snapshot folder, or a name or hash beside the last.")],
    new: Annotated[str, typer.Argument(help="The one to compare with it.")],
    models: Annotated[
        Path | None,
        typer.Option("--models", help="A file with a repository id or label on each line."),
    ] = None,
    on: Annotated[
        str | None, typer.Option("--on", help="TARGET,…: products, generations or platforms.")
    ] = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option("--fail-on", help="Exit with 1 if something was withdrawn, changed, or any."),
    ] = None,
    *,
    format_: Annotated[
        AnswerFormat, typer.Option("--format", help="text or json.")
    ] = AnswerFormat.TEXT,
) -> None:
    """Say what changed in support between two snapshots: asserted, derived and why, how fresh."""
    listed = read_model_list(models) if models else ()
    targets = names_in(on)
    before, after = (open_backend(find_snapshot(text)) for text in (old, new))
    difference = diff(before, after, models=listed, targets=targets)
    if format_ is AnswerFormat.JSON:
        typer.echo(json_text(as_json(difference)))
    else:
        show(as_text(difference))
    if fail_on and _FAILS[fail_on](difference):
        raise SystemExit(1)
