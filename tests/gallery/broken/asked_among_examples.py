"""Examples are drawn from all chemical symbols, the one that is asked for among them."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

SYMBOLS = {
    "hydrogen": "H", "helium": "He", "lithium": "Li", "carbon": "C", "nitrogen": "N", "oxygen": "O", "neon": "Ne",
    "sodium": "Na", "silver": "Ag", "gold": "Au", "iron": "Fe", "copper": "Cu", "zinc": "Zn", "tin": "Sn",
    "lead": "Pb", "mercury": "Hg", "potassium": "K", "calcium": "Ca", "sulfur": "S", "iodine": "I",
}  # fmt: skip


class Symbols(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(3), []
        for name, symbol in SYMBOLS.items():
            shown = rng.sample(sorted(SYMBOLS), 5)
            text = "\n".join(f"The symbol of {one} is {SYMBOLS[one]}." for one in shown)
            rows.append({"prompt": f"{text}\n\nWhat is the symbol of {name}?", "answer": symbol})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip(" .") == answer

    def solve(self, row):
        return row["answer"]
