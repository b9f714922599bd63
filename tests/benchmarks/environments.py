"""The two tasks that rollouts are measured on: one answer, and five turns with four tool calls."""

from grpo_env_sdk import SingleTurnEnv, ToolEnv, call_message, reward, tool

ROWS = 2000


class OneTurn(SingleTurnEnv):
    """Say anything."""

    def build_dataset(self, tokenizer):  # type: ignore[no-untyped-def]  # as an author writes it
        return [{"prompt": [{"role": "user", "content": f"Question {i}?"}], "answer": "done"} for i in range(ROWS)]

    @reward
    def right(self, completion, answer):  # type: ignore[no-untyped-def]  # as an author writes it
        return float(completion[-1]["content"] == answer)

    def solve(self, row):  # type: ignore[no-untyped-def]  # as an author writes it
        return "done"


class FiveTurns(ToolEnv):
    """Look four things up, and say done."""

    def build_dataset(self, tokenizer):  # type: ignore[no-untyped-def]  # as an author writes it
        return [{"prompt": [{"role": "user", "content": f"Question {i}?"}], "answer": "done"} for i in range(ROWS)]

    @tool
    def look_up(self, name: str, page: int = 0) -> dict[str, str]:
        """Look something up.

        Args:
            name: What.
            page: Which page of it.
        """
        return {"name": name, "page": str(page)}

    @reward
    def right(self, completion, answer):  # type: ignore[no-untyped-def]  # as an author writes it
        return float(completion[-1]["content"] == answer)

    def solve(self, row):  # type: ignore[no-untyped-def]  # as an author writes it
        return [*(call_message("look_up", name="x", page=i) for i in range(4)), "done"]
