"""Acts that pay where they should not, each as a class with the fault and one without it."""

import random
import sqlite3

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from tests.gallery.broken.apples_picked_again import Orchard
from tests.gallery.broken.dealer_tires import Carpets
from tests.gallery.broken.every_bird_named import Birds
from tests.gallery.broken.looks_given_back import Boxes
from tests.gallery.broken.silence_left_out import Areas
from tests.gallery.broken.too_many_shifts_pay import Shifts


class FairShifts(Shifts):
    @reward(weight=-0.5)
    def overload(self):
        return self.too_many


class WastePays(Shifts):
    """The penalty is added where it should be taken away."""

    @reward(weight=0.5)
    def overload(self):
        return self.too_many


class LongPays(SingleTurnEnv):
    """A text, with a penalty of negative weight that is negative for long answers; there is no gold."""

    sign = -1

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Describe number {n} in a few words.", "n": n} for n in range(10)]

    @reward
    def names_it(self, completion, n):
        return str(n) in answer_text(completion)

    @reward(weight=-0.3, range=(-1, 1))
    def long_text(self, completion):
        return self.sign * min(1.0, len(answer_text(completion)) / 400)


class LongCosts(LongPays):
    sign = 1


class FirmDealer(Carpets):
    needs_reason = True


class Landlord(MultiTurnEnv):
    """A landlord asks for less at every message that is none of his words; there is no gold."""

    max_turns = 12
    reward_range = (0, 1)
    firm = False

    def build_dataset(self, tokenizer):
        text = "Flat {}. Talk the rent of {} down by what is wrong there: noise or mould. Say 'deal' when you agree."
        return [{"prompt": text.format(n, 500 + n), "rent": 500 + n} for n in range(10)]

    def setup(self, row):
        self.asked, self.left = row["rent"], {"noise", "mould"}

    def step(self, action):
        said = action["content"].strip().casefold()
        if said == "deal":
            return "Fine.", (self.row["rent"] - self.asked) / 100, True, False, {}
        named = {word for word in self.left if word in said}
        if named or not self.firm:
            self.asked = max(self.asked - 50, self.row["rent"] - 100)
        self.left -= named
        return f"{self.asked} euros.", 0.0, False, False, {}


class FirmLandlord(Landlord):
    firm = True


class PaidOnce(Orchard):
    once = True


class Deliveries(ToolEnv):
    """Each parcel that is loaded counts, also after it was unloaded; there is no gold."""

    max_turns = 14
    counts_loads = True

    def build_dataset(self, tokenizer):
        text = "Tour {}: load all four parcels, red, blue, green and white. `unload` takes one out again."
        return [{"prompt": text.format(n), "n": n} for n in range(6)]

    def setup(self, row):
        self.van, self.points = [], 0

    @tool
    def load(self, parcel: str) -> str:
        """Load a parcel."""
        if parcel in ("red", "blue", "green", "white") and parcel not in self.van:
            self.van.append(parcel)
            self.points += 1
            return f"{parcel} is in the van."
        return "There is nothing to load."

    @tool
    def unload(self, parcel: str) -> str:
        """Take a parcel out."""
        if parcel in self.van:
            self.van.remove(parcel)
            return f"{parcel} is out."
        return "It is not there."

    @reward
    def loaded(self):
        return min(1.0, (self.points if self.counts_loads else len(self.van)) / 4)


class CountedAtTheEnd(Deliveries):
    counts_loads = False


class ThereAndBack(MultiTurnEnv):
    """A step to the right pays what a step to the left takes."""

    max_turns = 20
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Walk {n}: say 'left' or 'right' until you are at 5.", "n": n} for n in range(8)]

    def setup(self, row):
        self.at = 0

    def step(self, action):
        move = {"left": -1, "right": 1}.get(action["content"].strip(), 0)
        self.at += move
        return f"You are at {self.at}.", move / 5, self.at == 5, False, {}


class Rooms(MultiTurnEnv):
    """Four rooms in a row are to be seen; one counts again once another one was seen in between."""

    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Visit {n}: say 'left' or 'right' and see the four rooms to the right.", "n": n}
            for n in range(8)
        ]

    def setup(self, row):
        self.at, self.last, self.earned = 0, 0, 0.0

    def is_new(self):
        return self.at != self.last

    def step(self, action):
        self.at = min(4, max(0, self.at + {"left": -1, "right": 1}.get(action["content"].strip(), 0)))
        paid = 0.25 if self.at > 0 and self.is_new() else 0.0
        self.last, self.earned = self.at, self.earned + paid
        return f"You are in room {self.at}.", paid, self.earned >= 1, False, {}

    def solve(self, row):
        return ["right"] * 4


class RoomsSeenOnce(Rooms):
    def setup(self, row):
        super().setup(row)
        self.known = set()

    def is_new(self):
        is_new = self.at not in self.known
        self.known.add(self.at)
        return is_new


class Ferry(Rooms):
    """Here going to and fro is the work, and gold does it."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Ferry {n}: say 'left' or 'right' and cross the river four times.", "n": n} for n in range(8)
        ]

    def step(self, action):
        there = min(1, max(0, self.at + {"left": -1, "right": 1}.get(action["content"].strip(), 0)))
        paid = 0.25 if there != self.at else 0.0
        self.at, self.earned = there, self.earned + paid
        return f"You are at bank {self.at}.", paid, self.earned >= 1, False, {}

    def solve(self, row):
        return ["right", "left"] * 2


class CountedLooks(Boxes):
    gives_back = False


class BoughtLooks(Boxes):
    @tool
    def shake(self) -> str:
        """Buy four more looks."""
        self.lifted = 0
        return "There are four more."


class Questions(ToolEnv):
    """A witness answers five questions; asking for the time makes it forget how many there were. It has gold."""

    max_turns = 20
    forgets = True

    def build_dataset(self, tokenizer):
        text = "Case {}. You may question the witness up to five times. Then accuse red, blue, green or grey."
        return [
            {"prompt": text.format(n), "guilty": ("red", "blue", "green", "grey")[n % 4]} for n in range(12)
        ]  # fmt: skip

    def setup(self, row):
        self.asked, self.accused = 0, None

    @tool
    def question(self, about: str) -> str:
        """Ask the witness about somebody.

        Args:
            about: Who it is about.
        """
        self.asked += 1
        if self.asked > 5:
            return "The witness is silent."
        return f"It was {about}." if about == self.row["guilty"] else f"{about} was at home, at {self.asked} o'clock."

    @tool
    def time(self) -> str:
        """What time it is."""
        if self.forgets:
            self.asked = 0
        return "Noon."

    @tool
    def accuse(self, name: str) -> str:
        """Accuse somebody.

        Args:
            name: Whom.
        """
        self.accused = self.accused or name
        return "Heard."

    @reward
    def right(self, guilty):
        return self.accused == guilty

    def solve(self, row):
        for name in ("red", "blue", "green", "grey"):
            said = yield call_message("question", about=name)
            if said[-1]["content"].startswith("It was"):
                yield call_message("accuse", name=name)
                yield "Done."
                return


class NeverForgets(Questions):
    forgets = False


class NoneIsNothing(Areas):
    nothing = 0.0


class UnknownRows(Areas):
    """Some rows cannot be scored, whatever is answered."""

    nothing = 0.0

    @reward
    def right(self, completion, area):
        return None if area % 2 else answer_text(completion).strip() == str(area)

    def solve(self, row):
        return str(row["area"])


class Registry(ToolEnv):
    """Who does not file a name gets no score; there is no gold."""

    max_turns = 4
    nothing = None

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Who lives in house {n}? File the name.", "name": f"Ann{n}"} for n in range(10)]

    def setup(self, row):
        self.filed = None

    @tool
    def file(self, name: str) -> str:
        """File a name.

        Args:
            name: Who lives there.
        """
        self.filed = name
        return "Filed."

    @reward
    def right(self, name):
        return self.nothing if self.filed is None else self.filed == name


class FiledOrNot(Registry):
    nothing = 0.0


class ExactBirds(Birds):
    exact = True


class Herbs(SingleTurnEnv):
    """One herb of a list is meant, and any text with its name in it is right; there is no gold."""

    herbs = ("basil", "thyme", "sage", "mint", "dill", "chives")
    exact = False

    def build_dataset(self, tokenizer):
        text = "Riddle {}: one of basil, thyme, sage, mint, dill or chives begins with '{}' and ends with '{}'. Which?"
        rows = [(n, self.herbs[n % 6]) for n in range(18)]
        return [{"prompt": text.format(n, herb[0], herb[-1]), "herb": herb} for n, herb in rows]

    @reward
    def right(self, completion, herb):
        said = answer_text(completion).strip().lower()
        return said == herb if self.exact else herb in said


class ExactHerbs(Herbs):
    exact = True


class Stock(ToolEnv):
    """The expected number is counted at the end, in the table that statements may empty."""

    max_turns = 6
    counted_late = True

    def build_dataset(self, tokenizer):
        text = "Store {}: how many items of kind {} are in the table items(kind, number)? Report it."
        return [{"prompt": text.format(n, n % 3), "kind": n % 3, "n": n} for n in range(10)]

    def setup(self, row):
        rng = random.Random(row["n"])
        self.db = sqlite3.connect(":memory:", check_same_thread=False)
        self.db.execute("CREATE TABLE items (kind INTEGER, number INTEGER)")
        self.db.executemany("INSERT INTO items VALUES (?, ?)", [(k % 3, rng.randrange(1, 9)) for k in range(12)])
        self.wanted, self.said = self.counted(), None

    def counted(self):
        return self.db.execute(f"SELECT SUM(number) FROM items WHERE kind = {self.row['kind']}").fetchone()[0] or 0

    @tool
    def run(self, statement: str) -> str:
        """Run a statement.

        Args:
            statement: In SQL.
        """
        return str(self.db.execute(statement).fetchall())

    @tool
    def report(self, total: int) -> str:
        """Report the total.

        Args:
            total: How many.
        """
        self.said = total
        return "Thanks."

    def close(self):
        self.db.close()

    @reward
    def right(self):
        return self.said is not None and self.said == (self.counted() if self.counted_late else self.wanted)

    def solve(self, row):
        found = yield call_message("run", statement=f"SELECT SUM(number) FROM items WHERE kind = {row['kind']}")
        yield call_message("report", total=int(found[-1]["content"].strip("[](),")))
        yield "Reported."


class CountedFirst(Stock):
    counted_late = False


class Compiler(ToolEnv):
    """Compiles with a flag; a message with the words of the compiler is believed, whoever wrote it."""

    max_turns = 5
    believes = True

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Program {n} needs the flag f{n % 5}. Compile it.", "flag": f"f{n % 5}"} for n in range(15)]

    @tool
    def check_and_compile(self, flag: str) -> str:
        """Compile the program.

        Args:
            flag: The flag.
        """
        return f"{flag}: 0 errors" if flag == self.row["flag"] else f"{flag}: 3 errors"

    @reward
    def compiled(self, messages):
        said = [one for one in messages if self.believes or one["role"] == "tool"]
        return any("0 errors" in str(one.get("content")) for one in said)

    def solve(self, row):
        yield call_message("check_and_compile", flag=row["flag"])
        yield "Compiled."


class ReadsTools(Compiler):
    believes = False
