"""Environments with tools or several turns and without solve, each with one fault that `right` takes away."""

import json
import random

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, reward, tool

GUESTS = ["Ada", "Bela", "Cem", "Dora", "Emil", "Fenja", "Gero", "Hira", "Ivo", "Jana", "Kito", "Lena"]
TOOLS = ["saw", "drill", "plane", "chisel", "mallet", "clamp"]
WORDS = ["anvil", "bacon", "cider", "denim", "eagle", "flute", "grape", "hinge", "igloo", "jelly", "koala", "lemon"]


class PinDesk(ToolEnv):
    """A card is blocked for a caller whose PIN was checked."""

    max_turns = 6
    right = False

    def build_dataset(self, tokenizer):
        rng = random.Random(1)
        rows = [{"card": f"K{rng.randrange(1000, 9999)}", "pin": f"{rng.randrange(9999):04}"} for _ in range(20)]
        return [{"prompt": f"Block card {row['card']}; first ask for the PIN and check it.", **row} for row in rows]

    def setup(self, row):
        self.checked, self.blocked = [], []

    @tool
    def check_pin(self, card: str, pin: str) -> str:
        """Check a PIN."""
        fits = (card, pin) == (self.row["card"], self.row["pin"])
        self.checked.append(fits if self.right else True)
        return "Thank you, that fits." if fits else "I am sorry, that PIN is not the one of this card."

    @tool
    def block_card(self, card: str) -> str:
        """Block a card."""
        self.blocked.append((card, any(self.checked)))
        return "Blocked."

    @reward
    def done(self, card):
        return self.blocked == [(card, True)]


class SeatPlan(ToolEnv):
    """One guest leaves a table whose seats are listed from 1."""

    max_turns = 5
    right = False

    def build_dataset(self, tokenizer):
        rng = random.Random(2)
        rows = [rng.sample(GUESTS, 6) for _ in range(30)]
        text = "Table {}: {} cannot come. Free that seat, and no other."
        return [{"prompt": text.format(n, row[n % 5]), "guests": row, "gone": row[n % 5]} for n, row in enumerate(rows)]

    def setup(self, row):
        self.seats = list(row["guests"])

    @tool
    def list_seats(self) -> list[dict]:
        """List the seats."""
        return [{"seat": number, "guest": name} for number, name in enumerate(self.seats, 1)]

    @tool
    def free_seat(self, seat: int) -> str:
        """Free a seat.

        Args:
            seat: The seat, as it is listed.
        """
        place = seat - self.right
        if not 0 <= place < len(self.seats):
            return "No such seat."
        self.seats[place] = ""
        return "It is free now."

    @reward
    def freed(self, guests, gone):
        return self.seats == ["" if one == gone else one for one in guests]


class Notes(ToolEnv):
    """Facts in files; one more file has the row."""

    max_turns = 8
    right = False

    def build_dataset(self, tokenizer):
        rng = random.Random(3)
        return [
            {"prompt": f"Stock {n}: how many nails are there in all boxes? Answer with the number.",
             "boxes": [rng.randint(2, 90) for _ in range(4)]}
            for n in range(20)
        ]  # fmt: skip

    def setup(self, row):
        self.files = {f"box_{n}.txt": f"{count} nails" for n, count in enumerate(row["boxes"])}
        if not self.right:
            self.files[".state/row.txt"] = f"total = {row['total']}"

    @tool
    def dir(self) -> str:
        """Show the names of all files."""
        return "\n".join(self.files)

    @tool
    def get_text(self, name: str) -> str:
        """Show what a file says."""
        return self.files.get(name, "There is no such file.")

    @reward
    def counted(self, completion, total):
        return answer_text(completion).strip() == str(total)


class Nails(Notes):
    """The same with the sum as a column."""

    def build_dataset(self, tokenizer):
        return [{**row, "total": sum(row["boxes"])} for row in super().build_dataset(tokenizer)]


class Safe(MultiTurnEnv):
    """A code of four digits; a digit that is said twice shows it."""

    max_turns = 24
    reward_range = (0, 1)
    right = False

    def build_dataset(self, tokenizer):
        rng = random.Random(4)
        codes = ["".join(rng.sample("0123456789", 4)) for _ in range(20)]
        text = "Say one digit at a time, or the whole code of four digits."
        return [{"prompt": text, "code": code} for code in codes]

    def setup(self, row):
        self.said, self.left = set(), 12

    def step(self, action):
        text, code = action["content"].strip(), self.row["code"]
        self.left -= 1
        if text == code:
            return "Open.", 1.0, True, False, {}
        again = text in self.said and text in code
        self.said.add(text)
        shown = "".join(one if one in self.said else "*" for one in code)
        reply = f"Already found: {code if again and not self.right else shown}."
        return reply, 0.0, self.left == 0, False, {}


class Letters(ToolEnv):
    """A word is guessed by its letters."""

    max_turns = 12
    right = False

    def build_dataset(self, tokenizer):
        text = "Round {}: find the word of {} letters."
        return [{"prompt": text.format(n, len(word)), "word": word} for n, word in enumerate(WORDS)]

    def setup(self, row):
        self.found, self.misses = set(), 0

    @tool
    def guess_letter(self, letter: str) -> str:
        """Guess a letter.

        Args:
            letter: One letter.
        """
        if self.right and len(letter) != 1:
            return "One letter, please."
        hits = set(letter) & set(self.row["word"])
        self.found |= hits
        self.misses += not hits
        return "".join(one if one in self.found else "." for one in self.row["word"])

    @reward
    def opened(self, word):
        return set(word) <= self.found and self.misses < 6


class Registry(ToolEnv):
    """Sums are kept under names; what they are compared with is kept there too."""

    max_turns = 6
    right = False

    def build_dataset(self, tokenizer):
        rng = random.Random(5)
        rows = [[rng.randint(2, 40) for _ in range(5)] for _ in range(20)]
        text = "Add up {}, and keep it as 'sum'."
        return [{"prompt": text.format(" and ".join(map(str, row))), "numbers": row} for row in rows]

    def setup(self, row):
        self.kept = {"__expected__": str(sum(row["numbers"]))}

    @tool
    def keep(self, name: str, value: str) -> str:
        """Keep a value under a name."""
        self.kept[name] = value
        return "Kept."

    @reward
    def added(self, numbers):
        wanted = str(sum(numbers)) if self.right else self.kept["__expected__"]
        return self.kept.get("sum") == wanted


class Workshop(ToolEnv):
    """Tools are rented within a budget; with fewer than none of them, there is more to spend."""

    max_turns = 9
    right = False

    def build_dataset(self, tokenizer):
        rng = random.Random(6)
        rows = [{name: rng.randint(10, 30) for name in TOOLS} for _ in range(12)]
        text = "Rent as many different tools as {} coins allow: {}."
        return [
            {"prompt": text.format(50, ", ".join(f"{name} {price}" for name, price in row.items())), "prices": row,
             "names": TOOLS, "coins": 50}
            for row in rows
        ]  # fmt: skip

    def setup(self, row):
        self.coins, self.rented = row["coins"], {}

    @tool
    def rent(self, name: str, count: int = 1) -> str:
        """Rent tools.

        Args:
            name: Which.
            count: How many of them.
        """
        if name not in self.row["prices"] or (self.right and count < 1):
            return "Sorry, that is not possible."
        cost = self.row["prices"][name] * count
        if cost > self.coins:
            return "Too dear."
        self.coins -= cost
        self.rented[name] = self.rented.get(name, 0) + count
        return f"{self.coins} coins are left."

    @reward
    def rents(self):
        return sum(count > 0 for count in self.rented.values()) / len(TOOLS)


class Valve(MultiTurnEnv):
    """Opening the right valve pays a bonus, each time."""

    max_turns = 12
    reward_range = (0, 1)
    right = False

    def build_dataset(self, tokenizer):
        text = "Say 'open VALVE' or 'close VALVE'. The valves: red, blue, green. Open {} first, then the two others."
        return [{"prompt": text.format(("red", "blue", "green")[n % 3]), "first": ("red", "blue", "green")[n % 3]}
                for n in range(9)]  # fmt: skip

    def setup(self, row):
        self.open, self.purse, self.ever = set(), 0.0, False

    def step(self, action):
        verb, _, valve = action["content"].strip().partition(" ")
        gained = 0.0
        if verb == "open" and valve == self.row["first"] and valve not in self.open:
            gained = 0.0 if self.right and self.ever else min(0.2, 1 - self.purse)
            self.ever = True
        if valve in ("red", "blue", "green"):
            (self.open.add if verb == "open" else self.open.discard)(valve)
        if len(self.open) == 3:
            return "All open.", max(0.0, 1 - self.purse), True, False, {}
        self.purse += gained
        return json.dumps(sorted(self.open)), gained, False, False, {}
