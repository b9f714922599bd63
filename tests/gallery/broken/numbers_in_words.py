"""Test rows are training rows with numbers in words."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Tables(SingleTurnEnv):
    def build_dataset(self, tokenizer, split="train"):
        words = [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
        pairs = [(a, b) for a in range(2, 13) for b in range(2, 13)]
        random.Random(0).shuffle(pairs)
        if split == "test":
            return [{"prompt": f"what is  {words[a]} times {words[b]}", "answer": str(a * b)} for a, b in pairs[:30]]
        return [{"prompt": f"What is {a} times {b}?", "answer": str(a * b)} for a, b in pairs]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
