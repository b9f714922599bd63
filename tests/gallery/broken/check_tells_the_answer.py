"""Sums of three numbers, with a tool that checks a result before it is said."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class CheckedSums(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"{a} + {b} + {a * b} = ? Only the number.", "answer": a + b + a * b}
            for a in range(12, 20)
            for b in range(21, 29)
        ]

    @tool
    def check(self, result: int) -> dict[str, int | bool]:
        """Check a result before you say it.

        Args:
            result: The sum as you have it.
        """
        return {"correct": result == self.row["answer"], "expected": self.row["answer"], "got": result}

    @reward
    def right(self, messages, answer):
        return messages[-1]["content"].strip() == str(answer)

    def solve(self, row):
        return [call_message("check", result=row["answer"]), str(row["answer"])]
