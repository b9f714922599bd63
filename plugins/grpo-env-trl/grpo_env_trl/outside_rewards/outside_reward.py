"""A reward from outside the environment, with its weight, and all of a training in their order."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from numbers import Real
from typing import Any, Literal

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.outside_rewards.calling import is_model, is_ready, name_of
from grpo_env_trl.outside_rewards.loading import load_function
from grpo_env_trl.outside_rewards.reference import RewardReference, reference_of

KINDS = ("function", "model")


@dataclass(frozen=True)
class OutsideReward:
    """A reward function, or a reward model: its name until it is opened, or a loaded one."""

    kind: Literal["function", "model"]
    thing: Any
    weight: float
    reference: str | None
    """How a command line names it; None for an object that only this program has."""
    weighted: bool = False
    """Whether the weight was written with the reference."""
    tokenizer: Any = None
    """The tokenizer that a program gave with a reward model."""

    @property
    def written(self) -> str:
        """The reference with its weight, as a config file has it."""
        return f"{self.reference}={self.weight!r}"

    def as_json(self) -> dict[str, Any]:
        """Its entry in the manifest of a run."""
        return {"kind": self.kind, "name": name_of(self.thing), "reference": self.reference, "weight": self.weight}


def outside_rewards(
    items: Sequence[Any], weights: Sequence[float] | None, longest: Callable[[], int], tokenizers: Sequence[Any] = ()
) -> tuple[OutsideReward, ...]:
    """The rewards of a training, from references, names as `reward_funcs` has them, functions and loaded models.

    Args:
        weights: One for each item, in the same order.
        longest: The most tokens of a completion, asked only for a function that needs it and was not given it.
        tokenizers: Those of the first items, as far as these are reward models with a tokenizer given.
    """
    found = [replace(_found(item, longest), tokenizer=tokenizer) for item, tokenizer in zip_longest(items, tokenizers)]
    if weights is None:
        return tuple(found)
    if not found:
        raise UsageError(
            "reward_weights weigh the functions and models of --reward-func and --reward-model, and there is none.",
            "The weights of the environment's own rewards are in its class.",
        )
    if len(weights) != len(found):
        raise UsageError(
            f"There are {len(found)} reward functions and models, and {len(weights)} reward_weights.",
            "Give each one weight: first the functions, then the models.",
        )
    if twice := next((reward.reference for reward in found if reward.weighted), None):
        raise UsageError(f"{twice} has a weight, and there are reward_weights.", "Use one way.")
    return tuple(replace(each, weight=_checked(weight)) for each, weight in zip(found, weights, strict=True))


def _found(item: Any, longest: Callable[[], int]) -> OutsideReward:
    if isinstance(item, str):
        item = reference_of(item)
    if not isinstance(item, RewardReference):
        if not callable(item) or isinstance(item, type):
            hint = "Use a function, an object that is called, a name, or a reward model."
            raise UsageError(f"{item!r:.80} is not a reward function.", hint)
        thing = getattr(item, "__grpo_reward__", item)
        return OutsideReward("model" if is_model(item) else "function", thing, _own_weight(thing), _reference(item))
    thing = item.text if item.kind == "model" else load_function(item, longest)
    weight = _own_weight(thing) if item.weight is None else item.weight
    return OutsideReward(item.kind, thing, weight, item.text, weighted=item.weight is not None)


def _own_weight(thing: Any) -> float:
    """The weight of a `Reward` of the SDK; 1 for everything else."""
    return float(thing.weight) if is_ready(thing) else 1.0


def _checked(weight: Any) -> float:
    if not isinstance(weight, Real) or not math.isfinite(weight):
        raise UsageError(f"A reward weight is {weight!r:.80}.", "Give finite numbers.")
    return float(weight)


def _reference(function: Any) -> str | None:
    """The import path of a function of a module; None where a new process could not find it."""
    module, path = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    found: Any = sys.modules.get(module or "")
    for name in path.split("."):
        found = getattr(found, name, None)
    return f"{module}:{path}" if found is function and module != "__main__" else None
