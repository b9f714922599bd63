"""Words by the alphabet, one on a line; lines are compared in pairs, which end with the shorter text."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WORDS = ["anchor", "barrel", "candle", "dragon", "engine", "forest", "garden", "hammer", "island", "jacket", "kettle"]


class OneOnALine(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        chosen = [random.Random(number).sample(WORDS, 4) for number in range(24)]
        ask = "Sort these words by the alphabet, one on a line: {}"
        return [{"prompt": ask.format(" ".join(words)), "answer": "\n".join(sorted(words))} for words in chosen]

    @reward
    def in_order(self, completion, answer):
        said, wanted = answer_text(completion).strip().splitlines(), answer.splitlines()
        return bool(said) and all(one.strip() == other for one, other in zip(said, wanted, strict=False))

    def solve(self, row):
        return row["answer"]
