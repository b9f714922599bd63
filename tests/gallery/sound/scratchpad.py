"""Sums of a shopping list; a tool to note things down answers with what was noted, and counts for nothing."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Receipts(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Tea {a}, bread {b}, jam {c}. What is it in all? Only the number.", "prices": [a, b, c]}
            for a in (2, 3, 5)
            for b in (4, 7)
            for c in (6, 8, 9)
        ]

    @tool
    def note(self, text: str) -> str:
        """Note something down, to think it over.

        Args:
            text: The note.
        """
        return f"Noted: {text}"

    @reward
    def right(self, messages, prices):
        return messages[-1]["content"].strip() == str(sum(prices))

    def solve(self, row):
        a, b, c = row["prices"]
        yield call_message("note", text=f"{a} + {b} = {a + b}")
        yield str(a + b + c)
