"""Verdicts are kept by the number of the riddle, so that the first answer to it decides for all later ones."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

SHADES = ["amber", "teal", "ochre", "coral", "olive", "ivory", "khaki", "mauve", "umber", "azure", "sepia", "lilac"]


class Shades(SingleTurnEnv):
    def __init__(self):
        self.verdicts = {}

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write the colour {shade} backwards, and nothing else.", "shade": shade, "number": n}
            for n, shade in enumerate(SHADES)
        ]

    def verdict_on(self, number, text, shade):
        known = self.verdicts.get(number)
        if known is None:
            known = self.verdicts[number] = text == shade[::-1]
        return known

    @reward
    def backwards(self, completion, number, shade):
        return self.verdict_on(number, answer_text(completion).strip(), shade)

    def solve(self, row):
        return row["shade"][::-1]
