"""Run the command line as ``python -m kg.cli``."""

from kg.cli import main

main()
