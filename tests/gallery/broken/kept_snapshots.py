"""Move stock between shelves; a snapshot of every episode's start is kept for debugging."""

from typing import ClassVar

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Shelves(ToolEnv):
    max_turns = 3
    snapshots: ClassVar[list[dict]] = []

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Move 1 piece from shelf {a} to shelf {a + 500}.", "source": a, "target": a + 500}
            for a in range(3, 300, 7)
        ]

    def setup(self, row):
        self.stock = dict.fromkeys(range(800), 5)
        self.snapshots.append(dict(self.stock))

    @tool
    def move(self, source: int, target: int) -> str:
        """Move one piece.

        Args:
            source: The number of the shelf to take it from.
            target: The number of the shelf to put it on.
        """
        if not self.stock.get(source) or target not in self.stock:
            return "That cannot be done."
        self.stock[source] -= 1
        self.stock[target] += 1
        return "moved"

    @reward
    def right(self, source, target):
        changed = {shelf: pieces for shelf, pieces in self.stock.items() if pieces != 5}
        return changed == {source: 4, target: 6}

    def solve(self, row):
        return [call_message("move", source=row["source"], target=row["target"]), "Done."]
