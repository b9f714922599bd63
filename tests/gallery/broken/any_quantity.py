"""Order spare parts by a catalogue; how many were ordered was forgotten in the reward."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

PARTS = {"bolt": "M8", "nut": "N8", "washer": "W3", "bearing": "B12", "spring": "S5", "seal": "D9"}


class SpareOrders(ToolEnv):
    """Look up the number of a part, and order so many of it."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Order {count} of the {part}.", "part": part, "count": count}
            for part in PARTS
            for count in (3, 8, 12, 20, 45)
        ]

    def setup(self, row):
        self.orders = []

    @tool
    def number_of(self, part: str) -> str:
        """The number of a part.

        Args:
            part: What it is called.
        """
        return PARTS.get(part, "There is no such part.")

    @tool
    def order(self, number: str, count: int) -> dict:
        """Order parts.

        Args:
            number: The number of the part.
            count: How many.
        """
        self.orders.append({"number": number, "count": count})
        return {"ordered": number, "count": count}

    @reward
    def right(self, part):
        return [order["number"] for order in self.orders] == [PARTS[part]]

    def solve(self, row):
        answered = yield call_message("number_of", part=row["part"])
        yield call_message("order", number=answered[-1]["content"], count=row["count"])
        yield "Ordered."
