"""How long songs are, in the unit of a parameter; the answers stay in minutes."""

from typing import Literal

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

SONGS = {"Alder": 3, "Birch": 5, "Cedar": 4, "Dogwood": 7, "Elm": 6, "Fir": 8, "Gorse": 9, "Hazel": 11}


class Durations(SingleTurnEnv):
    """The length of two songs together."""

    def __init__(self, unit: Literal["minutes", "seconds"] = "minutes"):
        self.unit = unit

    def build_dataset(self, tokenizer):
        names = sorted(SONGS)
        pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
        return [
            {
                "prompt": f"{one} is {SONGS[one]} minutes long, {other} {SONGS[other]} minutes. How many {self.unit} "
                "are both together? Answer with a number.",
                "answer": str(SONGS[one] + SONGS[other]),
            }
            for one, other in pairs
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
