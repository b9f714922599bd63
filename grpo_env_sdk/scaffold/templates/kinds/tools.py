"""A task with tools: find the cheapest shop for an item, and answer with its name."""

import random
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

SHOPS = ("Anker", "Birke", "Conrad", "Dorn")
ITEMS = ("apples", "bread", "candles", "dates")


class $cls(ToolEnv):
    """Ask shops for prices, then answer with the name of the cheapest."""

    max_turns = 6

    def __init__(self, rows: int = 200, seed: int = 0) -> None:
        self.size = rows
        self.seed = seed

    def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
        rng = random.Random(self.seed)  # its own generator: same seed, same rows
        return [
            {
                "prompt": [{"role": "user", "content": f"Which shop sells {item} cheapest? Answer with its name."}],
                "item": item,
                "prices": dict(zip(SHOPS, rng.sample(range(1, 100), len(SHOPS)), strict=True)),
            }
            for item in (rng.choice(ITEMS) for _ in range(self.size))
        ]

    @tool
    def shops(self) -> list[str]:
        """The names of all shops."""
        return list(self.row["prices"])

    @tool
    def price(self, shop: str, item: str) -> dict[str, Any]:
        """The price of an item in a shop.

        Args:
            shop: The name of the shop.
            item: What to buy.
        """
        if item != self.row["item"] or shop not in self.row["prices"]:
            return {"error": f"{shop} does not sell {item}"}
        return {"shop": shop, "price": self.row["prices"][shop]}

    @reward(weight=4)
    def right(self, completion: Any, prices: dict[str, int]) -> float:
        """The answer is the name of the cheapest shop, and nothing else."""
        return float(answer_text(completion) == min(prices, key=lambda shop: prices[shop]))

    @reward
    def asked_every_shop(self, completion: Any, tool_calls: list[dict[str, Any]], item: str) -> float:
        """The model asked every shop for this item before it named one."""
        calls = [call["arguments"] for call in tool_calls if call["name"] == "price" and not call["error"]]
        asked = {given["shop"] for given in calls if given["item"] == item}
        return float(asked >= set(SHOPS) and answer_text(completion) in SHOPS)

    def solve(self, row: dict[str, Any]) -> Iterator[Any]:
        """The gold solution: each message that it yields is sent to the environment."""
        calls = [call_message("price", shop=shop, item=row["item"])["tool_calls"][0] for shop in SHOPS]
        yield {"role": "assistant", "content": "", "tool_calls": calls}
        yield min(row["prices"], key=lambda shop: row["prices"][shop])
