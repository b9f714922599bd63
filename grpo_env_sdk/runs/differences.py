"""How two runs differ in what they measure, by their manifests."""

from collections.abc import Iterator, Mapping
from typing import Any

from grpo_env_sdk.runs.record_shapes import shown

COMPARED = (
    "env", "env_version", "source_hash", "dataset_fingerprint", "config", "split", "rows", "samples", "policy",
    "base_url", "sampling", "limits", "tokenizer", "user_model", "user_base_url", "policy_source",
    "policy_version",
)  # fmt: skip
"""The keys of a manifest that must be equal to resume a run; the others are for information."""
_DIGESTS = {
    "source_hash": "the environment's code changed", "dataset_fingerprint": "the environment's rows changed",
    "policy_source": "the policy's code changed",
}  # fmt: skip
"""What to say of keys whose values tell a reader nothing."""
_ABSENT = object()


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """How two manifests differ in what they measure: `samples was 1 and is 2`, `seed was 0 and is 1`."""
    return [
        told
        for key in COMPARED
        if key != "policy_source" or (one.get(key) and other.get(key))  # not every policy has one
        if key != "policy_version" or (key in one and key in other and one.get("policy") == other.get("policy"))
        for told in (
            [_DIGESTS[key]]
            if key in _DIGESTS and one.get(key) and other.get(key) and one[key] != other[key]
            else _changes("" if key == "sampling" else key, one.get(key), other.get(key))
        )
    ]


def without_source(manifest: Mapping[str, Any]) -> str:
    """The environments whose source nobody found, so that a change of it does not show."""
    each = manifest.get("environments") or {manifest.get("env"): manifest}
    return " and ".join(str(name) for name, env in each.items() if env.get("source_hash", "") is None)


def _changes(name: str, before: Any, after: Any) -> Iterator[str]:
    """What differs below a key: of two objects, each of their own keys that does, as `limits.turns`."""
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys([*before, *after]):
            yield from _changes(f"{name}.{key}".strip("."), before.get(key, _ABSENT), after.get(key, _ABSENT))
    else:
        yield f"{name or 'sampling'} was {_value(before)} and is {_value(after)}"


def _value(value: Any) -> str:
    return "not set" if value is _ABSENT else shown(value, 80)
