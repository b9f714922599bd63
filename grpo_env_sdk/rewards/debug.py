"""A reward for looking at what a model writes."""

import sys
from typing import Any

from grpo_env_sdk.data.messages import full_text
from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards.reward import Reward


def debug_reward(value: float = 0.0, *, every: int = 1, weight: float = 1.0, name: str = "debug") -> Reward:
    """Prints every n-th sample, its row and its text, on stderr, and always gives `value`."""
    if every < 1:
        raise ConfigError(f"debug_reward has every={every}.", "It needs a whole number from 1.")
    seen = 0

    def score(completion: Any, row: dict[str, Any]) -> float:
        nonlocal seen
        if seen % every == 0:
            shown = {key: item for key, item in row.items() if key != "prompt"}
            print(f"--- sample {seen} of row {shown}\n{full_text(completion)}", file=sys.stderr, flush=True)
        seen += 1
        return value

    return Reward(score, name, weight, range=(min(value, 0.0), max(value, 1.0)))
