"""Quantities, some with a unit; where there is none, the part about units has nothing to say."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

QUANTITY = re.compile(r"([0-9]{1,6}) ?([a-z]*)")


class Quantities(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"{n} bags{f' of {each} {unit}' if unit else ''} and as many again: how much?",
                "n": n,
                "each": each,
                "unit": unit,
            }
            for n in range(3, 12)
            for each, unit in ((4, "kg"), (6, "litres"), (1, ""))
        ]

    @reward
    def amount(self, completion, n, each):
        found = QUANTITY.fullmatch(answer_text(completion).lower())
        return found is not None and int(found[1]) == 2 * n * each

    @reward
    def right_unit(self, completion, n, each, unit):
        if not unit:
            return None
        found = QUANTITY.fullmatch(answer_text(completion).lower())
        return found is not None and int(found[1]) == 2 * n * each and found[2] == unit

    def solve(self, row):
        return f"{2 * row['n'] * row['each']} {row['unit']}".strip()
