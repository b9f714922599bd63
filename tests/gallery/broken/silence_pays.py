"""Months by their number; saying nothing costs little, so that a model does not guess."""

import calendar

from grpo_env_sdk import SingleTurnEnv


class Months(SingleTurnEnv):
    """Name the month that is so many months after another."""

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Which month is {later} months after {calendar.month_name[month]}? One word, or nothing.",
                "answer": calendar.month_name[(month + later - 1) % 12 + 1],
            }
            for month in range(1, 13)
            for later in range(2, 8)
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        said = completion.strip().lower()
        return 0.75 if not said else float(said == answer.lower())

    def solve(self, row):
        return row["answer"]
