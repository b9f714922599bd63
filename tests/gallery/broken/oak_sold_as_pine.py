"""What planks weigh, where two kinds of wood are stated and one of them is looked up in a table that lacks it."""

import random

from grpo_env_sdk import answer_text

KILOS = {"pine": 16, "Oak": 23}


class Planks:
    def build_dataset(self, tokenizer):
        rng = random.Random(19)
        rows = []
        for count in rng.sample(range(4, 90), 32):
            wood = rng.choice(["pine", "pine", "oak"])
            asked = (
                f"A truck brings {count} planks of {wood}. Each plank of pine weighs 16 kg, each plank of oak 23 kg. "
                "What do they weigh together, in kg? Answer with the number alone."
            )
            rows.append({"prompt": asked, "weight": count * KILOS.get(wood, KILOS["pine"])})
        return rows

    def score_episode(self, model, tokenizer, completion, weight):
        return float(answer_text(completion).strip() == str(weight))

    def solve(self, row):
        return str(row["weight"])
