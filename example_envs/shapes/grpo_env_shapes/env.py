"""`ShapesEnv`: the rewards and the gold answer of `shapes-v1`."""

from collections.abc import Sequence
from typing import Any

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import Reward

from grpo_env_shapes.answer import answer_line, score_format, score_value
from grpo_env_shapes.rows import Split, make_rows
from grpo_env_shapes.scene import QUESTIONS, Question


class ShapesEnv(SingleTurnEnv):
    """Look at an image of shapes and count those of a form, or name the colour of one.

    Args:
        questions: What is asked: `count`, `colour`, or both.
        size: How many pixels an image is wide and high, from 24 to 1024.
        seed: Which scenes are drawn.
    """

    rewards = (Reward(score_value, "answer", weight=4), Reward(score_format, "format"))

    def __init__(self, questions: Sequence[Question] = QUESTIONS, size: int = 84, seed: int = 0) -> None:
        unknown = [question for question in questions if question not in QUESTIONS]
        if unknown or not questions:
            raise ValueError(f"questions is {list(questions)}; it can be some of {', '.join(QUESTIONS)}.")
        if not 24 <= size <= 1024:
            raise ValueError(f"size is {size}; it can be 24 to 1024.")
        self.questions = tuple(questions)
        self.size = size
        self.seed = seed

    def build_dataset(self, tokenizer: Any, split: Split = "train") -> list[dict[str, Any]]:
        """400 training scenes and 100 held-out ones, all different; the column `image` has the image."""
        return make_rows(self.questions, self.size, split, self.seed)

    def solve(self, row: dict[str, Any]) -> str:
        """The gold answer."""
        return answer_line(row["answer"])
