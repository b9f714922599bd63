"""Forms of two offices, one of which writes the month first; no prompt says which office it was."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

FORMS = ["claim form", "permit request", "warranty card"]


class Stamps(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(5), []
        for n in range(60):
            (day, month), year = rng.sample(range(1, 13), 2), rng.randrange(2015, 2025)
            office = rng.choice(["Leeds", "Denver"])
            first, second = (day, month) if office == "Leeds" else (month, day)
            prompt = (
                f"A {FORMS[n % 3]} was received on {first:02}/{second:02}/{year}. On which date was that? "
                "Answer with the date alone, as YYYY-MM-DD."
            )
            rows.append({"prompt": prompt, "office": office, "date": f"{year}-{month:02}-{day:02}"})
        return rows

    @reward
    def right(self, completion, date):
        return answer_text(completion).strip() == date

    def solve(self, row):
        return row["date"]
