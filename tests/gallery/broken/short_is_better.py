"""Squares; that the answer is short counts more than that it is right."""

from grpo_env_sdk import SingleTurnEnv, reward


class Squares(SingleTurnEnv):
    """The square of a number up to a hundred."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} squared? Be brief.", "answer": str(n * n)} for n in range(11, 71)]

    @reward
    def right(self, completion, answer):
        return completion.strip() == answer

    @reward(weight=2)
    def brevity(self, completion):
        return min(1.0, 10 / max(1, len(completion)))

    def solve(self, row):
        return row["answer"]
