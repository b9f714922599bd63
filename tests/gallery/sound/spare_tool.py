"""Prices in a shop; a tool for opening hours is there as well, as it is in the real shop."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

PRICES = {"hat": 19, "scarf": 12, "gloves": 15, "coat": 89, "boots": 64, "belt": 23}


class Shop(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What do {n} of '{item}' cost together? Only the number.", "item": item, "n": n}
            for item in PRICES
            for n in (2, 3, 4, 5)
        ]

    @tool
    def price(self, item: str) -> int | str:
        """The price of one piece.

        Args:
            item: What it is.
        """
        return PRICES.get(item, "We do not sell that.")

    @tool
    def opening_hours(self, day: str) -> str:
        """When the shop is open on a day.

        Args:
            day: The day of the week.
        """
        return "closed" if day.lower() == "sunday" else "9 to 18"

    @reward
    def right(self, messages, item, n):
        return messages[-1]["content"].strip() == str(n * PRICES[item])

    def solve(self, row):
        answered = yield call_message("price", item=row["item"])
        yield str(row["n"] * int(answered[-1]["content"]))
