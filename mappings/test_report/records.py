"""A document of test reports as its file has it; field names are the file's own keys."""

from dataclasses import dataclass
from datetime import date
from typing import Literal


@dataclass(frozen=True, slots=True)
class Software:
    """One component of the stack, with its exact version."""

    component: str
    version: str


@dataclass(frozen=True, slots=True)
class UsedPrecision:
    """A precision and what was in it."""

    precision: str
    role: str


@dataclass(frozen=True, slots=True)
class Correctness:
    """How the answers were checked, against what, and what came of it."""

    method: str
    reference: str
    result: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Log:
    """The log that the outcome was read from."""

    sha256: str
    url: str | None


@dataclass(frozen=True, slots=True)
class Publication:
    """Where a report is published."""

    url: str
    published_at: date | None


@dataclass(frozen=True, slots=True)
class TestReport:
    """One run of one checkpoint in one configuration."""

    pointer: str
    id: str
    checkpoint: str
    revision: str
    product: str
    hardware: str
    devices: int
    unit: str
    nodes: int | None
    parallelism: tuple[str, ...]
    software: tuple[Software, ...]
    precisions: tuple[UsedPrecision, ...]
    features: tuple[str, ...]
    environment: tuple[str, ...]
    command: str
    outcome: Literal["pass", "limited", "fail"]
    finding: str
    correctness: Correctness | None
    limitations: tuple[str, ...]
    log: Log
    ran_at: date
    checked_at: date
    published: Publication | None


@dataclass(frozen=True, slots=True)
class TestReports:
    """The whole document: the reports of one publisher."""

    version: str
    publisher: str
    reports: tuple[TestReport, ...]
