"""The command for curators: lint."""

from typing import Annotated

import typer

from kg.cli.app import app, show
from kg.cli.options import AnswerFormat, SnapshotOption, day_in, names_in
from kg.lint.engine import DAYS, lint
from kg.lint.json_report import as_json
from kg.lint.text import as_text
from kg.printable import json_text
from kg.snapshot import default_snapshot, open_snapshot

_MOST_DAYS = 36_500


@app.command("lint", short_help="What a curator should look at.")
def lint_command(
    *,
    rule: Annotated[
        str | None, typer.Option("--rule", help="RULE,…: tell of these alone, such as R44,R55.")
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", help="Count ages to this day (YYYY-MM-DD); default: today."),
    ] = None,
    days: Annotated[
        int,
        typer.Option(
            "--days", help="Evidence older than so many days is stale.", min=0, max=_MOST_DAYS
        ),
    ] = DAYS,
    format_: Annotated[
        AnswerFormat, typer.Option("--format", help="text or json.")
    ] = AnswerFormat.TEXT,
    snapshot: SnapshotOption = None,
) -> None:
    """List what a curator should look at: warnings and notes by rule, each with its places."""
    opened = open_snapshot(snapshot or default_snapshot())
    linted = lint(opened, rules=names_in(rule), as_of=day_in(as_of), days=days)
    if format_ is AnswerFormat.JSON:
        typer.echo(json_text(as_json(linted)))
    else:
        show(as_text(linted))
