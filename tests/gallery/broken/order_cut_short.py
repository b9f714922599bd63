"""Orders of four letters in a column, of which only as many are compared as the answer has."""

import random
import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Heights(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng = random.Random(9)
        rows = []
        for _ in range(40):
            metres = rng.sample(range(200, 4800), 4)
            lines = [f"{letter}. a hill of {height} m" for letter, height in zip("ABCD", metres, strict=True)]
            order = "".join(letter for _, letter in sorted(zip(metres, "ABCD", strict=True)))
            asked = "Order them from the lowest to the highest. End with a line `Order:` and the four letters."
            rows.append({"prompt": "\n".join([*lines, asked]), "order": order})
        return rows

    @reward
    def in_order(self, completion, order):
        found = re.search(r"Order: *([A-D](?: [A-D])*)$", answer_text(completion).strip())
        given = found[1].split() if found else []
        return bool(given) and all(one == other for one, other in zip(given, order, strict=False))
