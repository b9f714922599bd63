"""A task with several turns: guess a number; each guess is answered with "Higher." or "Lower."."""

from collections.abc import Iterator
from typing import Any

from grpo_env_sdk import MultiTurnEnv

Step = tuple[Any, float, bool, bool, dict[str, Any]]


class $cls(MultiTurnEnv):
    """Guess a number in as few turns as bisection needs."""

    max_turns = 7
    reward_range = (0.0, 1.0)

    def __init__(self, largest: int = 100) -> None:
        self.largest = largest

    def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
        prompt = f"Guess my number from 1 to {self.largest}. Answer with a number only."
        return [{"prompt": prompt, "secret": secret} for secret in range(1, self.largest + 1)]

    def step(self, action: dict[str, Any]) -> Step:
        """Answer one guess: observation, reward, terminated, truncated, info."""
        guess = action["content"].strip()
        if not guess.isdecimal() or len(guess) > 9:  # a model may write thousands of digits, which int() rejects
            return "Answer with a number only.", 0.0, False, False, {}
        secret = self.row["secret"]
        if int(guess) == secret:
            return "Right.", 1.0, True, False, {}
        return "Higher." if int(guess) < secret else "Lower.", 0.0, False, False, {}

    def solve(self, row: dict[str, Any]) -> Iterator[str]:
        """The gold solution: bisection, which uses only the answers."""
        low, high = 1, self.largest
        while low <= high:
            guess = (low + high) // 2
            answer = yield str(guess)
            if answer[-1]["content"] == "Higher.":
                low = guess + 1
            else:
                high = guess - 1
