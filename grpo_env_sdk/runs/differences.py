"""How two runs differ in what they measure, by their manifests."""

from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.runs.record_shapes import shown

COMPARED = (
    "env", "env_version", "source_hash", "dataset_fingerprint", "config", "split", "rows", "samples", "policy",
    "base_url", "sampling", "limits", "tokenizer", "user_model", "user_base_url",
)  # fmt: skip
"""The keys of a manifest that must be equal to resume a run; the others are for information."""
_DIGESTS = {"source_hash": "the environment's code changed", "dataset_fingerprint": "the environment's rows changed"}
"""What to say of keys whose values tell a reader nothing."""


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """How two manifests differ in what they measure: `samples was 1 and is 2`."""
    return [
        _DIGESTS[key]
        if key in _DIGESTS and one.get(key) and other.get(key)
        else f"{key} was {shown(one.get(key), 80)} and is {shown(other.get(key), 80)}"
        for key in COMPARED
        if one.get(key) != other.get(key)
    ]
