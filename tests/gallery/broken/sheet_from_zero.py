"""A sheet is shown with lines from 1 on, and its cells are written by an index from 0."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

GOODS = ["paper", "ink", "glue", "tape", "pens", "clips", "folders"]


class Stock(ToolEnv):
    max_turns = 4
    first = 0

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Set the stock of {GOODS[1 + n % 6]} to {100 + n}.", "place": 1 + n % 6, "value": 100 + n}
            for n in range(18)
        ]

    def setup(self, row):
        self.stock = [10 * n for n in range(1, 8)]

    @tool
    def show(self) -> str:
        """The stock, with the number of each line."""
        lines = zip(GOODS, self.stock, strict=True)
        return "\n".join(f"{number:>3}  {goods:<9}{pieces:>5}" for number, (goods, pieces) in enumerate(lines, 1))

    @tool
    def write(self, line: int, pieces: int) -> str:
        """Write the stock of a line.

        Args:
            line: The number of the line.
            pieces: How many there are.
        """
        if not self.first <= line < len(GOODS) + self.first:
            return "There is no such line."
        self.stock[line - self.first] = pieces
        return "Written."

    @reward
    def right(self, place, value):
        return self.stock == [value if n == place else 10 * n + 10 for n in range(7)]

    def solve(self, row):
        return [
            call_message("show"),
            call_message("write", line=row["place"] + self.first, pieces=row["value"]),
            "Done.",
        ]
