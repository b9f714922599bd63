"""The environments of one training and their weights: how `hotel-v1=2 arithmetic-v1=1` is read."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.ext import EnvPool, LoadedEnv, UsageError, load_for

_LIKE = "Like hotel-v1=2 arithmetic-v1=1."


@dataclass(frozen=True)
class Weight:
    """How much of every batch an environment gets: a number, or one from each of several steps on."""

    points: tuple[tuple[int, float], ...] = ((0, 1.0),)

    def at(self, step: int) -> float:
        """The weight at a step, the first of which is 0."""
        return next(weight for start, weight in reversed(self.points) if start <= step)

    @property
    def mean(self) -> float:
        """The mean of its numbers."""
        return sum(weight for _, weight in self.points) / len(self.points)

    def __str__(self) -> str:
        if len(self.points) == 1:
            return f"{self.points[0][1]:g}"
        return ",".join(f"{weight:g}@{step}" for step, weight in self.points)

    def as_plain(self) -> float | str:
        """The weight as a config file has it."""
        return self.points[0][1] if len(self.points) == 1 else str(self)


@dataclass(frozen=True)
class EnvShare:
    """One of several environments of a training: its name, class, instance or what `load` gave, and its weight."""

    env: Any
    weight: Weight = Weight()  # it is frozen
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name before it is loaded."""
        if isinstance(self.env, str):
            return self.env
        if isinstance(self.env, LoadedEnv):
            return self.env.spec.id
        return (self.env if isinstance(self.env, type) else type(self.env)).__name__

    @property
    def written(self) -> str:
        """The word that names it on the command line."""
        return f"{self.name}={self.weight}"

    def as_plain(self) -> dict[str, Any]:
        """Its weight and config as a config file has them."""
        return {"weight": self.weight.as_plain(), **({"config": dict(self.config)} if self.config else {})}


def env_folder(name: str) -> str:
    """The name of a folder for what belongs to one of several environments."""
    return re.sub(r"[^\w.-]+", "-", name).strip(".-")


def share_of(word: str) -> EnvShare:
    """The environment and weight in a word of the command line: `hotel-v1`, `hotel-v1=2` or `hotel-v1=2@0,1@200`."""
    name, equals, weight = word.partition("=")
    return EnvShare(name, weight_of(weight, name) if equals else Weight())


def weight_of(written: Any, name: str) -> Weight:
    """A weight from a number or a text."""
    parts = written.split(",") if isinstance(written, str) and "@" in written else [written]
    points = [_point(part, written, name) for part in parts]
    steps = [step for step, _ in points]
    if steps[0] or steps != sorted(set(steps)):
        raise UsageError(
            f"The weight of {name} is {written!r}.", f"Steps begin at 0 and increase, like {name}=2@0,1@200."
        )
    return Weight(tuple(points))


def _point(part: Any, written: Any, name: str) -> tuple[int, float]:
    number, at, step = str(part).partition("@")
    try:
        value, start = float(number), int(step) if at else 0
    except ValueError:
        value, start = math.nan, 0
    least = value >= 0 if at else value > 0  # a weight by step may be 0 for some of them
    if not (least and value < math.inf) or isinstance(part, bool):
        raise UsageError(f"The weight of {name} is {written!r}.", f"Give a number above 0, like {name}=2.")
    return start, value


def shares_in(given: Any, config: Mapping[str, Any] | None = None) -> tuple[EnvShare, ...]:
    """The environments of a list of names, classes and instances, or of a mapping from them to weights.

    A weight may be an object with `weight` and `config`, as in a config file. `config` has configs by name, and wins.
    """
    if isinstance(given, Mapping):
        found = [_described(env, said) for env, said in given.items()]
    else:
        found = [env if isinstance(env, EnvShare) else share_of(env) if isinstance(env, str) else EnvShare(env)
                 for env in given]  # fmt: skip
    return check_shares(with_configs(found, config or {}))


def with_configs(shares: Iterable[EnvShare], config: Mapping[str, Any]) -> list[EnvShare]:
    """The environments with their configs, which are by name."""
    found = list(shares)
    names = [share.name for share in found]
    if wrong := next((name for name in config if name not in names), None):
        raise UsageError(
            f"The config of several environments has {wrong!r}, which is not one of them.",
            f"""Give it by their names, like '{{"{names[0]}": {{...}}}}'; here are {", ".join(names)}.""",
        )
    return [
        EnvShare(share.env, share.weight, _config(config[share.name], share.name)) if share.name in config else share
        for share in found
    ]


def loaded_shares(
    shares: Sequence[EnvShare], user: Any = None, pool: EnvPool | None = None, **options: Any
) -> list[LoadedEnv]:
    """The environments for a training in a pool; `user` speaks for the user of those that have a `ModelUser`.

    Only threads load them in this process. `pool` None is threads, or where `load` was told that they run.
    """
    of_all = {"split": None, **options}
    if len(shares) == 1:
        return [load_for(pool, shares[0].env, dict(shares[0].config) or None, user=user, **of_all)]
    found = [load_for(pool, share.env, dict(share.config) or None, **of_all) for share in shares]
    if user is None:
        return found
    if all(loaded.traits.user != "model" for loaded in found):
        raise UsageError("No environment has a ModelUser, so there is no user for --user-model.", "Leave it out.")
    return [loaded.with_settings(user_model=user) if loaded.traits.user == "model" else loaded for loaded in found]


def check_shares(shares: Sequence[EnvShare]) -> tuple[EnvShare, ...]:
    """The environments; an error where one comes twice, or all have no weight at some step."""
    if not shares:
        raise UsageError("train needs the name of an environment.", "Give it first: grpo-env train hotel-v1")
    names = [share.name for share in shares]
    if twice := next((name for place, name in enumerate(names) if name in names[:place]), None):
        raise UsageError(f"{twice} is given twice.", f"Give it once, with its weight: {twice}=2.")
    for step in sorted({start for share in shares for start, _ in share.weight.points}):
        if not any(share.weight.at(step) for share in shares):
            raise UsageError(f"From step {step} on every environment has weight 0.", _LIKE)
    return tuple(shares)


def _described(env: Any, said: Any) -> EnvShare:
    name = EnvShare(env).name
    if not isinstance(said, Mapping):
        return EnvShare(env, weight_of(said, name))
    if wrong := next((key for key in said if key not in ("weight", "config")), None):
        raise UsageError(f"{name} has {wrong!r}, which is not one of weight and config.", _LIKE)
    return EnvShare(env, weight_of(said.get("weight", 1), name), _config(said.get("config"), name))


def _config(given: Any, name: str) -> dict[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise UsageError(f"The config of {name} is {given!r:.80}.", "Give names with values.")
    return dict(given or {})
