"""The room of a van is in the prompt, and in no line of the scorer."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PLACES = ["mill", "dairy", "school", "station"]


class Van(SingleTurnEnv):
    room = 99

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            rng = random.Random(number)
            crates = [[f"C{number}{place}", *rng.sample(PLACES, 2)] for place in range(1, 5)]
            told = "; ".join(f"{name} from the {start} to the {end}" for name, start, end in crates)
            text = (
                f"Bring these crates: {told}. Write one step in each line: 'go PLACE', 'take CRATE' or 'leave CRATE'. "
                "The van has room for two crates, and a step that is impossible makes the plan worth nothing."
            )
            rows.append({"prompt": text, "crates": crates})
        return rows

    @reward
    def delivered(self, completion, crates):
        at, van, held = {name: start for name, start, _ in crates}, "", 0
        for line in answer_text(completion).split("\n"):
            step, _, what = line.partition(" ")
            if step == "go":
                van = what
            elif step == "take" and at.get(what) == van and held < self.room:
                at[what], held = "van", held + 1
            elif step == "leave" and at.get(what) == "van":
                at[what], held = van, held - 1
            else:
                return 0.0
        return all(at[name] == end for name, _, end in crates)

    def solve(self, row):
        steps = [f"go {start}\ntake {name}\ngo {end}\nleave {name}" for name, start, end in row["crates"]]
        return "\n".join(steps)
