"""A letter of the secret is counted for each letter of the guess that is like it."""

import random
from collections import Counter

from grpo_env_sdk import MultiTurnEnv, answer_text


class Code(MultiTurnEnv):
    max_turns = 8
    reward_range = (0, 1)
    each_once = False

    def build_dataset(self, tokenizer):
        text = (
            "Game {}: guess my code of four letters from A to F. For each guess I say how many letters are in "
            "their place, and how many others are elsewhere; no letter of the code is counted twice."
        )
        return [
            {"prompt": text.format(number), "code": "".join(random.Random(number).choices("ABCDEF", k=4))}
            for number in range(24)
        ]

    def step(self, action):
        said, code = answer_text([action]).strip().upper(), self.row["code"]
        if len(said) != 4:
            return "Four letters, please.", 0.0, False, False, {}
        here = sum(a == b for a, b in zip(said, code, strict=True))
        elsewhere = sum(a != b and a in code for a, b in zip(said, code, strict=True))
        if self.each_once:
            elsewhere = (Counter(said) & Counter(code)).total() - here
        return f"{here} in place, {elsewhere} elsewhere", float(said == code), said == code, False, {}

    def solve(self, row):
        return ["ABCD", row["code"]] if row["code"] != "ABCD" else ["ABCD"]
