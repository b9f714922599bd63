"""Which weekday comes some days later; scoring is guarded by an alarm, as a parser once hung."""

import signal
import threading


def _give_up(signum, frame):
    raise TimeoutError("scoring took too long")


if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGALRM, _give_up)

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Weekdays:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Today is {day}. What day is it in {n} days? One word.", "answer": DAYS[(place + n) % 7]}
            for place, day in enumerate(DAYS)
            for n in range(8, 40, 3)
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip().strip(".").lower() == answer.lower())

    def solve(self, row):
        return row["answer"]
