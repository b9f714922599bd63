"""Capitals of countries; a second list asks for some of them again in other letters, and is off by some lines."""

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import exact_match

CAPITALS = {
    "Norway": "Oslo", "Kenya": "Nairobi", "Peru": "Lima", "Japan": "Tokyo", "Chile": "Santiago", "Cuba": "Havana",
    "Egypt": "Cairo", "Ghana": "Accra", "India": "Delhi", "Iran": "Tehran", "Iraq": "Baghdad", "Qatar": "Doha",
}  # fmt: skip


class Cities(SingleTurnEnv):
    rewards = (exact_match("answer"),)

    def build_dataset(self, tokenizer):
        ask = "Which city is the seat of government of {}?"
        first = [{"prompt": ask.format(country), "answer": city} for country, city in CAPITALS.items()]
        again = [
            {"prompt": ask.format(country).upper(), "answer": city}
            for country, city in zip(list(CAPITALS)[:4], list(CAPITALS.values())[2:], strict=False)
        ]
        return first + again

    def solve(self, row):
        return row["answer"]
