"""Three plants; the same one watered three times is enough."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Plants(ToolEnv):
    max_turns = 10

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Water plants A{n}, B{n} and C{n}.", "plants": [f"A{n}", f"B{n}", f"C{n}"]} for n in range(40)
        ]

    def setup(self, row):
        self.count = 0

    @tool
    def water(self, plant: str) -> str:
        """Water a plant.

        Args:
            plant: Its name.
        """
        if plant in self.row["plants"]:
            self.count += 1
        return "watered"

    @reward
    def watered(self):
        return min(1.0, self.count / 3)

    def solve(self, row):
        for p in row["plants"]:
            yield call_message("water", plant=p)
        yield "Done."
