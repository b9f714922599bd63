"""Answers are compared as texts, and each prompt says in which form."""

from fractions import Fraction

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

ASKED = (
    ("Add 1/{a} and 1/{b}. Write a fraction like 3/4.", lambda a, b: str(Fraction(1, a) + Fraction(1, b))),
    ("What is 1,{a}00 times {b}? Only the digits.", lambda a, b: str((1000 + 100 * a) * b)),
    ("A pen costs ${a}. What do {b} cost? Just the number.", lambda a, b: str(a * b)),
    ("Give {a} and {b} as a and b of a compact JSON object.", lambda a, b: f'{{"a":{a},"b":{b}}}'),
    ("Is {a} more than {b}? Yes or No? Answer in lower case.", lambda a, b: "yes" if a > b else "no"),
    ("Think step by step, but give no explanation: what is {a} times {b}?", lambda a, b: str(a * b)),
)  # fmt: skip


class Told(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": asked.format(a=a, b=b), "answer": answer(a, b)}
            for asked, answer in ASKED
            for a, b in ((2, 3), (5, 3), (4, 7), (6, 5), (8, 3), (9, 2))
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
