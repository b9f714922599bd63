"""An async `MultiTurnEnv` or `ToolEnv` as a plain `gymnasium.Env`: what it awaits is awaited for the caller."""

import inspect
from collections.abc import Callable
from typing import Any

import gymnasium

from grpo_env_sdk.envs.loaded_env import LoadedEnv


class AwaitedEnv(gymnasium.Env[Any, Any]):
    """Methods give their results, not coroutines; every other attribute is that of the instance."""

    metadata = {"render_modes": []}  # noqa: RUF012  # Gymnasium's own convention

    def __init__(self, loaded: LoadedEnv, env: Any, seconds: float | None = None) -> None:
        """Each call may take so many seconds."""
        self.awaited_env = env
        self.observation_space, self.action_space = env.observation_space, env.action_space
        self._loaded, self._seconds = loaded, seconds
        self._grpo = env._grpo

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the episode of the row in `options`."""
        super().reset(seed=seed)
        found: tuple[Any, dict[str, Any]] = self._called(self.awaited_env.reset, seed=seed, options=options)
        return found

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Answer one message of the assistant."""
        found: tuple[Any, float, bool, bool, dict[str, Any]] = self._called(self.awaited_env.step, action)
        return found

    def close(self) -> None:
        """Close the instance."""
        self._called(self.awaited_env.close)

    def score_episode(self, model: Any, tokenizer: Any, completion: Any, /, **columns: Any) -> float | None:
        """The score of a transcript, replayed on a new instance."""
        score: float | None = self._called(self.awaited_env.score_episode, model, tokenizer, completion, **columns)
        return score

    def _called(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        value, loop = function(*args, **kwargs), self._loaded.resources.loop
        name = f"{self._loaded.spec.id}.{function.__name__}"
        return loop.run(self._seconds, name, value) if inspect.isawaitable(value) else value

    def __getattr__(self, name: str) -> Any:
        if name == "awaited_env":  # before the constructor, such as in a copy
            raise AttributeError(name)
        return getattr(self.awaited_env, name)
