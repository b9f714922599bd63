"""What a scorer in another process gets as its model, where the run has one."""

from typing import Any, NoReturn

from grpo_env_sdk.rollout.model_needed import ModelNeededError


class AbsentModel:
    """Raises one sentence for whatever a scorer does with it."""

    def __init__(self, env: str) -> None:
        object.__setattr__(self, "_env", env)

    def __getattr__(self, name: str) -> NoReturn:
        raise self._error()

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise self._error()

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise."""
        raise self._error()

    def _error(self) -> ModelNeededError:
        env = object.__getattribute__(self, "_env")
        return ModelNeededError(
            f"{env} scores with the live model, which is not in the process of its episodes.",
            'Leave --env-pool out (env_pool="thread").',
        )
