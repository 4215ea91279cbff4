"""The command that all others belong to, how errors end, and how text reaches a terminal."""

import sys
from typing import Annotated, Final

import typer

from kg import __version__
from kg.errors import RunatlasError, SourceError
from kg.printable import printable

SHOWN_PROBLEMS: Final = 100

app = typer.Typer(
    name="runatlas",
    help="Which AI models run on which accelerators, under which software, and who says so.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


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
        complain(_problems(error))
        raise SystemExit(2) from None
    except RunatlasError as error:
        complain([str(error)])
        raise SystemExit(2) from None
    except BrokenPipeError:
        # The reader of our output has gone: nobody is left to tell.
        sys.stderr.close()
        raise SystemExit(141) from None
    except (OSError, UnicodeError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "Symlink loop" not in str(error):
            raise  # not of the file system: a fault of ours
        complain([f"input or output failed: {error}"])
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def complain(lines: list[str]) -> None:
    """Print lines about what went wrong to standard error."""
    for line in lines:
        typer.echo(f"runatlas: {printable(line)}", err=True)


def show(text: str) -> None:
    """Print an answer; what a source or the asker wrote must not steer the terminal."""
    typer.echo(printable(text, keep="\n"), nl=False)


def _problems(error: SourceError) -> list[str]:
    lines = [str(problem) for problem in error.problems[:SHOWN_PROBLEMS]]
    left = len(error.problems) - len(lines)
    count = f"{len(error.problems):,} problem{'s' if len(error.problems) > 1 else ''}"
    shown = f"; the first {SHOWN_PROBLEMS} are shown" if left else ""
    notes = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
    return [*lines, f"{count} found{shown}.{notes}"]
