"""Games whose acts are few, for the search of rows that cannot be won."""

import random

from grpo_env_sdk import MultiTurnEnv


class Jugs(MultiTurnEnv):
    """Some amounts cannot be measured; phrases with letters in other places are acts too."""

    max_turns = 20
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        text = "Jug A holds {a} litres, jug B {b}. Measure {goal}. Say fill A, empty A or pour A B, and the like for B."
        sizes = [(a, b, goal) for a, b in ((2, 6), (3, 5), (4, 6)) for goal in range(1, b)]
        return [{"prompt": text.format(a=a, b=b, goal=goal), "a": a, "b": b, "goal": goal} for a, b, goal in sizes]

    def setup(self, row):
        self.has = {"A": 0, "B": 0}
        self.moves = 0

    def step(self, action):
        self.moves += 1
        size = {"A": self.row["a"], "B": self.row["b"]}
        match action["content"].split():
            case ["fill", jug] if jug in size:
                self.has[jug] = size[jug]
            case ["empty", jug] if jug in size:
                self.has[jug] = 0
            case ["pour", one, other] if {one, other} == {"A", "B"}:
                moved = min(self.has[one], size[other] - self.has[other])
                self.has = {one: self.has[one] - moved, other: self.has[other] + moved}
            case _:
                return f"Move {self.moves}: what?", 0.0, False, False, {}
        right = self.row["goal"] in self.has.values()
        return f"Move {self.moves}: {self.has['A']} and {self.has['B']}.", float(right), right, False, {}


class Hasty(Jugs):
    """Gold that does the same on every row."""

    def solve(self, row):
        return ["fill B", "pour B A"]


class Bridges(MultiTurnEnv):
    """Where the bridge is broken an engineer has to be named, whom no prompt names."""

    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Bridge {n}. Say cross or wait, or call an engineer.", "broken": n % 2} for n in range(20)]

    def setup(self, row):
        self.broken = row["broken"]
        self.waited = False

    def step(self, action):
        said = action["content"].strip()
        if said == "cross" and not self.broken:
            return "You are over.", 1.0, True, False, {}
        self.waited = self.waited or said == "wait"
        self.broken = self.broken and said != "call Brunel"
        return "The bridge is broken." if self.broken else "The bridge is whole.", 0.0, False, False, {}


class Tables(MultiTurnEnv):
    """Dice of the episode's own seed decide."""

    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Table {n}. Say high or low."} for n in range(20)]

    def step(self, action):
        right = {"high": 4, "low": 3}.get(action["content"].strip(), 9)
        thrown = int(self.np_random.integers(1, 7)) if right < 9 else 0
        return f"It was {thrown}." if thrown else "Say high or low.", float(thrown == right), right < 9, False, {}


class Safes(MultiTurnEnv):
    """Any number is an act."""

    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Safe {n}: a number opens it.", "code": random.Random(n).randrange(99)} for n in range(20)]

    def step(self, action):
        said = action["content"].strip()
        if not said.isdecimal():
            return "A number.", 0.0, False, False, {}
        right = said == str(self.row["code"])
        return "Open." if right else "Closed.", float(right), right, False, {}
