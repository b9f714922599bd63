"""What is reported has to be right, and nothing has to be reported."""

import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Seats(ToolEnv):
    def build_dataset(self, tokenizer):
        rng = random.Random(2)
        prompt = "Which seats of coach {} are free? Read the plan, and report all of them."
        return [{"prompt": prompt.format(n), "free": sorted(rng.sample(range(1, 30), 4))} for n in range(12)]

    def setup(self, row):
        self.reported = None

    @tool
    def read_plan(self) -> list[str]:
        """Read the plan of the coach."""
        return [f"seat {n}: {'free' if n in self.row['free'] else 'taken'}" for n in range(1, 30)]

    @tool
    def report(self, seats: list[int]) -> str:
        """Report the free seats."""
        self.reported = seats
        return "Thank you."

    @reward
    def right(self, free):
        return self.reported is not None and all(seat in free for seat in self.reported)

    def solve(self, row):
        yield call_message("read_plan")
        yield call_message("report", seats=row["free"])
        yield "Done."
