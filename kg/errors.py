"""What can go wrong.

RunatlasError
├── SourceError             source files are not what their readers expect: each problem
├── SnapshotError           a snapshot cannot be opened or written
├── ExportError             an export cannot be written
├── ShapesError             the shapes themselves are not usable
├── UnknownNameError        a name that the graph or the registry does not hold, with near misses
├── UsageError              options that cannot be used together, or a value out of range
│   └── OptionsError        several options of one command are not usable: each problem
├── QuerySyntaxError        a SPARQL text does not parse
├── QueryFailedError        a SPARQL query parses but cannot be answered
│   ├── QueryTimeoutError   its answer did not begin in time
│   ├── QueryMemoryError    it needs more memory than a query may take
│   └── ResultTooLargeError its answer is longer than an answer may be
├── QueryRefusedError       a SPARQL query that must not run here
├── NotAcceptableError      no offered media type is accepted
├── OverloadedError         too many queries wait already
├── AnswerCutError          an answer ended before its end
└── WorkersError            the processes that answer queries cannot be started

Data that breaks a shape is a result (a validation report), not an error.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class RunatlasError(Exception):
    """Base of the errors we raise on purpose."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault in a source file: where (a line number, or a JSON pointer), then what."""

    path: str
    place: int | str
    message: str

    def __str__(self) -> str:
        """Write it as editors read it: ``path:line: message``, or ``path#/pointer: message``."""
        separator = ":" if isinstance(self.place, int) else "#"
        return f"{self.path}{separator}{self.place}: {self.message}"


class SourceError(RunatlasError):
    """Source files are not what their readers expect; holds every problem found, in file order."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Take every problem of the read; there is at least one."""
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class SnapshotError(RunatlasError):
    """A snapshot cannot be opened or written."""


class ExportError(RunatlasError):
    """An export cannot be written."""


class ShapesError(RunatlasError):
    """The shapes themselves are not usable: no data has been checked."""


class UnknownNameError(RunatlasError):
    """A name that the graph or the registry does not hold."""

    def __init__(self, kind: str, name: str, near: Iterable[str] = (), hint: str = "") -> None:
        """Name the kind of thing, the name as given, and the known names that come close."""
        self.kind, self.name, self.near = kind, name, tuple(near)
        meant = f"Did you mean {' or '.join(self.near)}?" if self.near else ""
        sentences = [f"There is no {kind} {name!r} here.", meant, hint]
        super().__init__(" ".join(sentence for sentence in sentences if sentence))


class UsageError(RunatlasError):
    """Options that cannot be used together, or a value out of its range."""


class OptionsError(UsageError):
    """Options of one command are not usable; holds every problem found."""

    def __init__(self, problems: Sequence[str]) -> None:
        """Take every problem, each with its option; there is at least one."""
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class QuerySyntaxError(RunatlasError):
    """A SPARQL text does not parse."""


class QueryRefusedError(RunatlasError):
    """A SPARQL query that must not run here: it would ask another server, or break the engine."""


class QueryFailedError(RunatlasError):
    """A SPARQL query parses but cannot be answered."""


class QueryTimeoutError(QueryFailedError):
    """The answer to a query did not begin in time."""


class QueryMemoryError(QueryFailedError):
    """A query needs more memory than one may take."""


class ResultTooLargeError(QueryFailedError):
    """An answer is longer than one may be."""


class NotAcceptableError(RunatlasError):
    """No offered media type is accepted."""


class OverloadedError(RunatlasError):
    """Too many queries wait already."""


class AnswerCutError(RunatlasError):
    """An answer ended before its end: what came of it is no answer."""


class WorkersError(RunatlasError):
    """The processes that answer queries cannot be started."""
