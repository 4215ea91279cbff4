"""The parameters that ``check`` and ``explain`` share: they narrow the question alike."""

from typing import Annotated

from fastapi import Query

GivenArchitecture = Annotated[
    str | None,
    Query(
        description="The class in the model's configuration, where no source states it",
        examples=["LlamaForCausalLM"],
        json_schema_extra={"pattern": "^[A-Za-z0-9_]+$"},
    ),
]
GivenQuantised = Annotated[
    bool,
    Query(
        description="The configuration has a `quantization_config`: nothing is lent to it",
        examples=[False],
    ),
]
GivenStack = Annotated[
    str | None,
    Query(description="A component, with a release if one matters", examples=["vllm==0.9.1"]),
]
GivenPrecision = Annotated[
    str | None,
    Query(
        description="A precision, with a role if one matters: weights, compute or kv-cache",
        examples=["fp8:weights"],
    ),
]
GivenFeatures = Annotated[
    list[str],
    Query(
        default_factory=list,
        description="A feature that is needed; may be repeated",
        examples=[["speculative-decoding"]],
    ),
]
GivenCount = Annotated[
    int | None, Query(description="How many devices, from 1", ge=1, examples=[8])
]
GivenDay = Annotated[
    str | None,
    Query(
        description="The day to answer for: later statements do not count; without it, today",
        examples=["2026-11-30"],
        json_schema_extra={"format": "date"},
    ),
]
GivenStrict = Annotated[
    bool,
    Query(description="Do not assume a class from a model's family", examples=[False]),
]
