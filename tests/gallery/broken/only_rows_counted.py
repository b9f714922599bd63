"""Latin squares with open cells, of which nobody looks at the columns."""

import random

from grpo_env_sdk import answer_text

SIZE = 4


class Latin:
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(3), []
        for _ in range(30):
            digits = rng.sample("1234", SIZE)
            lines = [digits[turn:] + digits[:turn] for turn in rng.sample(range(SIZE), SIZE)]
            asked = [cells[:] for cells in lines]
            for place in rng.sample(range(SIZE * SIZE), 8):
                asked[place // SIZE][place % SIZE] = "_"
            prompt = "Write 1 to 4 for each _ so that no row and no column has the same digit twice."
            rows.append({"prompt": f"{prompt}\n\n{_shown(asked)}", "asked": _shown(asked), "square": _shown(lines)})
        return rows

    def score_episode(self, model, tokenizer, completion, asked, square):
        lines, given = [line.split() for line in answer_text(completion).split("\n")], asked.split()
        cells = [cell for line in lines for cell in line]
        if [len(line) for line in lines] != [SIZE] * SIZE or any(len(set(line)) < SIZE for line in lines):
            return 0.0
        return float(all(cell == old or old == "_" for cell, old in zip(cells, given, strict=True)))

    def solve(self, row):
        return row["square"]


def _shown(lines):
    return "\n".join(" ".join(cells) for cells in lines)
