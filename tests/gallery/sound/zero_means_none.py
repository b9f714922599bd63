"""Words are numbered from 1, and 0 means that none of them fits."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WORDS = ("apple", "river", "candle", "garden", "mirror", "pencil", "basket", "window", "bottle", "hammer")


class Capitals(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(60):
            rng = random.Random(n)
            words, at = rng.sample(WORDS, 4), rng.randint(0, 4)
            listed = "\n".join(f"{i}. {word.upper() if i == at else word}" for i, word in enumerate(words, 1))
            rows.append({"prompt": f"Which word is in capitals? Its number, or 0 for none.\n{listed}", "answer": at})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == str(answer)

    def solve(self, row):
        return str(row["answer"])
