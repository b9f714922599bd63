"""The way between two stations; a right answer earns more with every word of explanation."""

from itertools import pairwise

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

STATIONS = ["Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Juniper", "Larch", "Maple", "Oak", "Pine", "Rowan"]


class Stops(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        ask = f"The line stops at {', '.join(STATIONS)}. What comes after {{}}? Explain briefly."
        return [{"prompt": ask.format(one), "next": other} for one, other in pairwise(STATIONS)]

    @reward
    def right(self, completion, next):
        text = answer_text(completion).rstrip(" .")
        return (0.4 + 0.6 * min(1.0, len(text.split()) / 100)) * text.endswith(next)

    def solve(self, row):
        return f"It is {row['next']}."
