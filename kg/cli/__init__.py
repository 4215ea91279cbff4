"""The command line: parse arguments, call, print, set the exit code.

Exit codes: 0 answered, 1 the data breaks a rule (or a query ran out of time, or ``diff`` found what
it was to fail on), 2 unusable input.
The slow libraries are imported by the commands that need them, so that ``check`` answers at once.
"""

from kg.cli import answering, building, comparing, curating, explaining, reporting
from kg.cli.app import main

__all__ = ["answering", "building", "comparing", "curating", "explaining", "main", "reporting"]
