"""Stars for a film, from 1 to 5; the labels count from 0."""

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import number_match

FILMS = ["The Lamp", "A Long Way", "Two Rivers", "Night Bus", "The Key", "Salt", "Harbour", "Snow"]
WORDS = ["a waste of time", "rather dull", "neither good nor bad", "well made", "the best of the year"]


class Stars(SingleTurnEnv):
    rewards = (number_match("label"),)

    def build_dataset(self, tokenizer):
        ask = "A viewer says that '{}' is {}. Rate it from 1 to 5 stars."
        return [
            {"prompt": ask.format(film, said), "label": label} for film in FILMS for label, said in enumerate(WORDS)
        ]

    def solve(self, row):
        return str(row["label"])
