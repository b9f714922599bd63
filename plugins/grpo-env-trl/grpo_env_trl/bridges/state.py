"""The state that a checkpoint keeps beside the model: that of the environment, and the adaptive weights."""

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import EnvDescription, LoadedEnv, RewardPart, UsageError
from grpo_env_trl.bridges.state_values import InexpressibleError, plain, restored

FILE = "grpo_env_state.json"
TENSORS = "grpo_env_state.safetensors"
OLD_FILE = "grpo_env_state.pkl"
"""What earlier versions wrote; it runs code when it is loaded."""
_WRITE = "Write state_dict() and load_state_dict(state), with numbers, text, lists, dicts and arrays."
_NO_STATE = {"datasets", "grpo_env_sdk", "logging", "re", "tokenizers", "transformers"}
"""Packages whose objects the constructor and `build_dataset` make again."""
AT_FIRST = {"factor": 1.0}
"""The state of a weight that has not moved."""


def moving_weights(env: EnvDescription) -> list[RewardPart]:
    """The rewards of an environment whose weight moves in training."""
    return [part for part in env.score_rule.parts if part.moving]


def save_state(loaded: LoadedEnv, folder: Path) -> None:
    """Save the state of the environment, as JSON and safetensors."""
    tensors: dict[str, Any] = {}
    moving = moving_weights(loaded.description)
    state: dict[str, Any] = {"weights": {part.name: part.moving.state() for part in moving if part.moving}}
    kept, _ = _expressible(loaded, tensors)
    (folder / FILE).write_text(json.dumps({**state, **kept}), encoding="utf-8")
    if tensors:
        from safetensors.torch import save_file

        save_file(tensors, folder / TENSORS)


def warn_of_lost_state(loaded: LoadedEnv) -> None:
    """Name what a checkpoint cannot keep; a resumed run begins anew there."""
    _, left = _expressible(loaded, {})
    if left:
        warnings.warn(
            f"{loaded.spec.id}: {', '.join(left)} cannot be kept with a checkpoint; a resumed run begins anew there. "
            + (_WRITE if loaded.pool.kind == "thread" else "Threads keep it: leave --env-pool out."),
            GrpoEnvWarning,
            stacklevel=2,
        )


def restore_state(loaded: LoadedEnv, folder: Path, *, trust: bool = False) -> None:
    """Restore what `save_state` saved; a warning if there is nothing. `trust` loads an old, pickled state too."""
    if (folder / FILE).exists():
        state = _read(folder)
    elif (folder / OLD_FILE).exists() and trust:
        state = pickle.loads((folder / OLD_FILE).read_bytes())
    else:
        _warn_of_no_state(loaded, folder)
        return
    for part in moving_weights(loaded.description):
        if part.moving and part.name in state["weights"]:
            part.moving.restore(state["weights"][part.name])
    if loaded.pool.kind != "thread":
        return
    if "environment" in state:
        loaded.env.load_state_dict(state["environment"])
    vars(loaded.env).update(state.get("attributes", {}))


def _warn_of_no_state(loaded: LoadedEnv, folder: Path) -> None:
    if (folder / OLD_FILE).exists():
        text = f"{folder / OLD_FILE} is pickled and not loaded, so {loaded.spec.id} begins anew."
    else:
        text = (
            f"{loaded.spec.id} has no state in {folder}, so it begins anew. "
            "To resume elsewhere, give the checkpoint as args.resume_from_checkpoint."
        )
    warnings.warn(text, GrpoEnvWarning, stacklevel=3)


def _read(folder: Path) -> dict[str, Any]:
    try:
        tensors: dict[str, Any] = {}
        if (folder / TENSORS).exists():
            from safetensors.torch import load_file

            tensors = load_file(folder / TENSORS)
        state = json.loads((folder / FILE).read_text(encoding="utf-8"))
        if not isinstance(state["weights"], dict) or not isinstance(state.get("attributes", {}), dict):
            raise TypeError("it is no state")
        return {name: restored(value, tensors) for name, value in state.items()}
    except Exception as exc:  # of the file's content, whatever somebody wrote into it
        raise UsageError(
            f"{folder / FILE} cannot be read: {type(exc).__name__}.", "Resume from an earlier checkpoint."
        ) from exc


def _expressible(loaded: LoadedEnv, tensors: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The state of the environment as JSON, and the names of what has no form there."""
    env = loaded.env
    if loaded.pool.kind != "thread":  # it is in workers, which come and go
        return {}, ["the state of its workers"] if loaded.has_state else []
    if loaded.has_state:
        kept, left = _plain_items({"environment": env.state_dict()}, tensors)
        return kept, ["what state_dict() returns"] if left else []
    if loaded.traits.instances != "shared":
        return {}, []
    kept, left = _plain_items(vars(env), tensors)
    return {"attributes": kept}, left


def _plain_items(values: dict[str, Any], tensors: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    kept, left = {}, []
    for name, value in values.items():
        try:
            kept[name] = plain(value, tensors)
        except (InexpressibleError, RecursionError):
            if not _constructed_again(value):
                left.append(name)
    return kept, left


def _constructed_again(value: Any) -> bool:
    """Whether a value is no state: functions, rewards, datasets and tokenizers are the same in the next process."""
    if isinstance(value, list | tuple):
        return all(map(_constructed_again, value))
    return callable(value) or type(value).__module__.partition(".")[0] in _NO_STATE
