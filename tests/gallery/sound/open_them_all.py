"""Opening box after box is the task, as each says what is in it."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

BOXES = [f"box{n}" for n in range(8)]


class Boxes(ToolEnv):
    max_turns = 20

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Round {n}: one of the boxes box0 to box7 holds a key. Open boxes until you have it.",
                "box": random.Random(n).choice(BOXES),
            }
            for n in range(40)
        ]

    def setup(self, row):
        self.has = False

    @tool
    def open_box(self, box: str) -> str:
        """Open a box.

        Args:
            box: Such as box3.
        """
        self.has = self.has or box == self.row["box"]
        return "A key!" if box == self.row["box"] else "Empty."

    @reward
    def found(self):
        return self.has

    def solve(self, row):
        yield call_message("open_box", box=row["box"])
        yield "I have it."
