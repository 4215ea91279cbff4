"""Check a model on targets: resolve what was typed, read the facts, judge each target."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pyoxigraph import NamedNode

from kg.backend import Backend
from kg.check.classes import ClassFacts, read_class_facts
from kg.check.facts import Path as SupportPath
from kg.check.facts import read_paths, read_requirements, read_requirements_of_class
from kg.check.question import ROLES, AskedPrecision, AskedStack, Configuration
from kg.check.relations import Relations, read_relations
from kg.check.verdict import Judged, judge
from kg.errors import UnknownNameError, UsageError
from kg.iris import mint_checkpoint, mint_iri
from kg.names import HARDWARE, Named, Names, near_repository_ids, read_names
from kg.queries import query_text
from kg.terms import shorten
from kg.vocab import RA
from mappings.source_text import REPOSITORY_ID

_CLASS = re.compile(r"\w+", re.ASCII)
_CONFIG_BYTES = 1 << 20
_VARIANT_KEY = re.compile(r"quant|compression_config|peft|lora|adapter", re.IGNORECASE)
_LOW_PRECISION = re.compile(r"(torch\.)?u?(int|float)[2-8](_.*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was typed; every field but the model may be left out."""

    model: str
    targets: tuple[str, ...] = ()
    architecture: str | None = None
    quantised: bool = False
    stack: str | None = None
    precision: str | None = None
    features: tuple[str, ...] = ()
    count: int | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The answer: one judgement for each target, under one snapshot.

    ``paths``, ``classes`` and ``relations`` are what was judged by.
    """

    model: str
    iri: NamedNode
    known: bool
    near: tuple[str, ...]
    asked: Configuration
    paths: tuple[SupportPath, ...]
    classes: ClassFacts
    relations: Relations
    targets: tuple[Judged, ...]
    labels: dict[NamedNode, str]
    snapshot: str


def check(backend: Backend, request: Request, *, as_of: date) -> Checked:
    """Check a model on each target; without targets, on every platform.

    Raises:
        UnknownNameError: a target, component, precision or feature that the registry does not hold.
        UsageError: a malformed repository id, class, role or count.
    """
    names = read_names(backend)
    asked = _configuration(request, names, as_of)
    targets = _targets(request.targets, names)
    ids = [shorten(row["id"]) for row in backend.select(query_text("repository_ids"), {})]
    if not REPOSITORY_ID.fullmatch(request.model):
        near = near_repository_ids(request.model, ids)
        raise UnknownNameError("repository id org/name", request.model, near)
    iri = mint_checkpoint(request.model)
    paths = read_paths(backend, iri)
    classes = read_class_facts(backend, request.model, iri, asked)
    requirements = read_requirements(backend, iri)
    if classes.membership:
        architecture = mint_iri("architecture", classes.membership.name)
        requirements += read_requirements_of_class(backend, architecture)
    relations = read_relations(backend)
    known = request.model in ids
    return Checked(
        model=request.model,
        iri=iri,
        known=known,
        near=() if known else tuple(near_repository_ids(request.model, ids)),
        asked=asked,
        paths=paths,
        classes=classes,
        relations=relations,
        targets=tuple(
            judge(
                iri,
                target,
                asked,
                paths=paths,
                classes=classes,
                requirements=requirements,
                relations=relations,
            )
            for target in targets
        ),
        labels={thing.iri: thing.label for thing in names.things.values()},
        snapshot=backend.snapshot,
    )


def _targets(asked: Sequence[str], names: Names) -> list[Named]:
    if asked:
        found = [_target(name, names) for name in asked]
    else:
        found = [thing for thing in names.things.values() if thing.type == RA.Platform]
        found.sort(key=lambda thing: thing.id)
    return list({thing.iri: thing for thing in found}.values())


def _target(name: str, names: Names) -> Named:
    try:
        return names.resolve("target", name, HARDWARE)
    except UnknownNameError as error:
        hint = "'runatlas ask hardware' lists them."
        raise UnknownNameError("target", name, error.near, hint=hint) from None


def _configuration(request: Request, names: Names, as_of: date) -> Configuration:
    if request.count is not None and request.count < 1:
        raise UsageError("The count is a whole number of devices, from 1.")
    if request.architecture is not None and not _CLASS.fullmatch(request.architecture):
        raise UsageError(f"{request.architecture!r} is not a class such as LlamaForCausalLM.")
    return Configuration(
        as_of=as_of,
        stack=_stack(request.stack, names) if request.stack is not None else None,
        precision=_precision(request.precision, names) if request.precision is not None else None,
        features=tuple(dict.fromkeys(_feature(name, names) for name in request.features)),
        count=request.count,
        strict=request.strict,
        supplied_class=request.architecture,
        variant="its configuration is quantised, or an adapter's" if request.quantised else None,
    )


def _feature(name: str, names: Names) -> Named:
    return names.resolve("feature", name, (RA.Feature,))


def _stack(text: str, names: Names) -> AskedStack:
    name, separator, version = text.partition("==")
    if "=" in name:
        raise UsageError(f"{text!r} is not NAME or NAME==RELEASE.")
    if separator and not version:
        raise UsageError(f"{text!r} lacks a release after '=='.")
    return AskedStack(names.resolve("component", name, (RA.Component,)), version or None)


def _precision(text: str, names: Names) -> AskedPrecision:
    name, separator, role = text.partition(":")
    if separator and role not in ROLES:
        raise UsageError(f"{role!r} is not a role: {', '.join(ROLES)}.")
    return AskedPrecision(names.resolve("precision", name, (RA.Precision,)), ROLES.get(role))


def read_model_config(path: Path) -> tuple[str, bool]:
    """Read the one class that a model's configuration gives, and whether it is another's variant.

    It is one if anything in it speaks of quantisation or of an adapter.

    Raises:
        UsageError: the file cannot be read, or gives no class, or several.
    """
    try:
        config = json.loads(_read_start(path), object_pairs_hook=_refuse_repeated)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not a model configuration: {error}") from error
    classes = config.get("architectures") if isinstance(config, dict) else None
    if not isinstance(classes, list) or not all(isinstance(name, str) for name in classes):
        raise UsageError(f"{path}: 'architectures' is not a list of classes.")
    if len(classes) != 1:
        raise UsageError(f"{path}: 'architectures' gives {len(classes)} classes; one is needed.")
    return classes[0], _speaks_of_variant(config)


def _read_start(path: Path) -> bytes:
    if not path.is_file():
        raise UsageError(f"{path}: not a regular file.")
    with path.open("rb") as file:
        content = file.read(_CONFIG_BYTES + 1)
    if len(content) > _CONFIG_BYTES:
        raise UsageError(f"{path}: larger than {_CONFIG_BYTES:,} bytes: not a model configuration.")
    return content


def _refuse_repeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError("a key stands twice in it")
    return dict(pairs)


def _speaks_of_variant(config: object) -> bool:
    waiting = [config]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(_VARIANT_KEY.search(key) for key in value):
                return True
            if _LOW_PRECISION.fullmatch(str(value.get("torch_dtype", value.get("dtype", "")))):
                return True
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return False
