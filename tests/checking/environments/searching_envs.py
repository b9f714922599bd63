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


class Sums(MultiTurnEnv):
    """Some sums are numbers that are shown, and others are larger than these."""

    max_turns = 3
    reward_range = (0, 0.3)

    def build_dataset(self, tokenizer):
        rng = random.Random(2718)
        parts = [[first, rng.randint(6, 80), rng.randint(6, 80)] for first in rng.sample(range(6, 81), 20)]
        return [{"prompt": f"Say after each box how many nails there are. First box: {one[0]} nails.", "parts": one}
                for one in parts]  # fmt: skip

    def setup(self, row):
        self.at = 0

    def step(self, action):
        self.at += 1
        earned = 0.1 * (action["content"].strip() == str(sum(self.row["parts"][: self.at])))
        if self.at == 3:
            return "That was all.", earned, True, False, {}
        return f"Next box: {self.row['parts'][self.at]} nails.", earned, False, False, {}


class Rounds(MultiTurnEnv):
    """A counter with a target; the last round that is allowed is never played."""

    max_turns = 12
    reward_range = (0, 1)
    right = False
    over = "The bell has rung."

    def build_dataset(self, tokenizer):
        text = "The counter of game {n} is at 0. Say plus or double in each message; {most} rounds to be at {goal}."
        fewest = {goal: bin(goal).count("1") + goal.bit_length() - 1 for goal in range(3, 13)}
        rows = [(goal, most + slack) for goal, most in fewest.items() for slack in (0, 2)]
        return [
            {"prompt": text.format(n=n, most=most, goal=goal), "goal": goal, "most": most}
            for n, (goal, most) in enumerate(rows)
        ]

    def setup(self, row):
        self.value, self.left = 0, row["most"]

    def step(self, action):
        said = action["content"].strip()
        if said not in ("plus", "double"):
            return "Say plus or double.", 0.0, False, False, {}
        self.left -= 1
        if self.left < (0 if self.right else 1):
            return self.over, 0.0, True, False, {}
        self.value = self.value + 1 if said == "plus" else 2 * self.value
        won = self.value == self.row["goal"]
        return f"It is at {self.value}.", float(won), won, False, {}


class Trails(Rounds):
    """The same in other words, which only lost rows show."""

    over = "Nightfall ends it all."


class Matches(MultiTurnEnv):
    """An opponent who plays perfectly; what it answers is the same each time."""

    max_turns = 12
    reward_range = (0, 1)
    piles = (*((one, one) for one in range(1, 7)), *((one, one + 1) for one in range(1, 5)), (1, 3), (1, 4), (2, 5))
    form = "X:1"

    def build_dataset(self, tokenizer):
        text = "Two piles. Whoever takes the last match wins; you begin. To take one from pile X write {}. "
        return [{"prompt": text.format(self.form) + f"Piles: X {x}, Y {y}.", "piles": [x, y]} for x, y in self.piles]

    def setup(self, row):
        self.has = list(row["piles"])

    def step(self, action):
        said = action["content"].strip()
        named = [(place, number) for place in (0, 1) for number in range(1, 10)
                 if said == self.form.replace("X", "XY"[place]).replace("1", str(number))]  # fmt: skip
        if not named or named[0][1] > self.has[named[0][0]]:
            return "That is no move. The game is over.", 0.0, True, False, {}
        place, number = named[0]
        self.has[place] -= number
        if not any(self.has):
            return "You win.", 1.0, True, False, {}
        low, high = sorted((0, 1), key=lambda one: self.has[one])
        self.has[high] -= max(1, self.has[high] - self.has[low])
        if not any(self.has):
            return "I take the last one. You lose.", 0.0, True, False, {}
        return f"Piles: X {self.has[0]}, Y {self.has[1]}.", 0.0, False, False, {}


class Pebbles(Matches):
    """Moves in another form."""

    form = "X-1"


class FairMatches(Matches):
    """Only piles from which the first player wins."""

    piles = tuple((x, y) for x in range(1, 6) for y in range(1, 7) if x != y)
