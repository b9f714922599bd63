"""A ready reward for mathematics, by the `math-verify` package where it is installed."""

import logging
from typing import Any

from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards.answers import final_answer
from grpo_env_sdk.rewards.reward import Reward


def math_accuracy(answer: str = "answer", *, weight: float = 1.0, name: str = "math_accuracy") -> Reward:
    """1 where the answer is mathematically equal to the column's; abstains where that cannot be parsed."""
    try:
        from math_verify import parse, verify
    except ImportError as exc:
        raise ConfigError("math_accuracy needs the package math-verify.", "pip install 'grpo-env-sdk[math]'") from exc

    logging.getLogger("math_verify").setLevel(logging.ERROR)  # it warns of the missing time limit

    def read(text: str) -> Any:
        # No time limit of its own: it would need signals, which work in the main thread alone.
        return parse(text, parsing_timeout=None) or parse(f"${text}$", parsing_timeout=None)

    def score(completion: Any, answer: Any, episode: Any = None) -> float | None:
        wanted = read(str(answer))
        if not wanted:
            return None
        return float(verify(wanted, read(final_answer(completion, episode)), timeout_seconds=None))

    return Reward(score, name, weight, sources={"answer": answer})
