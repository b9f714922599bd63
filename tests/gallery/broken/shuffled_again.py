"""Elements and their symbols, whose options are shuffled again after the letter of the right one was worked out."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

SYMBOLS = {
    "iron": "Fe", "gold": "Au", "silver": "Ag", "tin": "Sn", "lead": "Pb", "copper": "Cu", "zinc": "Zn",
    "nickel": "Ni", "mercury": "Hg", "sodium": "Na", "argon": "Ar", "neon": "Ne", "helium": "He", "calcium": "Ca",
    "lithium": "Li", "silicon": "Si", "chlorine": "Cl", "cobalt": "Co", "barium": "Ba", "radium": "Ra",
}  # fmt: skip


class Elements(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [self.row(name, random.Random(place)) for place, name in enumerate(SYMBOLS)]

    def row(self, name, rng):
        right = SYMBOLS[name]
        options = [right, *rng.sample([one for one in SYMBOLS.values() if one != right], 3)]
        rng.shuffle(options)
        letter = "ABCD"[options.index(right)]
        rng.shuffle(options)
        listed = "\n".join(f"{mark}. {text}" for mark, text in zip("ABCD", options, strict=True))
        asked = f"What is the symbol of {name}?\n{listed}\nAnswer with one letter alone."
        return {"prompt": asked, "letter": letter, "symbol": right}

    @reward
    def right(self, completion, letter):
        return answer_text(completion).strip().upper() == letter

    def solve(self, row):
        return row["letter"]
