"""The state that a checkpoint keeps beside the model: that of the environment, and the adaptive weights."""

import json
import warnings
from pathlib import Path
from typing import Any

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import EnvDescription, EnvState, LoadedEnv, RawArray, RewardPart, UsageError

FILE = "grpo_env_state.json"
TENSORS = "grpo_env_state.safetensors"
_WRITE = "Write state_dict() and load_state_dict(state), with numbers, text, lists, dicts and arrays."
_THREADS = "Threads keep it: leave --env-pool out."
OF_WORKERS = EnvState(left=["the state of its workers"])
"""In the place of a state that has as many forms as there are workers."""
AT_FIRST = {"factor": 1.0}
"""The state of a weight that has not moved."""


def moving_weights(env: EnvDescription) -> list[RewardPart]:
    """The rewards of an environment whose weight moves in training."""
    return [part for part in env.score_rule.parts if part.moving]


def save_state(loaded: LoadedEnv, state: EnvState, folder: Path) -> None:
    """Save the state of the environment, as JSON and safetensors."""
    moving = moving_weights(loaded.description)
    weights = {part.name: part.moving.state() for part in moving if part.moving}
    (folder / FILE).write_text(json.dumps({**json.loads(state.text), "weights": weights}), encoding="utf-8")
    if state.arrays:
        from safetensors.torch import save_file

        save_file({name: array.as_tensor() for name, array in state.arrays.items()}, folder / TENSORS)


def warn_of_lost_state(loaded: LoadedEnv, state: EnvState) -> None:
    """Name what a checkpoint cannot keep; a resumed run begins anew there."""
    if state.left:
        warnings.warn(
            f"{loaded.spec.id}: {', '.join(state.left)} cannot be kept with a checkpoint; a resumed run begins anew "
            f"there. {_THREADS if state is OF_WORKERS else _WRITE}",
            GrpoEnvWarning,
            stacklevel=2,
        )


def read_state(loaded: LoadedEnv, folder: Path) -> EnvState:
    """What `save_state` saved, its weights restored; a warning if there is nothing."""
    if not (folder / FILE).exists():
        warnings.warn(
            f"{loaded.spec.id} has no state in {folder}, so it begins anew. "
            "To resume elsewhere, give the checkpoint as args.resume_from_checkpoint.",
            GrpoEnvWarning,
            stacklevel=2,
        )
        return EnvState()
    weights, state = _read(folder)
    for part in moving_weights(loaded.description):
        if part.moving and part.name in weights:
            part.moving.restore(weights[part.name])
    return state


def _read(folder: Path) -> tuple[dict[str, Any], EnvState]:
    """The weights and the state of a checkpoint."""
    try:
        arrays: dict[str, RawArray] = {}
        if (folder / TENSORS).exists():
            from safetensors.torch import load_file

            arrays = {name: RawArray.of_tensor(tensor) for name, tensor in load_file(folder / TENSORS).items()}
        kept = json.loads((folder / FILE).read_text(encoding="utf-8"))
        weights = kept.pop("weights")
        state = EnvState(json.dumps(kept), arrays)
        if not isinstance(weights, dict) or not isinstance(state.values().get("attributes", {}), dict):
            raise TypeError("it is no state")
    except Exception as exc:  # of the file's content, whatever somebody wrote into it
        raise UsageError(
            f"{folder / FILE} cannot be read: {type(exc).__name__}.", "Resume from an earlier checkpoint."
        ) from exc
    return weights, state
