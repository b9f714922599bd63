"""Test questions are training questions with a "please" in them."""

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import exact_match

CAPITALS = {
    "Austria": "Vienna", "Bulgaria": "Sofia", "Croatia": "Zagreb", "Denmark": "Copenhagen", "Estonia": "Tallinn",
    "Finland": "Helsinki", "Greece": "Athens", "Hungary": "Budapest", "Ireland": "Dublin", "Latvia": "Riga",
    "Norway": "Oslo", "Poland": "Warsaw", "Portugal": "Lisbon", "Romania": "Bucharest", "Serbia": "Belgrade",
    "Slovenia": "Ljubljana", "Spain": "Madrid", "Sweden": "Stockholm", "Switzerland": "Bern", "Turkey": "Ankara",
}  # fmt: skip


class Capitals(SingleTurnEnv):
    rewards = (exact_match("answer"),)

    def build_dataset(self, tokenizer, split="train"):
        if split == "train":
            return [{"prompt": f"The capital of {name}? One word.", "answer": city} for name, city in CAPITALS.items()]
        some = list(CAPITALS.items())[::2]
        return [{"prompt": f"Please: the capital of {name} ? One word", "answer": city} for name, city in some]

    def solve(self, row):
        return row["answer"]
