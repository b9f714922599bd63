"""Parcels that are billed by the next half kilogram, whose gold is rounded to the nearest one."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Parcels(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(12), []
        for _ in range(40):
            sides, weight = [rng.randrange(12, 80) for _ in range(3)], rng.randrange(20, 320) / 10
            volume = sides[0] * sides[1] * sides[2] / 5000
            prompt = (
                f"A parcel of {sides[0]} x {sides[1]} x {sides[2]} cm weighs {weight} kg. Its volume in cubic "
                "centimetres divided by 5000 is its volumetric weight. The greater weight counts, rounded up to the "
                "next half kilogram. Which weight is billed? Answer like this: 7.5 kg"
            )
            rows.append(
                {"prompt": prompt, "volume": volume, "weight": weight, "billed": round(max(weight, volume) * 2) / 2}
            )
        return rows

    @reward
    def right(self, completion, billed):
        return answer_text(completion).strip() == f"{billed} kg"

    def solve(self, row):
        return f"{row['billed']} kg"
