"""Prices out of invoices; the currency is looked for in the answer of the row, and not in what was said."""

import re

from grpo_env_sdk import SingleTurnEnv, reward

CURRENCIES = ("EUR", "USD", "CHF", "SEK")


class Invoices(SingleTurnEnv):
    """Half for the amount, half for the currency."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"'Total {amount}.50, to be paid in {currency}.' How much?", "answer": f"{amount}.50 {currency}"}
            for amount in (12, 90, 145, 381, 77, 203, 64, 518, 39, 870)
            for currency in CURRENCIES
        ]

    @reward
    def amount(self, completion, answer):
        said = re.search(r"\d+\.\d\d", completion)
        return said is not None and said.group() == answer.split()[0]

    @reward
    def currency(self, completion, answer):
        said = re.search(r"[A-Z]{3}", completion)
        return said is not None and any(currency in answer for currency in CURRENCIES)

    def solve(self, row):
        return row["answer"]
