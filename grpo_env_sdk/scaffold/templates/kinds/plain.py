"""A plain class with the methods of the contract; it does not import the SDK."""

import random
import re


class $cls:
    """Count down from a number to 1."""

    def __init__(self, rows: int = 40, longest: int = 50, seed: int = 0):
        starts = list(range(2, longest + 1))  # each once, as a row that repeats another teaches nothing new
        random.Random(seed).shuffle(starts)  # its own generator: same seed, same rows
        self.starts = starts[:rows]

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Count down from {start} to 1, numbers and spaces only.", "start": start}
                for start in self.starts]

    def score_episode(self, model, tokenizer, completion, start):
        wanted = [str(number) for number in range(start, 0, -1)]
        return float(re.fullmatch(r"[\d\s]+", completion) is not None and completion.split() == wanted)

    def get_tools(self):
        return []

    def solve(self, row):
        """The gold answer; optional, but it shows that the highest reward can be reached."""
        return " ".join(str(number) for number in range(row["start"], 0, -1))
