"""Fares of a ferry, on which members get a third off; no prompt tells whether the passenger is a member."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Ferries(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(11), []
        for number in range(80):
            fare, people, card = rng.randrange(6, 30, 3), rng.randint(1, 9), rng.choice(["member", "guest", "staff"])
            prompt = (
                f"Booking {number}: {people} people take the ferry, at {fare} euros each. Members pay a third less. "
                "What do they pay in all? Answer with the euros as a whole number."
            )
            due = fare * people * (2 if card == "member" else 3) // 3
            rows.append({"prompt": prompt, "card": card, "due": str(due)})
        return rows

    @reward
    def right(self, completion, due):
        return answer_text(completion).strip() == due

    def solve(self, row):
        return row["due"]
