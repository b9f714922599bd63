"""Each word of the list is an act, with an effect beside a few others only; every row can be won, without `solve`."""

import random

from grpo_env_sdk import MultiTurnEnv

WORDS = (
    "cat", "cot", "cog", "dog", "dot", "hot", "hat", "bat", "bag", "big", "bug", "rug", "run", "sun", "son", "ton",
    "tin", "pin", "pan", "man", "men", "ten",
)  # fmt: skip


def near(one, other):
    return sum(a != b for a, b in zip(one, other, strict=True)) == 1


class Ladder(MultiTurnEnv):
    max_turns = 20
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        rng = random.Random(28)
        pairs = {tuple(rng.sample(WORDS, 2)) for _ in range(40)}
        prompt = "Go from '{}' to '{}'. Write one word that differs in one letter from the last: " + " ".join(WORDS)
        return [{"prompt": prompt.format(*pair), "start": pair[0], "goal": pair[1]} for pair in sorted(pairs)]

    def setup(self, row):
        self.at = row["start"]

    def step(self, action):
        word = action["content"].strip().lower()
        if word not in WORDS or not near(word, self.at):
            return f"Not possible. You are at '{self.at}'.", 0.0, False, False, {}
        self.at = word
        return f"You are at '{word}'.", float(word == self.row["goal"]), word == self.row["goal"], False, {}
