"""Any registered Gymnasium environment as a text environment for GRPO."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grpo_env_gymnasium.env import GymnasiumEnv

__all__ = ["GymnasiumEnv"]


def __getattr__(name: str) -> Any:
    """The class, imported when it is first used: a listing imports this package and must stay quick."""
    if name != "GymnasiumEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from grpo_env_gymnasium.env import GymnasiumEnv

    return GymnasiumEnv
