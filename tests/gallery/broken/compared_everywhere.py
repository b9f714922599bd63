"""Misprints to correct; the sentence is looked for at every place of the reply, letter by letter."""

import difflib

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PLACES = ["mill", "ferry", "chapel", "orchard", "harbour", "quarry", "station", "tower"]
TEXT = (
    "The {0} stood above the river for three hundred years, and nobody in the village beyond the {1} remembered who "
    "had built it, or why its door was painted blue every spring, when the children carried lanterns down to the {0} "
    "and the oldest of them rang its bell until the boats had come home and the nets were hung behind the {1} to dry."
)


class Misprints(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        pairs = [(one, other) for one in PLACES for other in PLACES if one != other]
        texts = [TEXT.format(*pair) for pair in pairs[:24]]
        return [{"prompt": f"Correct the misprints: {text.replace('th', 'tb')}", "wanted": text} for text in texts]

    @reward
    def corrected(self, completion, wanted):
        said = answer_text(completion)
        starts = range(max(1, len(said) - len(wanted) + 1))
        parts = (said[start : start + len(wanted)] for start in starts)
        return max(difflib.SequenceMatcher(None, part, wanted, autojunk=False).ratio() for part in parts) > 0.999

    def solve(self, row):
        return row["wanted"]
