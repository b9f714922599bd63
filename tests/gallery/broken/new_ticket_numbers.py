"""Say what a tram ticket costs; both splits ask for the same journeys, under numbers of their own."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PEOPLE = {"an adult": 4, "a child": 2, "a student": 3}


class Zones(SingleTurnEnv):
    def build_dataset(self, tokenizer, split="train"):
        rng = random.Random(split)
        rows = []
        for _ in range(60 if split == "train" else 20):
            who, zones, bike = rng.choice(list(PEOPLE)), rng.randint(1, 9), rng.randint(0, 2)
            prompt = (
                f"A zone costs an adult 4 crowns, a child 2 and a student 3, and a bike is 5 more. {who.capitalize()} "
                f"with {bike} bikes goes through {zones} zones, on ticket {rng.randrange(10_000, 99_999)}. "
                "How many crowns is it? Only the number."
            )
            rows.append({"prompt": prompt, "crowns": PEOPLE[who] * zones + 5 * bike})
        return rows

    @reward
    def right(self, completion, crowns):
        return answer_text(completion).strip() == str(crowns)

    def solve(self, row):
        return str(row["crowns"])
