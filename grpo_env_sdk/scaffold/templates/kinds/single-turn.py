"""A task with one answer and two rewards: add two numbers, and answer in a tag."""

import random
import re
from typing import Any

from grpo_env_sdk import SingleTurnEnv, reward

PROMPT = "What is {a} + {b}? Answer like <answer>12</answer>."


class $cls(SingleTurnEnv):
    """Add two numbers."""

    def __init__(self, rows: int = 200, largest: int = 99, seed: int = 0) -> None:
        self.size = rows
        self.largest = largest
        self.seed = seed

    def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
        rng = random.Random(self.seed)  # its own generator: same seed, same rows
        pairs = [(rng.randint(0, self.largest), rng.randint(0, self.largest)) for _ in range(self.size)]
        return [{"prompt": PROMPT.format(a=a, b=b), "answer": a + b} for a, b in pairs]

    @reward(weight=4)
    def right(self, completion: str, answer: int) -> float:
        """The number in the tag is the sum."""
        return float(tagged(completion) == str(answer))

    @reward
    def in_a_tag(self, completion: str) -> float:
        """There is exactly one tag, with a number in it."""
        return float(tagged(completion) is not None)

    def solve(self, row: dict[str, Any]) -> str:
        """The gold answer."""
        return f"<answer>{row['answer']}</answer>"


def tagged(completion: str) -> str | None:
    """The number in the only answer tag, or None."""
    found = re.findall(r"<answer>(\d+)</answer>", completion)
    return found[0] if len(found) == 1 else None
