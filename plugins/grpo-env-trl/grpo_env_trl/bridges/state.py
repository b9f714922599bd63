"""The state that a checkpoint keeps beside the model: that of the environment, and the adaptive weights."""

import pickle
import warnings
from pathlib import Path
from typing import Any

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import EnvDescription, LoadedEnv, RewardPart

FILE = "grpo_env_state.pkl"
AT_FIRST = {"factor": 1.0}
"""The state of a weight that has not moved."""


def moving_weights(env: EnvDescription) -> list[RewardPart]:
    """The rewards of an environment whose weight moves in training."""
    return [part for part in env.score_rule.parts if part.moving]


def save_state(loaded: LoadedEnv, folder: Path) -> None:
    """Save the state of the environment."""
    env = loaded.env
    moving = moving_weights(loaded.description)
    state: dict[str, Any] = {"weights": {part.name: part.moving.state() for part in moving if part.moving}}
    if callable(getattr(env, "state_dict", None)):
        state["environment"] = env.state_dict()
    elif loaded.traits.instances == "shared":
        state["attributes"] = _picklable(loaded, vars(env))
    (folder / FILE).write_bytes(pickle.dumps(state))


def restore_state(loaded: LoadedEnv, folder: Path) -> None:
    """Restore what `save_state` saved; a warning if there is nothing."""
    path = folder / FILE
    if not path.exists():
        warnings.warn(
            f"{loaded.spec.id} has no state in {folder}, so it begins anew. "
            "To resume elsewhere, give the checkpoint as args.resume_from_checkpoint.",
            GrpoEnvWarning,
            stacklevel=2,
        )
        return
    state = pickle.loads(path.read_bytes())
    for part in moving_weights(loaded.description):
        if part.moving and part.name in state["weights"]:
            part.moving.restore(state["weights"][part.name])
    if "environment" in state:
        loaded.env.load_state_dict(state["environment"])
    vars(loaded.env).update(state.get("attributes", {}))


def _picklable(loaded: LoadedEnv, attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes that can be saved; a warning names the others."""
    kept, left = {}, []
    for name, value in attributes.items():
        try:
            pickle.dumps(value)
        except Exception:  # the author's objects
            left.append(name)
        else:
            kept[name] = value
    if left:
        warnings.warn(
            f"{loaded.spec.id}: {', '.join(left)} cannot be kept with a checkpoint; a resumed run begins anew there. "
            "Write state_dict() and load_state_dict(state).",
            GrpoEnvWarning,
            stacklevel=4,
        )
    return kept
