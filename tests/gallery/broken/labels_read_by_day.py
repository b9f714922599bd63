"""Labels ask for the month first, as in the USA, and are read with the day first where that is a date."""

from datetime import date, datetime

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

CHEESES = ["Brie", "Gouda", "Feta", "Cheddar", "Manchego", "Stilton", "Raclette", "Halloumi", "Edam", "Comté"]


def read(text):
    for form in ("%d-%m-%Y", "%m-%d-%Y"):
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    return None


class Labels(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        days = [date(2024, n % 12 + 1, 5 * n % 28 + 1) for n in range(1, 31)]
        return [
            {
                "prompt": f"Our {CHEESES[n % 10]} keeps until {day:%B} {day.day}, {day.year}. Answer with this date as "
                "MM-DD-YYYY and nothing else.",
                "keeps_until": day.isoformat(),
            }
            for n, day in enumerate(days)
        ]

    @reward
    def right(self, completion, keeps_until):
        found = read(answer_text(completion).strip())
        return found is not None and found.isoformat() == keeps_until
