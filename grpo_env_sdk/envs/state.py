"""The state of an environment's instance, as a checkpoint keeps it: JSON, with arrays beside it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import EnvironmentFailedError
from grpo_env_sdk.isolation.calls.tracebacks import describe_error
from grpo_env_sdk.isolation.values.state_values import InexpressibleError, RawArray, plain, restored

_NO_STATE = {"datasets", "grpo_env_sdk", "logging", "re", "tokenizers", "transformers"}
"""Packages whose objects the constructor and `build_dataset` make again."""
_KEYS = {"environment", "attributes"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EnvState:
    """What there is to keep of an instance."""

    text: str = "{}"
    """A JSON object: what `state_dict()` returned as `environment`, or the instance's `attributes`."""
    arrays: dict[str, RawArray] = field(default_factory=dict)
    """The arrays and tensors in it, by the numbers that it has for them."""
    left: list[str] = field(default_factory=list)
    """The names of what has no form there."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "EnvState":
        """The state with these values, as `state_dict()` or an instance has them."""
        arrays: dict[str, RawArray] = {}
        kept: dict[str, Any] = {}
        left: list[str] = []
        if "environment" in values:
            kept, found = _plain_items({"environment": values["environment"]}, arrays)
            left += ["what state_dict() returns"] if found else []
        if "attributes" in values:
            kept["attributes"], found = _plain_items(values["attributes"], arrays)
            left += found
        return cls(json.dumps(kept), arrays, left)

    @property
    def adds_up(self) -> bool:
        """Whether a worker may have sent it: a JSON object of what a state has, and whole arrays."""
        try:
            kept = json.loads(self.text)
        except (ValueError, RecursionError):
            return False
        arrays = all(name.isdecimal() and array.adds_up for name, array in self.arrays.items())
        return isinstance(kept, dict) and kept.keys() <= _KEYS and arrays

    def values(self) -> dict[str, Any]:
        """What `of` was given, without what is left; raises whatever where it is damaged."""
        kept = json.loads(self.text)
        return {name: restored(value, self.arrays) for name, value in kept.items() if name in _KEYS}


def state_of(loaded: LoadedEnv) -> EnvState:
    """The state of an environment of this process: what its `state_dict()` says, or all of an instance that is shared.

    Raises an `EnvironmentFailedError` where its code does not give it.
    """
    if loaded.has_state:
        return EnvState.of({"environment": _called(loaded, "state_dict", lambda: loaded.env.state_dict())})
    return EnvState.of({"attributes": vars(loaded.env)} if loaded.traits.instances == "shared" else {})


def give_state(loaded: LoadedEnv, state: EnvState) -> None:
    """Give an environment of this process its state back."""
    values = state.values()
    if "environment" in values:
        _called(loaded, "load_state_dict", lambda: loaded.env.load_state_dict(values["environment"]))
    vars(loaded.env).update(values.get("attributes", {}))


def _called(loaded: LoadedEnv, what: str, call: Callable[[], T]) -> T:
    try:
        return call()
    except (Exception, SystemExit) as exc:
        said = f"{what} of {loaded.spec.id} raised {describe_error(exc)}."
        raise EnvironmentFailedError(said, "Fix it there.") from exc


def _plain_items(values: Mapping[str, Any], arrays: dict[str, RawArray]) -> tuple[dict[str, Any], list[str]]:
    kept, left = {}, []
    for name, value in values.items():
        try:
            kept[name] = plain(value, arrays)
        except (InexpressibleError, RecursionError):
            if not _constructed_again(value):
                left.append(name)
    return kept, left


def _constructed_again(value: Any) -> bool:
    """Whether a value is no state: functions, rewards, datasets and tokenizers are the same in the next process."""
    if isinstance(value, list | tuple):
        return all(map(_constructed_again, value))
    return callable(value) or type(value).__module__.partition(".")[0] in _NO_STATE
