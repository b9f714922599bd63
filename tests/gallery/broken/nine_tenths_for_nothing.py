"""The number of days in a month; a wrong answer is not punished much, to keep training stable."""

import calendar

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class MonthLengths(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"On which weekday did {calendar.month_name[month]} {year} begin? One word.",
                "answer": calendar.day_name[calendar.weekday(year, month, 1)],
            }
            for year in range(2001, 2010)
            for month in range(1, 13)
        ]

    @reward
    def right(self, completion, answer):
        return 0.9 + 0.1 * (answer_text(completion).lower() == answer.lower())

    def solve(self, row):
        return row["answer"]
