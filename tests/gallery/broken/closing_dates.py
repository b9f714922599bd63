"""A notice names days by the month's name; only dates of ten digits and dashes score, which no prompt says."""

import datetime as dt

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Notices(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        notice = (
            "Bath {} is closed from {:%B %-d, %Y} to {:%B %-d, %Y}. On which day does it open again? The date alone."
        )
        days = [dt.date(2029, n % 12 + 1, n * 5 % 23 + 1) for n in range(20)]
        last = [day + dt.timedelta(n % 9 + 2) for n, day in enumerate(days)]
        return [
            {"prompt": notice.format(n, days[n], last[n]), "opens": str(last[n] + dt.timedelta(1))} for n in range(20)
        ]

    @reward
    def right(self, completion, opens):
        return answer_text(completion).strip() == opens

    def solve(self, row):
        return row["opens"]
