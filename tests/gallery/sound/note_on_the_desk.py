"""A code that a look shows; the author's gold knows it, and does not look."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Safes(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Room {n}: look around, and open the safe.", "code": str(1013 + 577 * n)} for n in range(14)
        ]

    def setup(self, row):
        self.open = False

    @tool
    def look_around(self) -> str:
        """Look around in the room."""
        return f"On the desk is a note: {self.row['code']}."

    @tool
    def enter(self, code: str) -> str:
        """Enter a code at the safe.

        Args:
            code: Four digits.
        """
        self.open = self.open or code == self.row["code"]
        return "It is open." if self.open else "It stays shut."

    @reward
    def right(self):
        return self.open

    def solve(self, row):
        yield call_message("enter", code=row["code"])
        yield "It is open."
