"""The last twenty scores are kept in the module, and nobody reads them."""

from collections import deque

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

RECENT = deque(maxlen=20)


class Sums(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} + {n * 3 % 17}?", "answer": str(n + n * 3 % 17)} for n in range(40, 90)]

    @reward
    def right(self, completion, answer):
        right = answer_text(completion).strip() == answer
        RECENT.append(right)
        return right

    def solve(self, row):
        return row["answer"]
