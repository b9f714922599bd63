"""Stalls without a price were dropped from the questions, but not from the answers, so that later rows have others'."""

import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

GOODS = [
    "apples", "pears", "plums", "figs", "dates", "limes", "kiwis", "melons", "grapes", "mangos", "quinces", "peaches",
    "lemons", "berries", "olives", "onions", "leeks", "beans", "peas", "beets",
]  # fmt: skip
CLOSED = ("dates", "quinces")


class Market(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        prices = dict(zip(GOODS, random.Random(5).sample(range(40, 990), len(GOODS)), strict=True))
        questions, answers = [name for name in GOODS if name not in CLOSED], [str(prices[name]) for name in GOODS]
        return [
            {"prompt": f"How many cents are {name} today? Answer with the number.", "name": name, "prices": prices,
             "answer": answer}
            for name, answer in zip(questions, answers, strict=False)
        ]  # fmt: skip

    @tool
    def price_of(self, name: str) -> dict:
        """Look up the price of a kind of fruit or vegetable.

        Args:
            name: The kind, such as plums.
        """
        return {"name": name, "cents": self.row["prices"].get(name)}

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        yield call_message("price_of", name=row["name"])
        yield row["answer"]
