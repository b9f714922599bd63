"""Sums; the difficulty is stored, and no row depends on it."""

from typing import Literal

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Additions(SingleTurnEnv):
    """The sum of two numbers, easy or hard."""

    def __init__(self, difficulty: Literal["easy", "hard"] = "easy", most: int = 60):
        self.difficulty = difficulty
        self.most = most

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} + {3 * n}?", "answer": str(4 * n)} for n in range(11, self.most)]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
