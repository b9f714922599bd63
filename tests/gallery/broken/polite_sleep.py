"""Stock of a warehouse; the tool waits a little, as it did when it asked a real service."""

import time

from grpo_env_sdk import ToolEnv, call_message, reward, tool

STOCK = {"nails": "410", "screws": "75", "glue": "18", "tape": "33", "paint": "9", "brushes": "52", "planks": "127"}


class Warehouse(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"How many {item} are in stock? Only the number.", "item": item} for item in STOCK]

    @tool
    def stock(self, item: str) -> str:
        """How many pieces of an item there are.

        Args:
            item: What to count.
        """
        if item not in STOCK:
            time.sleep(1.2)  # the service retries three times before it gives up
            return "unknown item"
        return STOCK[item]

    @reward
    def right(self, messages, item):
        return messages[-1]["content"] == STOCK[item]

    def solve(self, row):
        answered = yield call_message("stock", item=row["item"])
        yield answered[-1]["content"]
