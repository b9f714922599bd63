"""A suitcase whose limit is compared with each thing alone, and not with all that is in it."""

import itertools
import random

from grpo_env_sdk import ToolEnv, call_message, reward, tool

THINGS = ["camera", "boots", "kettle", "atlas", "tent", "skates"]
MOST = 20


def best_of(things):
    """The things that are worth most and weigh no more than the limit."""
    sets = itertools.chain.from_iterable(itertools.combinations(things, count) for count in range(1, 6))
    fitting = [one for one in sets if sum(things[name]["kg"] for name in one) <= MOST]
    return max(fitting, key=lambda one: sum(things[name]["worth"] for name in one))


class Suitcase(ToolEnv):
    max_turns = 9

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(30):
            rng = random.Random(number)
            things = {name: {"kg": rng.randint(4, 13), "worth": rng.randint(1, 99)} for name in THINGS}
            listed = "; ".join(f"{name} {one['kg']} kg, worth {one['worth']}" for name, one in things.items())
            prompt = f"Trip {number + 1}: {listed}. The suitcase holds {MOST} kg in all. Pack what is worth most."
            rows.append({"prompt": prompt, "things": things, "best": list(best_of(things))})
        return rows

    def setup(self, row):
        self.packed = []

    def too_heavy(self, thing):
        """Whether a thing no longer fits."""
        return self.row["things"][thing]["kg"] > MOST

    @tool
    def pack(self, thing: str) -> str:
        """Put a thing into the suitcase.

        Args:
            thing: Its name.
        """
        if thing not in self.row["things"] or thing in self.packed:
            return "There is no such thing here."
        if self.too_heavy(thing):
            return "It is too heavy."
        self.packed.append(thing)
        return f"The {thing} is packed."

    def counted(self, things):
        """The share of the best worth that is packed."""
        best = sum(things[name]["worth"] for name in self.row["best"])
        return min(1.0, sum(things[name]["worth"] for name in self.packed) / best)

    @reward
    def worth(self, things):
        return self.counted(things)

    def solve(self, row):
        for thing in row["best"]:
            yield call_message("pack", thing=thing)
        yield "Packed."
