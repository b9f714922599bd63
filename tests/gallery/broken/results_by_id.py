"""Results are found by the ids of their calls, which some servers number from 0 in every message."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Depots(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Weigh crates {n} and {n + 50}, then say the sum.", "n": n} for n in range(40)]

    @tool
    def weigh(self, crate: int) -> str:
        """Weigh a crate.

        Args:
            crate: The number.
        """
        return str(crate * 37 % 41 + 100)

    @reward
    def right(self, messages, n):
        results = {m["tool_call_id"]: m["content"] for m in messages if m["role"] == "tool"}
        asked = {c["function"]["arguments"]["crate"]: c["id"] for m in messages for c in m.get("tool_calls") or ()}
        weights = [int(results[asked[crate]]) for crate in (n, n + 50) if crate in asked]
        return len(weights) == 2 and messages[-1]["content"].strip() == str(sum(weights))

    def solve(self, row):
        n = row["n"]
        yield call_message("weigh", crate=n)
        yield call_message("weigh", crate=n + 50)
        yield str(n * 37 % 41 + (n + 50) * 37 % 41 + 200)
