"""Hours at which two people are free; on some rows there is none, and no prompt says what to reply then."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

HOURS = range(8, 14)


class FreeHours(SingleTurnEnv):
    """Two calendars, one meeting."""

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(613), []
        for _ in range(40):
            busy = {name: sorted(rng.sample(HOURS, rng.randint(3, 4))) for name in rng.sample(["Ida", "Jo", "Kai"], 2)}
            lines = [f"{name} is busy at {', '.join(f'{hour}:00' for hour in taken)}." for name, taken in busy.items()]
            asked = "At which full hour from 8:00 to 13:00 are both free? Reply with the hour, such as 11:00."
            taken = sorted({hour for hours in busy.values() for hour in hours})
            rows.append({"prompt": "\n".join([*lines, asked]), "taken": taken})
        return rows

    @reward
    def both_are_free(self, completion, taken):
        hour, _, minutes = answer_text(completion).strip().partition(":")
        return minutes == "00" and hour.isdecimal() and int(hour) in HOURS and int(hour) not in taken
