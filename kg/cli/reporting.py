"""The commands for test reports: report new, report check, report schema."""

from pathlib import Path
from typing import Annotated

import typer

from kg.cli.app import app, complain, show
from kg.cli.building import own_data
from kg.cli.options import DataOption, SnapshotOption, open_backend
from mappings.source_text import show_path

report_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.add_typer(
    report_app,
    name="report",
    help="Begin and check reports of your own test runs, passed or failed.",
    short_help="Begin and check test reports.",
)


@report_app.command("new", short_help="Begin a test report from a template.")
def report_new_command(
    out: Annotated[
        Path | None, typer.Option("--out", help="File to write; by default standard output.")
    ] = None,
    overlay: Annotated[
        Path | None,
        typer.Option("--overlay", help="Folder of your own statements to lay it out in."),
    ] = None,
    publisher: Annotated[
        str | None, typer.Option("--publisher", help="Who ran it and answers for it.")
    ] = None,
    publisher_id: Annotated[
        str | None,
        typer.Option("--publisher-id", help="Its id; by default its name in lower case."),
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", help="The report's name; by default MODEL-on-PRODUCT.")
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option("--checkpoint", help="Repository id of the checkpoint.")
    ] = None,
    revision: Annotated[
        str | None, typer.Option("--revision", help="Commit or tag of the repository.")
    ] = None,
    product: Annotated[
        str | None, typer.Option("--product", help="What it ran on: id, label or alias.")
    ] = None,
    count: Annotated[int | None, typer.Option("--count", help="Number of devices.")] = None,
    unit: Annotated[
        str | None, typer.Option("--unit", help="What is counted: chip, board, node, instance.")
    ] = None,
    stack: Annotated[
        list[str] | None,
        typer.Option("--stack", help="NAME==VERSION, such as vLLM==0.11.0; repeatable."),
    ] = None,
    precision: Annotated[
        list[str] | None,
        typer.Option("--precision", help="PRECISION or PRECISION:ROLE; repeatable."),
    ] = None,
    feature: Annotated[
        list[str] | None, typer.Option("--feature", help="A feature it used; repeatable.")
    ] = None,
    command: Annotated[
        str | None, typer.Option("--command", help="The command that runs it again.")
    ] = None,
    outcome: Annotated[str | None, typer.Option("--outcome", help="pass, limited or fail.")] = None,
    ran_at: Annotated[
        str | None, typer.Option("--ran-at", help="Day of the run (YYYY-MM-DD).")
    ] = None,
    log: Annotated[
        Path | None, typer.Option("--log", help="The log, to take its SHA-256 from.")
    ] = None,
    *,
    snapshot: SnapshotOption = None,
) -> None:
    """Write a report that a person then fills in; what is still to be given is blank or null."""
    from kg.report_drafts import Known, begin_report

    begun = begin_report(
        open_backend(snapshot),
        Known(
            publisher=publisher,
            publisher_id=publisher_id,
            id=id_,
            checkpoint=checkpoint,
            revision=revision,
            product=product,
            count=count,
            unit=unit,
            software=tuple(stack or ()),
            precisions=tuple(precision or ()),
            features=tuple(feature or ()),
            command=command,
            outcome=outcome,
            ran_at=ran_at,
            log=log,
            out=out,
            overlay=overlay,
        ),
    )
    written = begun.write()
    show("".join(f"{show_path(path)}\n" for path in written) or begun.text)
    complain(list(begun.remarks))


@report_app.command("check", short_help="Check test reports before they are built.")
def report_check_command(
    file: Annotated[Path, typer.Argument(help="A document of test reports.")],
    data: DataOption = None,
) -> None:
    """Read and validate test reports, alone or with the overlay they lie in; write nothing."""
    from kg.reports import check_reports
    from mappings.test_report.mapper import MEANINGS

    checked = check_reports(file, data or own_data())
    show(checked.report.text)
    if not checked.report.conforms:
        raise SystemExit(1)
    for report in checked.document.reports:
        said = f"{report.outcome}, which states {MEANINGS[report.outcome]}"
        show(f"{report.id}: {report.checkpoint} on {report.product}: {said}\n")


@report_app.command("schema", short_help="Print the JSON Schema of test reports.")
def report_schema_command() -> None:
    """Print the JSON Schema that test reports are checked against."""
    from mappings.test_report.reader import schema_text

    show(schema_text())
