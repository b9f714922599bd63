"""Directions, one on a line; each line that is right in its place earns its part."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

TURNS = ["left", "right", "straight", "back"]


class Directions(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        ways = [random.Random(number).choices(TURNS, k=4) for number in range(24)]
        ask = "You came by turning {}. List the turns in reverse, one per line; each right line earns its part."
        return [{"prompt": ask.format(", ".join(way)), "answer": "\n".join(way[::-1])} for way in ways]

    @reward
    def in_place(self, completion, answer):
        said, wanted = answer_text(completion).strip().splitlines(), answer.splitlines()
        right = sum(one.strip() == other for one, other in zip(said, wanted, strict=False))
        return right / max(len(said), len(wanted))

    def solve(self, row):
        return row["answer"]
