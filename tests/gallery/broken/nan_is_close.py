"""A tolerance written as `if abs(said - answer) > 0.01: return 0`, which nan passes."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Roots(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"The square root of {n}, to two decimals?", "answer": round(n**0.5, 2)} for n in range(2, 80)
        ]

    @reward
    def right(self, completion, answer):
        try:
            said = float(answer_text(completion))
        except ValueError:
            return 0.0
        if abs(said - answer) > 0.01:
            return 0.0
        return 1.0

    def solve(self, row):
        return f"{row['answer']:.2f}"
