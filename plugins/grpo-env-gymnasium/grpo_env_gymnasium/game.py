"""`Game`: one Gymnasium environment, created from its id, with isolated global state if it needs that."""

import contextlib
import importlib
import inspect
import json
import math
from collections.abc import Mapping
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator

from grpo_env_gymnasium.spoken import tellable
from grpo_env_sdk.ext import (
    ConfigError,
    ContractError,
    EnvironmentFailedError,
    IsolatedGlobalState,
    did_you_mean,
    exclusive,
    needs_isolation,
    one_line,
)

MOST_TURNS, TURNS_WITHOUT_LIMIT = 200, 100
_PROBED_STEPS = 20
_NEEDS_ISOLATION: dict[tuple[str, str], bool] = {}

Step = tuple[Any, float, bool, bool]


class Game:
    """A Gymnasium environment with its turn limit, and what is known about it before it is played."""

    def __init__(self, id: str, config: Mapping[str, Any], turns: int | None) -> None:
        self.id = id
        self.spec = _spec_of(id)
        self.cls = _class_of(self.spec)
        own_limit = self.spec.max_episode_steps or TURNS_WITHOUT_LIMIT
        self.turns = min(own_limit, MOST_TURNS) if turns is None else turns
        check_inner_config(self.spec, self.cls, config)
        self._config = dict(config)
        self.drawn = "ansi" in (getattr(self.cls, "metadata", None) or {}).get("render_modes", ())
        self.env = self._made()
        self._global_state = IsolatedGlobalState() if self._needs_isolation() else None
        self._steps = 0

    def another(self) -> "Game":
        """A second game with the same id and config, which can be played at the same time."""
        return Game(self.id, self._config, self.turns)

    def reset(self, seed: int) -> Any:
        """The first observation of the episode of a seed."""
        self._steps = 0
        if self._global_state:
            self._global_state.seed(seed)
        with self._isolated():
            observation, _ = self.env.reset(seed=seed)
        return observation

    def step(self, action: Any) -> Step:
        """Observation, reward, terminated, truncated; a reward that is not a finite number is an error."""
        with self._isolated():
            observation, reward, terminated, truncated, _ = self.env.step(action)
        self._steps += 1
        if not math.isfinite(reward):
            raise ContractError(
                f"{self.spec.id} gave the reward {reward} in step {self._steps}, for the action {action!s:.60}.",
                "Fix the environment: a reward is a finite number.",
            )
        return observation, float(reward), bool(terminated), bool(truncated)

    def screen(self) -> str:
        """The text that the environment renders."""
        with self._isolated():
            return str(self.env.render())

    def close(self) -> None:
        """Close the environment."""
        with self._isolated():
            self.env.close()

    def _isolated(self) -> contextlib.AbstractContextManager[None]:
        return self._global_state.inside() if self._global_state else contextlib.nullcontext()

    def _made(self) -> gymnasium.Env[Any, Any]:
        wanted: dict[str, Any] = {"render_mode": "ansi"} if self.drawn else {}
        wanted |= {"max_episode_steps": self.turns, "disable_env_checker": True}
        try:
            with exclusive():
                made: gymnasium.Env[Any, Any] = gymnasium.make(self.spec, **wanted, **self._config)
        except Exception as exc:
            given = f" with {json.dumps(self._config, default=repr)}" if self._config else ""
            raise EnvironmentFailedError(
                f"{self.spec.id} cannot be created{given}: {type(exc).__name__}: {one_line(exc)}.",
                "Give it the config that it needs.",
            ) from exc
        for what, space in (("action", made.action_space), ("observation", made.observation_space)):
            if not (tellable(space) or (what == "observation" and self.drawn)):
                made.close()
                raise ConfigError(
                    f"The {what}s of {self.spec.id} cannot be written as text: {space!r:.100}.",
                    "Use an environment with a smaller space.",
                )
        return made

    def _needs_isolation(self) -> bool:
        """Whether it uses global random state or prints; found out once per process."""
        key = (self.id, json.dumps(self._config, sort_keys=True, default=repr))
        if key not in _NEEDS_ISOLATION:
            _NEEDS_ISOLATION[key] = needs_isolation(self._probe)
        return _NEEDS_ISOLATION[key]

    def _probe(self) -> None:
        """Play a few random steps in an environment of its own."""
        with contextlib.suppress(Exception):  # it will fail again in an episode, and be reported there
            env = self._made()
            env.reset(seed=0)
            env.action_space.seed(0)
            for _ in range(_PROBED_STEPS):
                _, _, terminated, truncated, _ = env.step(env.action_space.sample())
                if terminated or truncated:
                    env.reset(seed=0)
            env.close()


def check_inner_config(spec: EnvSpec, cls: Any, config: Mapping[str, Any]) -> None:
    """Raise a `ConfigError` for a config key that the environment does not have; it lists the ones it has."""
    parameters = inspect.signature(cls).parameters.values()
    names = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    names = [name for name in names if name != "render_mode"]
    open_to_all = any(one.kind is one.VAR_KEYWORD for one in parameters)
    for name in config:
        if name == "render_mode" or (name not in names and not open_to_all):
            hint = did_you_mean(name, names)
            its = f"{spec.id} takes: {', '.join(names)}." if names else f"{spec.id} takes no config."
            raise ConfigError(f"gym/{spec.id} has no config {name!r}.", f"{hint} {its}".strip())


def _spec_of(id: str) -> EnvSpec:
    module, _, name = id.rpartition(":")
    try:
        if module:
            importlib.import_module(module)
        return gymnasium.spec(name)
    except ImportError as exc:
        raise ConfigError(f"{id!r} names a module that cannot be imported: {exc}.", "Check the name.") from exc
    except gymnasium.error.Error as exc:
        raise ConfigError(
            f"Gymnasium has no {name!r}: {str(exc).rstrip('.')}.",
            "If your own module registers the id, put the module in front: my_mazes:Maze-v0.",
        ) from exc


def _class_of(spec: EnvSpec) -> Any:
    try:
        return spec.entry_point if callable(spec.entry_point) else load_env_creator(str(spec.entry_point))
    except (ImportError, gymnasium.error.DependencyNotInstalled) as exc:
        raise EnvironmentFailedError(f"{spec.id} needs a package that is missing: {exc}", "Install it.") from exc
