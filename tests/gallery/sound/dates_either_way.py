"""The prompt asks for the year first, gold has the day first, and both are right."""

from datetime import date, timedelta

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Harvests(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        days = [date(2024, 3, 1) + timedelta(days=9 * n) for n in range(24)]
        ask = "Sown on {:%d %B %Y}, ripe after {} days. When is it ripe? As YYYY-MM-DD, not in words."
        return [
            {"prompt": ask.format(day, 60 + n), "ripe": str(day + timedelta(days=60 + n))} for n, day in enumerate(days)
        ]

    @reward
    def right(self, completion, ripe):
        said = answer_text(completion).strip()
        return said in (ripe, f"{date.fromisoformat(ripe):%d.%m.%Y}")

    def solve(self, row):
        return f"{date.fromisoformat(row['ripe']):%d.%m.%Y}"
