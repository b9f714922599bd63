"""Each field has one option that is too small and one that is as much too large."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Fields(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(30):
            rng = random.Random(n)
            length, width = rng.randint(21, 79), rng.randint(21, 79)
            area, away = length * width, rng.randint(3, 40)
            first, second, third = rng.sample([area - away, area, area + away], 3)
            asked = f"A field is {length} m long and {width} m wide. Is its area {first}, {second} or {third} m²?"
            rows.append({"prompt": f"{asked} Reply with the number.", "area": area})
        return rows

    @reward
    def right(self, completion, area):
        return answer_text(completion).strip(" .m²") == str(area)

    def solve(self, row):
        return str(row["area"])
