"""The commands that answer: check, ask, query, serve."""

import os
import shutil
import sys
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Final

import typer

from kg.ask import ask, find_question
from kg.check.engine import check
from kg.check.report import as_json
from kg.check.text import as_text
from kg.cli.app import app, show
from kg.cli.options import (
    AnswerFormat,
    ArchitectureOption,
    ConfigOption,
    CountOption,
    FeatureOption,
    Narrowing,
    PrecisionOption,
    QueryFormat,
    RowsFormat,
    SnapshotOption,
    StackOption,
    StrictOption,
    day_in,
    names_in,
    open_backend,
    options_typed,
    pair_in,
)
from kg.errors import UsageError
from kg.printable import json_text
from kg.queries import questions
from kg.snapshot import default_snapshot
from kg.table import as_csv, as_json_rows, as_table
from kg.workers.limits import DEFAULTS, KIB, MIB, Limits

_QUERY_BYTES: Final = 4_000_000
_LONGEST_QUERY_S: Final = 86_400


@app.command("check", short_help="What is stated of a model on each target.")
def check_command(
    model: Annotated[str, typer.Argument(help="Repository id, such as meta-llama/Llama-3.1-8B.")],
    on: Annotated[
        str | None,
        typer.Option(
            "--on", help="TARGET,…: products, generations or platforms; default: every platform."
        ),
    ] = None,
    architecture: ArchitectureOption = None,
    config: ConfigOption = None,
    stack: StackOption = None,
    precision: PrecisionOption = None,
    feature: FeatureOption = None,
    count: CountOption = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", help="Judge as of this day (YYYY-MM-DD); default: today."),
    ] = None,
    *,
    strict: StrictOption = False,
    format_: Annotated[
        AnswerFormat, typer.Option("--format", help="text or json.")
    ] = AnswerFormat.TEXT,
    snapshot: SnapshotOption = None,
) -> None:
    """Say what is stated of a model on each target, by whom and when, and what is only derived."""
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
    request = narrowing.request(model, names_in(on))
    checked = check(open_backend(snapshot), request, as_of=day_in(as_of))
    if format_ is AnswerFormat.JSON:
        typer.echo(json_text(as_json(checked)))
    else:
        options = (*narrowing.typed(), *options_typed(("--snapshot", snapshot)))
        show(as_text(checked, options=options))


@app.command("ask", short_help="Ask a stored question.")
def ask_command(
    question: Annotated[str | None, typer.Argument(help="A stored question; see --list.")] = None,
    values: Annotated[
        list[str] | None, typer.Argument(help="NAME=VALUE for what the question takes.")
    ] = None,
    *,
    list_: Annotated[bool, typer.Option("--list", help="List the stored questions.")] = False,
    format_: Annotated[
        RowsFormat, typer.Option("--format", help="table, json or csv.")
    ] = RowsFormat.TABLE,
    snapshot: SnapshotOption = None,
) -> None:
    """Ask a stored question; without values, with the defaults that --list shows."""
    if list_ or question is None:
        show(_listing(question))
        return
    given = dict(pair_in(value, "NAME=VALUE") for value in values or ())
    asked = ask(open_backend(snapshot), question, given, today=day_in(None))
    show(_FORMATTERS[format_](asked))


_FORMATTERS: Final = {
    RowsFormat.TABLE: lambda asked: as_table(asked, _terminal_width()),
    RowsFormat.JSON: as_json_rows,
    RowsFormat.CSV: as_csv,
}


def _terminal_width() -> int | None:
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size().columns if terminal else None


def _listing(name: str | None) -> str:
    found = [find_question(name)] if name else list(questions().values())
    lines = []
    for question in found:
        lines.append(f"{question.name}: {question.title}")
        for parameter in question.parameters:
            default = f" (default {parameter.default})" if parameter.default is not None else ""
            lines.append(f"    {parameter.name}=…  {parameter.meaning}{default}")
    return "\n".join(lines) + "\n"


@app.command("query", short_help="Run a SPARQL query.")
def query_command(
    file: Annotated[
        str, typer.Argument(help="A file with a SPARQL query, or - for standard input.")
    ],
    *,
    format_: Annotated[
        QueryFormat | None,
        typer.Option("--format", help="table, json, xml, csv, tsv; turtle, ntriples, jsonld."),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout", help="Seconds before it is given up.", min=0.001, max=_LONGEST_QUERY_S
        ),
    ] = 30,
    snapshot: SnapshotOption = None,
) -> None:
    """Run a SPARQL query; by default a table is laid out in columns and a graph is Turtle."""
    from kg.query import run_query

    backend = open_backend(snapshot)
    text = _read_query(file)
    raise SystemExit(run_query(backend, text, format_.value if format_ else None, timeout))


def _read_query(file: str) -> str:
    """Read a query within bounds: standard input, or a file of any kind, to its limit."""
    try:
        if file == "-":
            content = sys.stdin.buffer.read(_QUERY_BYTES + 1) if sys.stdin else b""
        else:
            with Path(file).open("rb") as source:
                content = source.read(_QUERY_BYTES + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: not UTF-8 at byte {error.start}.") from error
    if len(content) > _QUERY_BYTES:
        raise UsageError(f"{file}: larger than {_QUERY_BYTES:,} bytes: too long for a query.")
    return text


@app.command("serve", short_help="Answer over HTTP.")
def serve_command(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", help="Port to listen on.", min=0, max=65535)
    ] = 8000,
    workers: Annotated[
        int, typer.Option("--workers", help="Processes that answer queries.", min=1, max=256)
    ] = DEFAULTS.workers,
    timeout: Annotated[
        float,
        typer.Option("--timeout", help="Seconds in which an answer begins.", min=0.1, max=86_400),
    ] = DEFAULTS.timeout,
    memory: Annotated[
        int,
        typer.Option("--memory", help="MiB that a query may take.", min=16, max=1 << 20),
    ] = DEFAULTS.memory // MIB,
    max_result: Annotated[
        int | None,
        typer.Option("--max-result", help="MiB of one answer; default: no limit.", min=1),
    ] = None,
    queue: Annotated[
        int, typer.Option("--queue", help="Queries that may wait for a worker.", min=0)
    ] = DEFAULTS.waiting,
    cache: Annotated[
        int, typer.Option("--cache", help="MiB of answers to keep; 0: none.", min=0, max=1 << 20)
    ] = DEFAULTS.cache // MIB,
    max_query: Annotated[
        int, typer.Option("--max-query", help="KiB of a query as it is sent.", min=1, max=64 * KIB)
    ] = DEFAULTS.query // KIB,
    max_nesting: Annotated[
        int,
        typer.Option("--max-nesting", help="How deep a query nests brackets.", min=1, max=10_000),
    ] = DEFAULTS.nesting,
    proxy: Annotated[
        list[str] | None,
        typer.Option("--proxy", help="A proxy that says for whom it asks; may be repeated."),
    ] = None,
    access_log: Annotated[
        bool,
        typer.Option("--access-log", help="Write a line of JSON per request to standard output."),
    ] = False,
    dataset: Annotated[
        list[Path] | None,
        typer.Option("--dataset", help="A file of RDF to serve instead; may be repeated."),
    ] = None,
    on_disk: Annotated[
        Path | None,
        typer.Option("--on-disk", help="Keep graphs in databases in this folder, not in memory."),
    ] = None,
    snapshot: SnapshotOption = None,
) -> None:
    """Serve a snapshot: SPARQL at /sparql, short questions at /api/v1, described at /docs."""
    from api.server import run

    if dataset and snapshot:
        raise UsageError("--dataset and --snapshot: serve one of them.")

    limits = Limits(
        workers=workers,
        timeout=timeout,
        memory=memory * MIB,
        result=None if max_result is None else max_result * MIB,
        waiting=queue,
        query=max_query * KIB,
        nesting=max_nesting,
        cache=cache * MIB,
    )

    def find() -> Path | tuple[Path, ...]:
        return tuple(dataset) if dataset else (snapshot or default_snapshot()).resolve()

    proxies = [_address("--proxy", text) for text in proxy or ()]
    log = _standard_output("--access-log") if access_log else None
    run(find, limits, host, port, on_disk=on_disk, proxies=proxies, log=log)


def _address(option: str, text: str) -> str:
    try:
        return str(ip_network(text) if "/" in text else ip_address(text))
    except ValueError as error:
        raise UsageError(
            f"{option} {text!r} is no address, and no network of addresses."
        ) from error


def _standard_output(option: str) -> int:
    try:
        return os.dup(1)
    except OSError as error:
        raise UsageError(f"{option}: standard output is closed.") from error
