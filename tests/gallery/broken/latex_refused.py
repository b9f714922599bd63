"""A fraction is asked for, and compared as a text."""

from fractions import Fraction

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Products(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Multiply 1/{a} by 3/{b}. Give a reduced fraction.", "answer": str(Fraction(3, a * b))}
            for a in range(2, 8)
            for b in (5, 7, 11)
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
