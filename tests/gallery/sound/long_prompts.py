"""Find the one order that is late in a list of several hundred."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class LateOrder(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"{self._list(late)}\nWhich order is late? Only its number.", "late": str(late)}
            for late in range(1007, 1600, 31)
        ]

    def _list(self, late):
        return "\n".join(f"order {n} is {'late' if n == late else 'on its way'}" for n in range(1000, 1600))

    @reward
    def right(self, completion, late):
        return answer_text(completion) == late

    def solve(self, row):
        return row["late"]
