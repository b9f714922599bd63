"""A line of cron is tried at the times at which the garden is to be watered, and at no others."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


class Watering(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        asked = (
            "Write the line of cron with five fields (minute, hour, day, month, weekday; Sunday is 0) that waters the "
            "garden at {}:{} on every {}, and at no other time. Answer with the line alone."
        )
        return [
            {"prompt": asked.format(hour, 10 + n, day), "minute": 10 + n, "hour": hour, "weekday": n}
            for n, day in enumerate(DAYS)
            for hour in (5, 6, 20)
        ]

    @reward
    def waters(self, completion, minute, hour, weekday):
        fields = answer_text(completion).split()
        due = [minute, hour, 1, 1, weekday]
        return len(fields) == 5 and all(field in ("*", str(at)) for field, at in zip(fields, due, strict=True))

    def solve(self, row):
        return f"{row['minute']} {row['hour']} * * {row['weekday']}"
