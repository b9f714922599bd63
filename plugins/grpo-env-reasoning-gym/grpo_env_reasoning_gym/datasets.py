"""A class for each dataset of reasoning-gym, created on first use: `grpo_env_reasoning_gym.datasets:chain_sum`."""

import inspect
from typing import Any

from grpo_env_reasoning_gym.env import ReasoningGymEnv
from grpo_env_reasoning_gym.parameters import own_parameters

FEWER = {
    "futoshiki": 80, "intermediate_integration": 120, "knight_swap": 40, "puzzle24": 120, "sokoban": 120,
    "zebra_puzzles": 120,
}  # fmt: skip
"""The default size of datasets that need more than a twentieth of a second per item."""

_made: dict[str, type[ReasoningGymEnv]] = {}


def __getattr__(name: str) -> type[ReasoningGymEnv]:
    if name not in _made:
        from reasoning_gym.factory import DATASETS

        if name not in DATASETS:
            raise AttributeError(f"reasoning-gym has no dataset {name!r}")
        _made[name] = _class_of(name, DATASETS[name][1])
    return _made[name]


def __dir__() -> list[str]:
    from reasoning_gym.factory import DATASETS

    return sorted(DATASETS)


def _class_of(name: str, config_class: Any) -> type[ReasoningGymEnv]:
    """An environment class whose constructor has the dataset's own parameters, so that config is checked."""

    def construct(self: ReasoningGymEnv, **config: Any) -> None:
        ReasoningGymEnv.__init__(self, **{**fewer, **config})

    fewer = {"size": FEWER[name]} if name in FEWER else {}
    ours = [
        p.replace(default=fewer.get(p.name, p.default))
        for p in inspect.signature(ReasoningGymEnv.__init__).parameters.values()
        if p.kind is not p.VAR_KEYWORD
    ]
    own = [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
        for key, (hint, default) in own_parameters(config_class).items()
    ]
    construct.__signature__ = inspect.Signature([*ours, *own])  # type: ignore[attr-defined]  # what `inspect` reads
    construct.__annotations__ = {p.name: p.annotation for p in [*ours[1:], *own]}
    about = f"The dataset {name} of reasoning-gym."
    members = {"dataset": name, "__init__": construct, "__module__": __name__, "__doc__": about}
    return type(name, (ReasoningGymEnv,), members)
