"""What does not fit into a bin is lost, although the tool says that it stays where it was."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Granary(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        asked = (
            "Granary {}: bin C is to hold {} sacks. Shovel the grain from A by way of B, which holds no more than that."
        )
        return [
            {"prompt": asked.format(n + 1, 3 + n % 4), "room": 3 + n % 4, "sacks": 9 + n % 5} for n in range(24)
        ]  # fmt: skip

    def setup(self, row):
        self.sacks = {"A": row["sacks"], "B": 0, "C": 0}
        self.room = {"A": 20, "B": row["room"], "C": 20}

    def fitting(self, source, target):
        """How many sacks leave a bin for another one."""
        return self.sacks[source]

    @tool
    def weigh(self) -> dict[str, int]:
        """How many sacks of grain each bin holds."""
        return dict(self.sacks)

    @tool
    def shovel(self, source: str, target: str) -> dict[str, int]:
        """Shovel the grain of a bin into another one; what does not fit stays in the first.

        Args:
            source: The bin that it is taken from.
            target: The bin that it is put into.
        """
        moved = self.fitting(source, target)
        self.sacks[source] -= moved
        self.sacks[target] = min(self.room[target], self.sacks[target] + moved)
        return dict(self.sacks)

    @reward
    def measured(self, room):
        return self.sacks["C"] == room

    def solve(self, row):
        yield call_message("weigh")
        yield call_message("shovel", source="A", target="B")
        yield call_message("shovel", source="B", target="C")
        yield "Bin C holds what it is to hold."
