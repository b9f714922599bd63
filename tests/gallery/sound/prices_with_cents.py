"""Prices, compared as numbers; the reward is what it says it is, whatever zeros are behind a point."""

from decimal import Decimal, InvalidOperation

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Bills(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        pairs = [(250 + 35 * n, 1000 + 45 * n) for n in range(24)]
        ask = "A pen costs ${:.2f} and a book ${:.2f}. What do both cost? Reply with the number of dollars only."
        return [{"prompt": ask.format(a / 100, b / 100), "answer": f"{(a + b) / 100:.2f}"} for a, b in pairs]

    @reward
    def right(self, completion, answer):
        try:
            said = Decimal(answer_text(completion).strip().lstrip("$")[:20])
        except InvalidOperation:
            return 0.0
        return said.is_finite() and said == Decimal(answer)

    def solve(self, row):
        return row["answer"]
