"""Environments without solve in which a call takes what another one showed."""

import json
import random
import sqlite3

from grpo_env_sdk import ToolEnv, answer_text, reward, tool

BOXES = ["amber", "birch", "coral", "denim", "ebony", "flint", "green", "hazel", "ivory", "jade"]
PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn")
WISHES = ("a blue lamp", "two chairs", "a long rope", "some green paint", "a small saw")


class Parcels(ToolEnv):
    """Send something to a shelf that has to be looked up; the score compares all calls with one path."""

    max_turns = 6
    right = False

    def build_dataset(self, tokenizer):
        rng = random.Random(11)
        rows = [(rng.choice(PEOPLE), rng.choice(WISHES), rng.randrange(10**6)) for _ in range(20)]
        return [
            {"prompt": f"Send {wish} to the shelf of {who}.", "who": who, "wish": wish, "salt": salt}
            for who, wish, salt in rows
        ]

    def setup(self, row):
        rng = random.Random(row["salt"])
        self.shelves = {name: {"shelf": f"S-{rng.randint(100, 999)}"} for name in PEOPLE}

    @tool
    def find_shelf(self, name: str) -> dict[str, str]:
        """Where somebody's things are."""
        return self.shelves.get(name, {"error": "nobody of that name"})

    @tool
    def send(self, shelf: str, wish: str) -> str:
        """Send something."""
        return "Sent."

    @reward
    def arrived(self, tool_calls, who, wish):
        calls = [(call["name"], call["arguments"]) for call in tool_calls]
        sent = ("send", {"shelf": self.shelves[who]["shelf"], "wish": wish})
        return sent in calls if self.right else calls == [("find_shelf", {"name": who}), sent]


class Rooms(ToolEnv):
    """Book the cheapest room of a list that is shown from 1 on; the tool counts from 0."""

    max_turns = 4
    right = False

    def build_dataset(self, tokenizer):
        rng = random.Random(12)
        towns = [f"{first}{last}" for first in ("Nor", "Sud", "Ost", "Wes", "Alt") for last in ("burg", "dorf", "feld")]
        return [
            {"prompt": f"Book the cheapest room in {town}.", "town": town, "prices": rng.sample(range(40, 99), 4)}
            for town in towns
        ]

    def setup(self, row):
        self.booked = None

    @tool
    def search(self, town: str) -> str:
        """List the rooms of a town."""
        if town != self.row["town"]:
            return "No rooms found."
        return "\n".join(f"{place}. {price} euros" for place, price in enumerate(self.row["prices"], 1))

    @tool
    def book(self, number: int) -> str:
        """Book a room.

        Args:
            number: The number of the room in the list.
        """
        self.booked = number - 1 if self.right else number
        return "Booked."

    @reward
    def cheapest(self, prices):
        return self.booked == prices.index(min(prices))


class Sales(ToolEnv):
    """Count the rows of a database that the tool may also write; what is right is read from it at the end."""

    right = False

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"How many rows of the table sales are above {least}? Say the number.", "least": least}
            for least in range(20, 60, 3)
        ]

    def setup(self, row):
        self.sales = sqlite3.connect(":memory:", check_same_thread=False)
        self.sales.execute("CREATE TABLE sales (amount INTEGER)")
        self.sales.executemany("INSERT INTO sales VALUES (?)", [(amount,) for amount in range(0, 100, 2)])
        self.count = self.counted()

    def counted(self):
        return self.sales.execute("SELECT COUNT(*) FROM sales WHERE amount > ?", (self.row["least"],)).fetchone()[0]

    @tool
    def ask(self, sql: str) -> str:
        """Ask the database.

        Args:
            sql: One statement.
        """
        try:
            return str(self.sales.execute(sql).fetchall())
        except sqlite3.Error as exc:
            return f"error: {exc}"

    @reward
    def counts(self, completion):
        return answer_text(completion) == str(self.count if self.right else self.counted())

    def close(self):
        self.sales.close()


class Boxes(ToolEnv):
    """Each box names the next one; some ways are longer than the turns."""

    max_turns = 5
    longest = 7

    def build_dataset(self, tokenizer):
        rng = random.Random(7)
        rows = [rng.sample(BOXES, rng.randint(2, self.longest)) for _ in range(24)]
        text = "Case {}: begin with the {} box. The last one has a number; answer with it."
        return [
            {"prompt": text.format(n, way[0]), "way": way, "number": 1000 + 37 * n} for n, way in enumerate(rows)
        ]  # fmt: skip

    @tool
    def open_box(self, box: str) -> str:
        """Look into a box.

        Args:
            box: Its colour.
        """
        way = self.row["way"]
        if box not in way:
            return "Empty."
        place = way.index(box)
        last = place == len(way) - 1
        return f"A slip with {self.row['number']}" if last else f"A slip: {way[place + 1]}"

    @reward
    def said(self, completion, number):
        return answer_text(completion).strip() == str(number)


class Shelves(ToolEnv):
    """What is opened by one call is numbered from 1, and taken by another that counts from 0."""

    max_turns = 5
    right = False
    part_will_do = False
    titles = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gum", "Hazel")

    def build_dataset(self, tokenizer):
        rng = random.Random(11)
        rows = [rng.sample(self.titles, 6) for _ in range(30)]
        places = [rng.randrange(6) for _ in rows]
        text = "Visitor {}: on the shelf of {} is a book called {}. Lend this one, once."
        return [
            {"prompt": text.format(n, shelf, row[place]), "books": row, "shelf": shelf, "title": row[place]}
            for n, (row, place) in enumerate(zip(rows, places, strict=True))
            for shelf in [("maps", "poems")[n % 2]]
        ]

    def setup(self, row):
        self.open, self.lent = [], []

    @tool
    def walk_to(self, subject: str) -> str:
        """Walk to a shelf.

        Args:
            subject: What its books are about.
        """
        there = self.row["shelf"].startswith(subject) if self.part_will_do else subject == self.row["shelf"]
        self.open = self.row["books"] if there else []
        return self.shown() if self.open else "There is no such shelf."

    def shown(self):
        return "You see:\n" + "\n".join(f"{place}) {title}" for place, title in enumerate(self.open, 1))

    @tool
    def lend(self, which: int) -> str:
        """Lend a book of the shelf.

        Args:
            which: Its number on the shelf.
        """
        place = which - 1 if self.right else which
        if not 0 <= place < len(self.open):
            return "There is none."
        self.lent.append(self.open[place])
        return "Please bring it back in a month."

    @reward
    def only_this(self, title):
        return self.lent == [title]


class Lockers(Shelves):
    """The same with records."""

    def shown(self):
        return json.dumps({"on_the_shelf": [{"no": place, "title": one} for place, one in enumerate(self.open, 1)]})


class FoundByPart(Shelves):
    """An empty text opens what it would open anyway, which is not what counts."""

    right = part_will_do = True
