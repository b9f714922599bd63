"""Several tries are the game, as the prompt says."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

AISLES = {
    "milk": 3, "bread": 1, "soap": 9, "rice": 5, "tea": 6, "eggs": 3, "nails": 10, "bulbs": 10, "socks": 8, "pens": 7,
    "apples": 2, "pears": 2, "ham": 4, "salt": 5, "sugar": 5, "coffee": 6, "towels": 8, "shampoo": 9, "paper": 7,
}  # fmt: skip


class Aisles(ToolEnv):
    max_turns = 12

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"In which of 10 aisles is {article}? You have 10 tries.", "aisle": aisle}
            for article, aisle in AISLES.items()
        ]

    def setup(self, row):
        self.solved = False

    @tool
    def submit(self, aisle: int) -> str:
        """Submit an aisle.

        Args:
            aisle: Its number.
        """
        right = aisle == self.row["aisle"]
        self.solved = self.solved or right
        return "Correct." if right else "Wrong."

    @reward
    def right(self):
        return self.solved

    def solve(self, row):
        yield call_message("submit", aisle=row["aisle"])
        yield "Done."
