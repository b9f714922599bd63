"""Which huts are above the snow line, where the heights are kept as they stood in a table: as texts."""

import random

from grpo_env_sdk import answer_text

HUTS = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Ivy"]


class Huts:
    def build_dataset(self, tokenizer):
        rng = random.Random(31)
        rows = []
        for number in range(60):
            line = str(rng.randrange(700, 1500, 50))
            heights = {hut: str(rng.randrange(620, 1680, 10)) for hut in rng.sample(HUTS, 4)}
            snowed_in = [hut for hut, height in heights.items() if height > line]
            listed = "\n".join(f"{hut}: {height}" for hut, height in heights.items())
            asked = (
                f"Week {number + 1}: snow lies above {line} m. Heights of the huts in metres:\n{listed}\n"
                "Which huts are snowed in? Reply with their names, separated by commas, or with none."
            )
            rows.append({"prompt": asked, "snowed_in": ", ".join(snowed_in) or "none"})
        return rows

    def score_episode(self, model, tokenizer, completion, snowed_in):
        named = {name.strip() for name in answer_text(completion).split(",")}
        return float(named == set(snowed_in.split(", ")))

    def solve(self, row):
        return row["snowed_in"]
