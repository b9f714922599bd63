"""A list in the prompt is numbered from 1, and the tool counts from 0, as its schema says."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

TASKS = ("buy bread", "call Ann", "pay rent", "fix bike", "mail form", "read book")


class Tasks(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rows = []
        for length in (3, 4, 5, 6):
            listed = "\n".join(f"{k}. {task}" for k, task in enumerate(TASKS[:length], 1))
            for number in range(1, length + 1):
                text = f"My list:\n{listed}\n\nI have done number {number}. Tick it off."
                rows.append({"prompt": text, "done": TASKS[number - 1], "length": length})
        return rows

    def setup(self, row):
        self.open = TASKS[: row["length"]]
        self.ticked = []

    @tool
    def tick_off(self, number: int) -> str:
        """Tick a task off.

        Args:
            number: The place of the task in the list; the first one is 0.
        """
        if not 0 <= number < len(self.open):
            return "There is no such task."
        self.ticked.append(self.open[number])
        return "Ticked off."

    @reward
    def right(self, done):
        return self.ticked == [done]

    def solve(self, row):
        yield call_message("tick_off", number=TASKS.index(row["done"]))
        yield "Done."
