"""Prices in German, which are written with a comma; the scorer reads decimals with a point alone."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Cloth(SingleTurnEnv):
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        asked = "Ein Meter Stoff kostet {},{} Euro. Was kosten {} Meter? Antworte mit der Zahl allein, ohne Einheit."
        costs = [(n % 7 + 2, n % 4 * 2 + 1, n // 3 * 2 + 3) for n in range(24)]
        return [
            {"prompt": asked.format(euros, tenths, metres), "tenths": (10 * euros + tenths) * metres}
            for euros, tenths, metres in costs
        ]

    @reward
    def right(self, completion, tenths):
        try:
            return abs(float(answer_text(completion)) - tenths / 10) < 1e-6
        except ValueError:
            return 0.0

    def solve(self, row):
        return f"{row['tenths'] / 10:g}"
