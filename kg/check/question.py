"""What is asked: a model, a target, and the configuration that it must hold for."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from pyoxigraph import NamedNode

from kg.names import Named
from kg.vocab import RA

ROLES: Final = {"weights": RA.Weights, "compute": RA.Compute, "kv-cache": RA.KVCache}


@dataclass(frozen=True, slots=True)
class AskedStack:
    """A component, with the release asked for, if any."""

    component: Named
    version: str | None


@dataclass(frozen=True, slots=True)
class AskedPrecision:
    """A precision, in the role asked for; without one, the KV cache alone does not answer it."""

    precision: Named
    role: NamedNode | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What the answer must hold for besides the model and the hardware.

    ``variant`` says why the asker's own configuration is not that of a plain checkpoint.
    """

    as_of: date
    stack: AskedStack | None = None
    precision: AskedPrecision | None = None
    features: tuple[Named, ...] = ()
    count: int | None = None
    strict: bool = False
    supplied_class: str | None = None
    variant: str | None = None

    @property
    def narrows(self) -> bool:
        """Tell whether more than a stack is asked for, which no class-level statement covers."""
        return bool(self.precision or self.features or self.count)
