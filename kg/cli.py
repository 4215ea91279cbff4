"""The command line: parse arguments, call, print, set the exit code.

Exit codes: 0 answered, 1 the data breaks a rule (or a query ran out of time), 2 unusable input.
The slow libraries are imported by the commands that need them, so that ``check`` answers at once.
"""

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from kg import __version__
from kg.ask import ask, find_question
from kg.backend import StoreBackend
from kg.check.engine import Request, check, read_model_config
from kg.check.report import as_json
from kg.check.text import as_text
from kg.errors import RunatlasError, SourceError, UsageError
from kg.printable import printable
from kg.queries import questions
from kg.resources import DATA
from kg.snapshot import default_snapshot, open_snapshot
from kg.table import as_csv, as_json_rows, as_table

SHOWN_PROBLEMS: Final = 100
_QUERY_BYTES: Final = 4_000_000
_LONGEST_QUERY_S: Final = 86_400

app = typer.Typer(
    name="runatlas",
    help="Which AI models run on which accelerators, under which software, and who says so.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class AnswerFormat(StrEnum):
    """How ``check`` answers."""

    TEXT = "text"
    JSON = "json"


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


@app.callback(invoke_without_command=True)
def _version(
    *, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; whatever goes wrong on purpose ends in a line and an exit code."""
    try:
        app()
    except SourceError as error:
        _complain(_problems(error))
        raise SystemExit(2) from None
    except RunatlasError as error:
        _complain([str(error)])
        raise SystemExit(2) from None
    except BrokenPipeError:
        # The reader of our output has gone: nobody is left to tell.
        sys.stderr.close()
        raise SystemExit(141) from None
    except (OSError, UnicodeError) as error:
        _complain([f"input or output failed: {error}"])
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _complain(lines: list[str]) -> None:
    for line in lines:
        typer.echo(f"runatlas: {printable(line)}", err=True)


def _print(text: str) -> None:
    """Print an answer; what a source or the asker wrote must not steer the terminal."""
    typer.echo(printable(text, keep="\n"), nl=False)


def _problems(error: SourceError) -> list[str]:
    lines = [str(problem) for problem in error.problems[:SHOWN_PROBLEMS]]
    left = len(error.problems) - len(lines)
    count = f"{len(error.problems):,} problem{'s' if len(error.problems) > 1 else ''}"
    shown = f"; the first {SHOWN_PROBLEMS} are shown" if left else ""
    return [*lines, f"{count} found{shown}. Nothing was written."]


@app.command("check", short_help="What is stated of a model on each target.")
def check_command(
    model: Annotated[str, typer.Argument(help="Repository id, such as meta-llama/Llama-3.1-8B.")],
    on: Annotated[
        str | None,
        typer.Option(
            "--on", help="TARGET,…: products, generations or platforms; default: every platform."
        ),
    ] = None,
    architecture: Annotated[
        str | None,
        typer.Option("--architecture", help="The model's class, for one that is not listed."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="The model's config.json, to read its class from."),
    ] = None,
    stack: Annotated[
        str | None, typer.Option("--stack", help="NAME or NAME==VERSION, such as vLLM==0.9.1.")
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option("--precision", help="PRECISION or PRECISION:ROLE, such as fp8:kv-cache."),
    ] = None,
    feature: Annotated[
        list[str] | None, typer.Option("--feature", help="A feature it must have; repeatable.")
    ] = None,
    count: Annotated[int | None, typer.Option("--count", help="Number of devices.")] = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", help="Judge as of this day (YYYY-MM-DD); default: today."),
    ] = None,
    *,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a class that is only assumed from a family.")
    ] = False,
    format_: Annotated[
        AnswerFormat, typer.Option("--format", help="text or json.")
    ] = AnswerFormat.TEXT,
    snapshot: SnapshotOption = None,
) -> None:
    """Say what is stated of a model on each target, by whom and when, and what is only derived."""
    if architecture and config:
        raise UsageError("Give --architecture or --config, not both.")
    class_, quantised = read_model_config(config) if config else (architecture, False)
    request = Request(
        model=model,
        targets=_names(on),
        architecture=class_,
        quantised=quantised,
        stack=stack,
        precision=precision,
        features=tuple(feature or ()),
        count=count,
        strict=strict,
    )
    checked = check(_backend(snapshot), request, as_of=_day(as_of))
    if format_ is AnswerFormat.JSON:
        typer.echo(json.dumps(as_json(checked), indent=2, ensure_ascii=False))
    else:
        _print(as_text(checked))


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
        _print(_listing(question))
        return
    given = dict(_pair(value, "NAME=VALUE") for value in values or ())
    asked = ask(_backend(snapshot), question, given, today=_day(None))
    _print(_FORMATTERS[format_](asked))


_FORMATTERS: Final = {
    RowsFormat.TABLE: lambda asked: as_table(asked, _terminal_width()),
    RowsFormat.JSON: as_json_rows,
    RowsFormat.CSV: as_csv,
}


def _terminal_width() -> int | None:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


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

    backend = _backend(snapshot)
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

    with _working("Building the graph"):
        built = build(
            data=data or _own_data(),
            out=out,
            documents=_documents(source),
            only=_names(only) or None,
            overlays=tuple(overlay or ()),
        )
    if stats:
        _complain(_stats(built.graph.counts))
    if built.snapshot is None:
        typer.echo(printable(built.report.text, keep="\n"), err=True, nl=False)
        _complain(["Violations: nothing was written, the current snapshot stays."])
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
            data=data or _own_data(),
            documents=_documents(source),
            only=_names(only) or None,
            overlays=tuple(overlay or ()),
        )
        report = validate(graph.store, graph.places)
    _print(report.text)
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


@app.command("serve", short_help="Answer over HTTP.")
def serve_command(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", help="Port to listen on.", min=0, max=65535)
    ] = 8000,
    snapshot: SnapshotOption = None,
) -> None:
    """Serve a snapshot: SPARQL at /sparql, short questions at /api/v1, described at /docs."""
    from api.server import run

    run(_backend(snapshot), host, port)


def _backend(snapshot: Path | None) -> StoreBackend:
    return StoreBackend(open_snapshot(snapshot or default_snapshot()))


def _own_data() -> Path:
    """Return our data folder, relative to the working folder where it lies inside."""
    try:
        here = Path.cwd()
    except FileNotFoundError:  # the working folder has been deleted
        return DATA
    return DATA.relative_to(here) if DATA.is_relative_to(here) else DATA


def _names(text: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in (text or "").split(","))
    if text is not None and not all(names):
        raise UsageError(f"{text!r} is not a list of names separated by commas.")
    return tuple(name for name in names if name)


def _documents(pairs: list[str] | None) -> dict[str, Path]:
    return {name: Path(path) for name, path in (_pair(p, "NAME=PATH") for p in pairs or ())}


def _pair(text: str, form: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise UsageError(f"{text!r} does not have the form {form}.")
    return name, value


def _day(text: str | None) -> date:
    if text is None:
        return date.today()
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day such as 2026-11-30.") from error


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


def _stats(counts: dict[str, int]) -> list[str]:
    import resource

    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures = [
        f"CPU {usage.ru_utime + usage.ru_stime:.2f} s",
        f"peak memory {usage.ru_maxrss / 1024:.0f} MB",
    ]
    return [*figures, *(f"{name} {count}" for name, count in counts.items())]


if __name__ == "__main__":
    main()
