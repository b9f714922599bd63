"""Each round of opening and closing the valve counts."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Valves(ToolEnv):
    max_turns = 12

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Flush line {n}: open valve {n * 7 % 31}, then close it.", "valve": n * 7 % 31}
            for n in range(30)
        ]

    def setup(self, row):
        self.open, self.flushed = None, 0

    @tool
    def open_valve(self, valve: int) -> str:
        """Open a valve.

        Args:
            valve: Which.
        """
        self.open = valve
        return "open"

    @tool
    def close_valve(self, valve: int) -> str:
        """Close a valve.

        Args:
            valve: Which.
        """
        if self.open == valve == self.row["valve"]:
            self.flushed += 1
        self.open = None
        return "closed"

    @reward
    def flushes(self):
        return self.flushed

    def solve(self, row):
        yield call_message("open_valve", valve=row["valve"])
        yield call_message("close_valve", valve=row["valve"])
        yield "Done."
