"""What is missing in a tank is a float that has to be exactly zero at the end, and cans are emptied in any order."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

TANKS = [
    [0.9, 4.3, 0.5], [3.5, 3.9, 5.0], [1.4, 1.9, 4.5], [5.1, 2.9, 5.0], [3.2, 5.5, 3.0],
    [1.1, 0.7, 1.3], [1.8, 3.6, 2.1], [5.4, 4.8, 3.2], [4.5, 2.4, 5.9], [3.1, 3.7, 5.8],
]  # fmt: skip


class FillTheTank(ToolEnv):
    max_turns = 8

    def build_dataset(self, tokenizer):
        rows = []
        for cans in TANKS:
            lacks = round(sum(cans), 1)
            prompt = (
                f"A tank lacks {lacks} litres. There are cans with {', '.join(map(str, sorted(cans)))} litres. Fill "
                "the tank to the brim, and say done."
            )
            rows.append({"prompt": prompt, "lacks": lacks, "cans": cans})
        return rows

    def setup(self, row):
        self.lacking = row["lacks"]

    @tool
    def pour(self, litres: float) -> str:
        """Pour from a can into the tank.

        Args:
            litres: How much.
        """
        self.lacking -= litres
        return f"Poured {litres} litres."

    @reward
    def full(self):
        return self.lacking == 0

    def solve(self, row):
        return [*(call_message("pour", litres=litres) for litres in row["cans"]), "done"]
