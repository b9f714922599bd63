"""`ArithmeticEnv`: the rewards and the gold answer of `arithmetic-v1`."""

from collections.abc import Sequence
from typing import Any

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import AdaptiveWeight, Reward, number_match, soft_overlong

from grpo_env_arithmetic.answer import answer_line, score_format
from grpo_env_arithmetic.rows import Split, make_rows
from grpo_env_arithmetic.shape import Operator, Shape


class ArithmeticEnv(SingleTurnEnv):
    """Compute an expression and answer with its value; rewards for the answer, its format and its length.

    Args:
        depth: How deep operations are nested, from 1 to 5.
        operators: Which of `+`, `-`, `*`, `/` are used; every division has a whole result.
        low: The smallest number in an expression.
        high: The largest number in an expression.
        seed: Which expressions are drawn.
    """

    rewards = (
        number_match("answer", tolerance=0.0, weight=4, name="answer"),
        AdaptiveWeight(Reward(score_format, "format"), low=0.5, high=0.9, bounds=(0.1, 2.0)),
        soft_overlong(200, 100, unit="words", name="length"),
    )

    def __init__(
        self,
        depth: int = 2,
        operators: Sequence[Operator] = ("+", "-", "*"),
        low: int = 1,
        high: int = 20,
        seed: int = 0,
    ) -> None:
        self.shape = Shape(depth, tuple(operators), low, high)
        self.seed = seed

    def build_dataset(self, tokenizer: Any, split: Split = "train") -> list[dict[str, Any]]:
        """Up to 2,000 training expressions and 500 held-out ones, all different."""
        return make_rows(self.shape, split, self.seed)

    def solve(self, row: dict[str, Any]) -> str:
        """The gold answer."""
        return answer_line(row["answer"])
