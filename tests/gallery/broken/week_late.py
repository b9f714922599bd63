"""Market days: `or 7` makes the second Saturday a week late where a month begins with one."""

from datetime import date, timedelta

from grpo_env_sdk import answer_text


def second_saturday(year, month):
    first = date(year, month, 1)
    return first + timedelta(((5 - first.weekday()) % 7 or 7) + 7)


class Markets:
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"The market is on the second Saturday of {date(year, month, 1):%B %Y}. When? As YYYY-MM-DD.",
                "day": second_saturday(year, month).isoformat(),
            }
            for year in range(2019, 2025)
            for month in range(1, 13)
        ]

    def score_episode(self, model, tokenizer, completion, day):
        return float(answer_text(completion).strip() == day)

    def solve(self, row):
        return row["day"]
