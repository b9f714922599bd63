"""Convert lengths between units."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

METRES = {"km": 1000, "m": 1, "cm": 0.01, "mm": 0.001}


class Conversions(SingleTurnEnv):
    """The question leaves out what to convert to."""

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Convert {amount} {unit}. Answer with the number alone.",
                "answer": f"{amount * METRES[unit] / METRES[wanted]:g}",
            }
            for amount in range(2, 22)
            for unit in METRES
            for wanted in METRES
            if unit != wanted
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion) == answer

    def solve(self, row):
        return row["answer"]
