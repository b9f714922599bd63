"""What the manifest of a training says of its environments."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grpo_env_sdk.ext import EvalPlan, manifest_of
from grpo_env_trl.setup.trained_env import TrainedEnv

_OF_AN_ENVIRONMENT = (
    "env_version", "distribution", "source_hash", "dataset_fingerprint", "config", "tokenizer", "split", "rows",
    "reward_range", "part_ranges", "tools", "replayable", "user_model", "user_base_url", "requirements",
)  # fmt: skip
"""The keys of a manifest that describe an environment."""
_JOINED = ("env_version", "source_hash", "dataset_fingerprint", "tokenizer", "user_model", "user_base_url")
"""Those that a whole run has of all environments, one after another."""
_Ends = Sequence[float | None]


def manifest_of_envs(envs: Sequence[TrainedEnv], plans: Sequence[EvalPlan]) -> dict[str, Any]:
    """The manifest of a run on these environments; `environments` has each of them by its id.

    For several, a key of the whole run has what all of them say: names and hashes one after another, and the range
    that holds every reward. What only one environment can have is empty then.
    """
    found = {
        env.name: manifest_of(env.loaded, plan, len(env.rows), env.rows.fingerprint())
        for env, plan in zip(envs, plans, strict=True)
    }
    parts = {env.name: {"weight": env.weight.as_plain(), **_own_keys(found[env.name])} for env in envs}
    whole = next(iter(found.values()))
    if len(envs) > 1:
        whole |= {"env": written(envs), **_of_all(found)}
    return {**whole, "environments": parts}


def written(envs: Sequence[TrainedEnv]) -> str:
    """The environments as one types them: `hotel-v1=2 arithmetic-v1=1`."""
    return " ".join(f"{env.name}={env.weight}" for env in envs)


def _own_keys(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {key: manifest[key] for key in _OF_AN_ENVIRONMENT if key in manifest}


def _of_all(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    every = list(found.values())
    packages = dict.fromkeys(one["distribution"] for one in every if one["distribution"])
    return {
        **{key: _each(found, key) for key in _JOINED},
        "distribution": " ".join(packages) or None,
        "config": {name: one["config"] for name, one in found.items() if one["config"]},
        "requirements": {name: version for one in every for name, version in one["requirements"].items()},
        "rows": sum(one["rows"] for one in every),
        "reward_range": _widest(one["reward_range"] for one in every),
        "part_ranges": _part_ranges(one["part_ranges"] for one in every),
        "tools": [],
        "replayable": all(one["replayable"] for one in every),
    }


def _part_ranges(found: Iterable[Mapping[str, _Ends]]) -> dict[str, _Ends]:
    """The range of each part, as wide as that of any environment that has one of this name."""
    ranges: dict[str, _Ends] = {}
    for name, ends in (item for one in found for item in one.items()):
        ranges[name] = _widest([ranges.get(name, ends), ends])
    return ranges


def _widest(ranges: Iterable[_Ends]) -> _Ends:
    """The range around these; an end that is None has no limit."""
    lows, highs = zip(*ranges, strict=True)
    return [None if None in lows else min(lows), None if None in highs else max(highs)]


def _each(found: Mapping[str, Mapping[str, Any]], key: str) -> str | None:
    """What each environment has, with its id; None where none has anything."""
    said = [f"{name}:{one[key]}" for name, one in found.items() if one.get(key) is not None]
    return " ".join(said) or None
