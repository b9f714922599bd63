"""Environments with tools or several turns whose goal no column holds: the code works it out and compares with it."""

import itertools
import random
import threading

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, reward, tool

FRUITS = ("fig", "kiwi", "lime", "pear", "plum", "quince")
HEIGHTS = ("low", "middle", "high")
CODES = {"nails": "N-40", "screws": "S-17", "hooks": "H-93", "bolts": "B-28", "rivets": "R-66", "pins": "P-05"}
PLACES = {"attic": ("hall",), "hall": ("attic", "cellar", "yard"), "cellar": ("hall",), "yard": ("hall",)}


class NamedFruit(MultiTurnEnv):
    """A question and an answer, each with a word in front."""

    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Guess fruit {n} of the shop.", "n": n} for n in range(12)]

    def step(self, action):
        said = answer_text([action]).strip().lower()
        if not said.startswith("it is:"):
            return "What is it?", 0.0, False, False, {}
        wanted = f"{HEIGHTS[self.row['n'] % 3]} shelf, {FRUITS[self.row['n'] % 6]}"
        return "I see.", float(said[6:].strip() == wanted), True, False, {}


class Steps(MultiTurnEnv):
    """Two commands: go somewhere, then take what is named there."""

    max_turns = 5
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"House {n}: fetch the thing.", "n": n} for n in range(12)]

    def setup(self, row):
        self.here = "hall"

    async def step(self, action):
        place, thing = ("attic", "cellar", "yard")[self.row["n"] % 3], ("lamp", "rope")[self.row["n"] % 2]
        words = answer_text([action]).split()
        if len(words) != 2:
            return "Two words.", 0.0, False, False, {}
        if words[0] == "go" and words[1] in PLACES[self.here]:
            self.here = words[1]
            return f"Now: {self.here}.", 0.0, False, False, {}
        if words[0] == "take":
            if words[1] != thing:
                return "There is no such thing.", 0.0, False, False, {}
            return "Taken.", float(self.here == place), True, False, {}
        return "No.", 0.0, False, False, {}


class Cases(ToolEnv):
    """Each case is decided by a rule, and all of them have to be right."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Decide the cases of day {n}.", "n": n} for n in range(12)]

    def setup(self, row):
        rng = random.Random(row["n"])
        self.cases = {f"C{row['n'] * 10 + place}": rng.randint(1, 90) for place in range(3)}
        self.decided = {}

    @tool
    def decide(self, case: str, grade: str) -> str:
        """Decide a case: A, B or C."""
        if case not in self.cases or grade not in ("A", "B", "C"):
            return "That is not possible."
        self.decided[case] = grade
        return "Noted."

    @reward
    def right(self):
        return self.decided == {case: "ABC"[size // 31] for case, size in self.cases.items()}


class Report(ToolEnv):
    """A file with a line for each thing."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Write the stock list of week {n}.", "n": n} for n in range(12)]

    def setup(self, row):
        self.files = {}

    @tool
    async def save(self, name: str, content: str) -> str:
        """Write a file."""
        self.files[name] = content
        return "Written."

    @reward
    def listed(self, n):
        written = self.files.get("stock.txt", "").strip().splitlines()
        return written == [f"{one}: {n + place}" for place, one in enumerate(FRUITS[:3], 1)]


class Till(ToolEnv):
    """Something is sold, and the price is named at the end."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        goods = sorted(CODES)
        return [
            {"prompt": f"Customer {n} wants some {goods[n % 6]}.", "goods": goods[n % 6], "n": n} for n in range(12)
        ]

    def setup(self, row):
        self.sold = []

    @tool
    def sell(self, code: str, pieces: int) -> str:
        """Sell some pieces."""
        if code not in CODES.values() or not 0 < pieces < 50:
            return "That cannot be sold."
        self.sold.append((code, pieces))
        return "Sold."

    @reward
    def paid(self, completion, goods, n):
        pieces = 3 + n % 4
        said = answer_text(completion).strip()
        return self.sold == [(CODES[goods], pieces)] and said == f"{1.25 * pieces:.2f}"


class Crate(ToolEnv):
    """Goods by their codes into a crate; it is not asked what else is in it."""

    max_turns = 8
    right = False

    def build_dataset(self, tokenizer):
        rows = [random.Random(n).sample(sorted(CODES), 2) for n in range(16)]
        return [
            {"prompt": f"Crate {n}: {' and '.join(row)}, nothing else.", "goods": row} for n, row in enumerate(rows)
        ]

    def setup(self, row):
        self.crate = []

    @tool
    def put(self, code: str) -> str:
        """Put something into the crate."""
        if code not in CODES.values():
            return "There is no such code."
        self.crate.append(code)
        return "It is in."

    @reward
    def packed(self, goods):
        wanted = sorted(CODES[one] for one in goods)
        return sorted(self.crate) == wanted if self.right else all(one in self.crate for one in wanted)


class Claims(ToolEnv):
    """An order is paid back; whoever says so has done it."""

    max_turns = 4
    right = False

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Please refund order {n * 7 + 311}, and say so.", "order": n * 7 + 311} for n in range(16)]

    def setup(self, row):
        self.refunded = []

    @tool
    def refund(self, order: int) -> str:
        """Pay an order back."""
        self.refunded.append(order)
        return "The money is on its way."

    @reward
    def helped(self, completion, order):
        words = answer_text(completion).lower().rstrip(".").split()
        return "refunded" in words and str(order) in words and (not self.right or self.refunded == [order])


class Dice(MultiTurnEnv):
    """A number that is another one from time to time."""

    max_turns = 2
    reward_range = (0, 1)
    thrown = itertools.count()

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Throw {n}: which number?", "n": n} for n in range(12)]

    def step(self, action):
        number = 100 + next(Dice.thrown) // 3
        return "?", float(answer_text([action]).strip() == str(number)), True, False, {}


class Busy:
    """Code that compares, looks up, raises and waits."""

    def __init__(self):
        self.table = {"a": 1, "b": 2}

    def looks(self, word, number):
        """Compares in each way that is watched."""
        found = [self.table.get(word), word in self.table, len(word) == 3, 0 < number < self.table["b"]]
        return found, {word} & {"b", "c"}, float("7"), self.table[word]

    def stops(self, number):
        """A chain that ends before what would fail."""
        return 1 < number < 1 / 0

    def in_thread(self):
        """A comparison in another thread."""
        seen = []
        thread = threading.Thread(target=lambda: seen.append(self.stops(0)))
        thread.start()
        thread.join()
        return seen
