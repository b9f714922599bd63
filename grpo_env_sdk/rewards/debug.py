"""A reward that prints completions, for debugging."""

import sys
from typing import Any

from grpo_env_sdk.data.messages import full_text
from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards.reward import Reward


def debug_reward(value: float = 0.0, *, every: int = 1, weight: float = 1.0, name: str = "debug") -> Reward:
    """Prints every n-th sample, with its row and text, on stderr, and always returns `value`."""
    if every < 1:
        raise ConfigError(f"debug_reward: every must be at least 1, got {every}.", "every=1 prints each sample.")
    seen = 0

    def score(completion: Any, row: dict[str, Any]) -> float:
        nonlocal seen
        if seen % every == 0:
            columns = {key: item for key, item in row.items() if key != "prompt"}
            print(f"--- sample {seen} of row {columns}\n{full_text(completion)}", file=sys.stderr, flush=True)
        seen += 1
        return value

    return Reward(score, name, weight, range=(min(value, 0.0), max(value, 1.0)))
