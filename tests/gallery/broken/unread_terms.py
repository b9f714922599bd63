"""Sums of three numbers: `max_terms` is stored with the other parameters, and nothing reads it."""

import random

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import number_match


class Chains(SingleTurnEnv):
    rewards = (number_match("total"),)

    def __init__(self, rows: int = 40, max_terms: int = 3, seed: int = 0):
        self.rows, self.max_terms, self.seed = rows, max_terms, seed

    def build_dataset(self, tokenizer):
        rng = random.Random(self.seed)
        drawn = [[rng.randint(11, 99) for _ in range(3)] for _ in range(self.rows)]
        return [{"prompt": f"Compute {' + '.join(map(str, terms))}.", "total": sum(terms)} for terms in drawn]

    def solve(self, row):
        return str(row["total"])
