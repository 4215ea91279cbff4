"""What a record of the evidence database says in its own words, judged without graph or shapes.

An oracle for tests/test_random_swaps.py: simple patterns over the JSON of one record tell whether
its coded fields still say what its hardware scope, its claims and its evidence do.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

Record = dict[str, Any]

PRODUCTS: Final = {
    "b200": r"(?<!G)\bB200\b(?! (NVL|SXM))",
    "b200-nvl": r"(?<!G)B200[ _]NVL(?!\d)",
    "b200-sxm": r"\bB200 SXM\b",
    "gb200": r"\bGB200\b(?! NVL)",
    "gb200-nvl72": r"\bGB200 NVL72\b",
    "h100": r"\bH100\b",
    "h200": r"\bH200\b",
    "mi250x": r"\bMI250X\b",
    "mi300x": r"\bMI300X\b",
    "mi325x": r"\bMI325X\b",
    "mi350x": r"\bMI350X\b",
    "mi355x": r"\bMI355X\b",
    "tpu-v6e-trillium": r"\bTPU v6e\b",
    "tpu7x": r"\bTPU7x\b",
    "trainium2": r"\b(Trainium2|Trn2)\b",
    "trainium3": r"\bTrainium3\b",
}
PLATFORMS: Final = {
    "amd-gpu": r"\bAMD\b",
    "aws-trainium": r"Trainium",
    "cloud-ai-100": r"Cloud AI 100",
    "google-tpu": r"\bTPU\b",
    "nvidia-gpu": r"NVIDIA|Hopper|Blackwell",
}
MODELS: Final = {
    "deepseek-r1-0528": r"DeepSeek-R1-0528",
    "gpt-oss-120b": r"(?i:gpt-oss-120b)",
    "llama-3-1-405b-instruct": r"Llama[- ]3\.1[- ]405B",
    "llama-3-3-70b-instruct": r"Llama[- ]3\.3[- ]70B",
    "llama-4-scout-17b-16e": r"Llama[- ]4[- ]Scout",
    "qwen3-235b-a22b": r"Qwen3-235B-A22B(?!-Thinking)",
    "qwen3-235b-a22b-thinking-2507": r"Qwen3-235B-A22B-Thinking-2507",
}
# A token that names no precision (AIM profile precision, Checkpoint default) claims none.
PRECISIONS: Final = {
    "BF16": r"\bBF16\b",
    "FP16": r"\bFP16\b",
    "FP32": r"\bFP32\b",
    "FP8": r"\bFP8\b",
    "FP8 KV": r"\bFP8[- ]KV\b|KV cache FP8",
    "FP8 static (ModelOpt)": r"static .*FP8|FP8 static",
    "INT4": r"\bINT4\b",
    "INT8": r"\bINT8\b",
    "MXFP4": r"\bMXFP4\b",
    "MXFP8": r"\bMXFP8\b",
    "NVFP4": r"\bNVFP4\b",
}
_STEPS: Final = r"tutorial|guide|recipe|documented|configurations to serve"
_VENDORS: Final = r"AWS|Google|AMD|NVIDIA"
_DENIES: Final = r"\b(no|not|neither|nor)\b"


def stretched(record: Record, before: Record, reviewed: str) -> Iterator[str]:
    """Yield the kinds of what a changed record says beyond its own words.

    A precision that it had before is let pass: one record has such a one of its own.
    """
    said = " ".join([record["hardware_scope"], *(item["claim"] for item in record["evidence"])])
    new = set(record["precision_modes"]) - set(before["precision_modes"])
    level = record["support_level"]
    borne = {
        "product": all(_affirmed(PRODUCTS[product], said) for product in record["product_ids"]),
        "platform": re.search(PLATFORMS[record["platform_id"]], said),
        "checkpoint": re.search(MODELS[record["model_id"]], said),
        "precision": _named(new & set(PRECISIONS), f"{record['quantization']} {said}"),
        f"level {level}": _supported(level, record["evidence"], said),
        "date": all(
            (item["published_at"] or "") <= item["checked_at"] <= reviewed
            for item in record["evidence"]
        ),
    }
    yield from (kind for kind, holds in borne.items() if not holds)


def _affirmed(pattern: str, said: str) -> bool:
    """Tell whether a sentence without a negation says it."""
    parts = re.split(r"(?<=[.;])\s+", said)
    return any(re.search(pattern, part) and not re.search(_DENIES, part) for part in parts)


def _named(tokens: Iterable[str], words: str) -> bool:
    return all(re.search(PRECISIONS[token], words) for token in tokens)


def _supported(level: str, evidence: list[Record], said: str) -> bool:
    types = {item["type"] for item in evidence}
    publishers = " ".join(item["publisher"] for item in evidence)
    return {
        "documented_recipe": types <= {"vendor_docs", "upstream_docs"}
        and bool(re.search(_STEPS, said)),
        "upstream_verified": types == {"upstream_docs"} and not re.search(_VENDORS, publishers),
        "vendor_reported": types <= {"vendor_docs", "vendor_report"},
        "independently_tested": types == {"independent_test"},
        "integration_only": not any(re.search(name, said) for name in MODELS.values()),
    }[level]
