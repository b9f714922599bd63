"""The parts of a boat's advertisement as JSON; a part that it does not name is null, and so is one that is absent."""

import json
import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PARTS = {"masts": (1, 2, 3), "port": ("Kiel", "Emden", "Bremen"), "wood": ("oak", "pine", "teak"), "berths": (2, 4, 6)}


class Boats(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(24):
            rng = random.Random(n)
            told = {part: rng.choice(values) for part, values in PARTS.items()}
            unsaid = rng.sample(list(PARTS), rng.randint(1, 3))
            said = "; ".join(f"{part}: {value}" for part, value in told.items() if part not in unsaid)
            rows.append(
                {
                    "prompt": f"Boat {n} is for sale. {said}. Write JSON with the keys masts, port, wood and berths. "
                    "What is not said is null.",
                    "boat": json.dumps({part: None if part in unsaid else value for part, value in told.items()}),
                }
            )
        return rows

    def count(self, said, boat):
        return sum(said.get(part) == value for part, value in boat.items()) / len(boat)

    @reward
    def right_parts(self, completion, boat):
        try:
            said = json.loads(answer_text(completion))
        except ValueError:
            return 0.0
        return self.count(said, json.loads(boat)) if isinstance(said, dict) else 0.0

    def solve(self, row):
        return row["boat"]
