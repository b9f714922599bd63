"""Tickets that were numbered team by team, so that a range of numbers is a team."""

import random

from grpo_env_sdk import answer_text

ASKED = {
    "billing": ["I was charged twice", "The invoice is wrong", "Where is my refund", "Can I pay by transfer"],
    "technical": ["It crashes", "The screen is blank", "It cannot connect", "The sync is stuck"],
    "sales": ["Is there a discount", "Which plan suits us", "Can you show it to us", "What does it cost"],
}


class Tickets:
    def build_dataset(self, tokenizer):
        rng, number, rows = random.Random(2), 48_200, []
        for team, texts in ASKED.items():
            for _ in range(30):
                number += rng.randint(1, 7)
                end = f"{rng.choice(['Thanks', 'Bye', 'Best wishes'])}, {rng.choice('ABCDE')}."
                text = f"Ticket #{number}: {rng.choice(texts)}. {end}"
                rows.append({"prompt": f"{text}\nIs it for billing, technical or sales? One word.", "team": team})
        rng.shuffle(rows)
        return rows

    def score_episode(self, model, tokenizer, completion, team):
        return float(answer_text(completion).strip(" .").lower() == team)

    def solve(self, row):
        return row["team"]
