"""Rain of a day, whose prompts show the first twelve readings, while gold is the sum of all."""

import random

from grpo_env_sdk import answer_text


class Rain:
    def build_dataset(self, tokenizer):
        rng = random.Random(46)
        rows = []
        for day in range(40):
            readings = [rng.randint(1, 9) for _ in range(rng.randint(6, 17))]
            log = "\n".join(f"{hour:02}:{rng.randint(0, 59):02}  {rain} mm" for hour, rain in enumerate(readings[:12]))
            rows.append({"prompt": f"Station {100 + day}\n\n{log}\n\nHow many mm fell in all?", "total": sum(readings)})
        return rows

    def score_episode(self, model, tokenizer, completion, total):
        return float(answer_text(completion).strip() == str(total))

    def solve(self, row):
        return str(row["total"])
