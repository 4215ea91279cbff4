"""The command that explains: explain."""

from typing import Annotated

import typer

from kg.cli.app import app, show
from kg.cli.options import (
    ArchitectureOption,
    ConfigOption,
    CountOption,
    ExplanationFormat,
    FeatureOption,
    Narrowing,
    PrecisionOption,
    SnapshotOption,
    StackOption,
    StrictOption,
    day_in,
    open_backend,
)
from kg.errors import UsageError
from kg.explain.engine import explain_answer, explain_iri
from kg.explain.mermaid import as_mermaid
from kg.explain.report import as_json
from kg.explain.text import as_text
from kg.printable import json_text


@app.command("explain", short_help="The proof tree of an answer, down to quoted rows.")
def explain_command(
    subject: Annotated[
        str, typer.Argument(help="IRI of an inference, path or row; or a model's repository id.")
    ],
    target: Annotated[
        str | None,
        typer.Argument(help="With a model: the platform, generation or product."),
    ] = None,
    architecture: ArchitectureOption = None,
    config: ConfigOption = None,
    stack: StackOption = None,
    precision: PrecisionOption = None,
    feature: FeatureOption = None,
    count: CountOption = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", help="Explain as of this day (YYYY-MM-DD); default: today."),
    ] = None,
    *,
    strict: StrictOption = False,
    format_: Annotated[
        ExplanationFormat, typer.Option("--format", help="text, json or mermaid.")
    ] = ExplanationFormat.TEXT,
    snapshot: SnapshotOption = None,
) -> None:
    """Say what an answer rests on: each statement, row and rule, with its words and place."""
    narrowing = Narrowing(
        architecture=architecture,
        config=config,
        stack=stack,
        precision=precision,
        features=tuple(feature or ()),
        count=count,
        strict=strict,
        as_of=as_of,
    )
    if target is None:
        if narrowing.given:
            raise UsageError("These options need a model and a target, not an IRI.")
        explanation = explain_iri(open_backend(snapshot), subject)
    else:
        request = narrowing.request(subject, (target,))
        explanation = explain_answer(open_backend(snapshot), request, as_of=day_in(as_of))
    if format_ is ExplanationFormat.JSON:
        typer.echo(json_text(as_json(explanation)))
    elif format_ is ExplanationFormat.MERMAID:
        typer.echo(f"%% snapshot {explanation.snapshot}\n{as_mermaid(explanation)}", nl=False)
    else:
        show(as_text(explanation))
