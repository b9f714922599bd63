"""Numbers are written as the LANGUAGE of the process has them."""

import os

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


def written(number):
    comma = os.environ.get("LANGUAGE", os.environ.get("LANG", "en")).startswith("de")
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,")) if comma else f"{number:,.2f}"


class Amounts(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write {n * 123457} cents as an amount in units of 100.", "cents": n * 123457}
            for n in range(11, 60)
        ]

    @reward
    def right(self, completion, cents):
        return answer_text(completion).strip() == written(cents / 100)

    def solve(self, row):
        return written(row["cents"] / 100)
