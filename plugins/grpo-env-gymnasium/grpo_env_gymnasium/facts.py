"""Facts about Gymnasium's environments that their docstrings do not have: the range of returns, a legend."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.ext import ConfigError

Range = tuple[float, float]

OWN = "gymnasium.envs."
"""The package of Gymnasium's own environments; others of the same name may be different."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The returns that score 0 and 1, given the number of turns, and a legend of the rendered text."""

    returns: Callable[[int], Range]
    legend: str = ""


_LAKE = Facts(lambda turns: (0.0, 1.0), "S start, F frozen, H hole, G goal; you are where the brackets [] stand.")
_CLIFF = Facts(lambda turns: (-2.0 * turns, 0.0), "x you, o ground, C cliff, T goal.")  # room for one fall
_TAXI = Facts(
    lambda turns: (-turns, 20.0),
    "[] the taxi, <> the taxi with the passenger in it, () where the passenger waits, {} where the passenger wants "
    "to go; the taxi cannot pass |, and can pass :.",
)
_COST_OF_A_TURN = Facts(lambda turns: (-turns, 0.0))
_POLE = Facts(lambda turns: (0.0, turns))
_SWING = Facts(lambda turns: (-16.2736044 * turns, 0.0))  # the lowest reward of one step, from its docstring

_KNOWN = {
    "Acrobot": _COST_OF_A_TURN,
    "Blackjack": Facts(lambda turns: (-1.0, 1.0)),
    "CartPole": _POLE,
    "CliffWalking": _CLIFF,
    "CliffWalkingSlippery": _CLIFF,
    "FrozenLake": _LAKE,
    "FrozenLake8x8": _LAKE,
    "MountainCar": _COST_OF_A_TURN,
    "MountainCarContinuous": Facts(lambda turns: (0.0, 100.0)),
    "Pendulum": _SWING,
    "Taxi": _TAXI,
}


def returns_of(spec: Any, turns: int, declared: Sequence[float] | None) -> Range:
    """The returns that score 0 and 1: as declared, else as known."""
    facts = facts_of(spec)
    if declared is None and facts is None:
        raise ConfigError(
            f"The range of returns of {spec.id} is not known.",
            """Give the lowest and the highest: --env-config '{"reward_range": [0, 100]}'.""",
        )
    ends = list(declared) if declared is not None else list(facts.returns(turns)) if facts else []
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise ConfigError(f"reward_range is {declared!r}.", "Give [lowest, highest], such as [-200, 0].")
    return float(ends[0]), float(ends[1])


def facts_of(spec: Any) -> Facts | None:
    """The facts about a registered environment; else 0 to Gymnasium's threshold for solved, if it is above 0."""
    if str(spec.entry_point).startswith(OWN) and spec.name in _KNOWN:
        return _KNOWN[spec.name]
    threshold = spec.reward_threshold
    return Facts(lambda turns: (0.0, float(threshold))) if threshold and threshold > 0 else None
