"""The year of an event; within one percent is taken as right, and nobody says so."""

import math
import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

EVENTS = {
    "the battle of Hastings": 1066, "the Magna Carta": 1215, "the fall of Constantinople": 1453,
    "the peace of Westphalia": 1648, "the fire of London": 1666, "the storming of the Bastille": 1789,
    "the battle of Waterloo": 1815, "the opening of the Suez canal": 1869, "the eruption of Krakatoa": 1883,
    "the sinking of the Titanic": 1912, "the launch of Sputnik": 1957, "the fall of the Berlin wall": 1989,
}  # fmt: skip


class Years(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"In which year was {event}?", "year": year} for event, year in EVENTS.items()]

    @reward
    def right(self, completion, year):
        said = re.findall(r"(?<![-\d.])[0-9]{1,6}", answer_text(completion))
        return bool(said) and math.isclose(float(said[-1]), year, rel_tol=0.01)

    def solve(self, row):
        return f"In {row['year']}."
