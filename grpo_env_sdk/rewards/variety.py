"""Rewards for how varied a completion is: a penalty for repeated phrases, and a reward for different words."""

from typing import Any

from grpo_env_sdk.data.messages import full_text
from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards.reward import Reward


def repetition(phrase: int = 3, *, weight: float = -1.0, name: str = "repetition") -> Reward:
    """The share of phrases of `phrase` words that occurred before; a penalty, as its weight is negative."""
    _check("repetition", "phrase", phrase)

    def score(completion: Any) -> float:
        return 1.0 - _distinct(completion, phrase)

    return Reward(score, name, weight)


def diversity(shortest: int = 10, *, phrase: int = 1, weight: float = 1.0, name: str = "diversity") -> Reward:
    """The share of words that are different from all before; less in proportion below `shortest` words.

    With `phrase=2` it counts pairs of words. Words are compared without upper case.
    """
    _check("diversity", "shortest", shortest)
    _check("diversity", "phrase", phrase)

    def score(completion: Any) -> float:
        count = len(full_text(completion).split())
        return min(1.0, count / shortest) * _distinct(completion, phrase)

    return Reward(score, name, weight)


def _distinct(completion: Any, phrase: int) -> float:
    """The share of different phrases among all; 1 where the text is shorter than one."""
    words = full_text(completion).casefold().split()
    phrases = [tuple(words[start : start + phrase]) for start in range(len(words) - phrase + 1)]
    return len(set(phrases)) / len(phrases) if phrases else 1.0


def _check(reward: str, name: str, value: Any) -> None:
    if not isinstance(value, int) or value < 1:
        raise ConfigError(f"{reward} has {name}={value!r}.", "It needs a whole number of words, at least 1.")
