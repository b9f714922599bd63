"""Faults that were reported of published environments with tools, each beside a sound variant."""

import random

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.farming import what_was_undone_does_not_pay_again as farming
from grpo_env_sdk.checking.teaching.amounts.side_doors import trying_every_value_is_not_gold as every_value
from grpo_env_sdk.checking.teaching.telling.row_in_replies import replies_do_not_show_the_row as showing
from grpo_env_sdk.checking.tools.mattering import every_parameter_matters as parameters
from tests.checking.trying import found


class Library(ToolEnv):
    """A search that has the right page for any words."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        said = "How many people live in Town{}? Search for it, then write the number alone."
        return [{"prompt": said.format(n), "town": f"Town{n}", "people": 1000 + 37 * n} for n in range(20)]

    @tool
    def search(self, query: str) -> str:
        """Search the library.

        Args:
            query: Words to look for.
        """
        return self.page(query)

    def page(self, query):
        return f"{self.row['town']} has {self.row['people']} people. Towns are old."

    @reward
    def right(self, completion, people):
        return answer_text(completion) == str(people)

    def solve(self, row):
        yield call_message("search", query=row["town"])
        yield str(row["people"])


class LibraryThatReads(Library):
    def page(self, query):
        return super().page(query) if query == self.row["town"] else "Nothing was found."


class Flat(ToolEnv):
    """Whatever is cleaned counts, also what was made dirty before."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        rows = [{"dirty": [n % 3 + 1, n % 4 + 4]} for n in range(20)]
        return [{**row, "prompt": f"Flat {n}: clean the rooms {row['dirty']}."} for n, row in enumerate(rows)]

    def setup(self, row):
        self.dirty, self.cleaned = {*row["dirty"]}, 0

    @tool
    def clean(self, room: int) -> str:
        """Clean a room.

        Args:
            room: Its number.
        """
        self.cleaned += room in self.dirty
        self.dirty.discard(room)
        return "It is clean."

    @tool
    def spill(self, room: int) -> str:
        """Empty the bucket in a room.

        Args:
            room: Its number.
        """
        self.dirty.add(room)
        return "It is wet."

    @reward
    def work(self):
        return min(1.0, self.cleaned / 2)

    def solve(self, row):
        for room in row["dirty"]:
            yield call_message("clean", room=room)
        yield "Done."


class FlatAtTheEnd(Flat):
    @reward
    def work(self, dirty):
        return 1 - len(self.dirty) / 2


class Rooms(ToolEnv):
    """The last of the rooms in a list is where it has to end, and whoever calls all of them ends there too."""

    max_turns = 5

    def build_dataset(self, tokenizer):
        names = ("attic", "cellar", "garage", "garden", "hall")
        rows = [{"rooms": random.Random(n).sample(names, 3)} for n in range(20)]
        return [{**row, "prompt": f"Walk {n}: end in the {row['rooms'][-1]}."} for n, row in enumerate(rows)]

    def setup(self, row):
        self.at = "porch"

    @tool
    def move_to(self, room: str) -> str:
        """Move to a room.

        Args:
            room: Which.
        """
        self.at = room
        return f"You are in the {room}."

    @reward
    def there(self, rooms):
        return self.at == rooms[-1]

    def solve(self, row):
        yield call_message("move_to", room=row["rooms"][-1])
        yield "Here."


class RoomsEver(Rooms):
    def setup(self, row):
        self.been = set()

    @tool
    def move_to(self, room: str) -> str:
        """Move to a room.

        Args:
            room: Which.
        """
        self.been.add(room)
        return f"You are in the {room}."

    @reward
    def there(self, rooms):
        return rooms[-1] in self.been


class Blocks(ToolEnv):
    """Only when a room is blocked counts, and not until when; times of one row are those of others."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        pairs = [(8 + n % 5, 8 + n % 5 + 1 + n % 4) for n in range(20)]
        return [
            {
                "prompt": f"Block room {n % 9 + 1} from {a}:00 to {b}:00.",
                "room": n % 9 + 1,
                "a": f"{a}:00",
                "b": f"{b}:00",
            }
            for n, (a, b) in enumerate(pairs)
        ]

    def setup(self, row):
        self.blocked = []

    @tool
    def block(self, room: int, start: str, end: str) -> str:
        """Block a room.

        Args:
            room: Its number.
            start: From when.
            end: Until when.
        """
        self.blocked.append([room, start, end])
        return "It is blocked."

    @reward
    def right(self, room, a):
        return [one[:2] for one in self.blocked] == [[room, a]]

    def solve(self, row):
        yield call_message("block", room=row["room"], start=row["a"], end=row["b"])
        yield "Done."


class BlocksToTheEnd(Blocks):
    @reward
    def right(self, room, a, b):
        return self.blocked == [[room, a, b]]


class Phones(ToolEnv):
    """An empty name is answered with the whole row."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        people = [{"person": f"Person{n}", "phone": str(40_000 + 137 * n)} for n in range(20)]
        return [{**one, "prompt": f"Look up the phone of {one['person']}, and write it alone."} for one in people]

    @tool
    def find(self, name: str) -> str:
        """Find somebody.

        Args:
            name: Who it is.
        """
        if not name:
            raise ValueError(self.wrong())
        return f"{name}: {self.row['phone']}" if name == self.row["person"] else "There is nobody of that name."

    def wrong(self):
        return f"no name: {self.row}"

    @reward
    def right(self, completion, phone):
        return answer_text(completion) == phone

    def solve(self, row):
        yield call_message("find", name=row["person"])
        yield row["phone"]


class PhoneBook(Phones):
    """An empty name lists everybody."""

    def wrong(self):
        return "; ".join(f"phone: {40_000 + 137 * n}, person: Person{n}" for n in range(20))


class PhonesThatAreKept(Phones):
    def wrong(self):
        return "no name"


@pytest.mark.parametrize(
    ("check", "env", "severity", "said"),
    [
        (showing, Phones, "error", "The replies of find show the row, called with name=''"),
        (parameters, Library, "error", "search ignores 'query'"),
        (parameters, Blocks, "error", "block ignores 'end', for which the prompts ask"),
        (farming, Flat, "error", "again and again, pays each time"),
        (every_value, RoomsEver, "error", "with every value of 'room'"),
    ],
)
def test_what_was_reported_of_others_is_found(check, env, severity, said):
    told = [(item.severity, item.message) for item in found(check, env, "default") if hasattr(item, "severity")]
    assert any(how == severity and said in text for how, text in told), told


@pytest.mark.parametrize(
    ("check", "env"),
    [
        (parameters, BlocksToTheEnd),
        (farming, FlatAtTheEnd),
        (showing, PhonesThatAreKept),
        (showing, PhoneBook),
        (parameters, LibraryThatReads),
        (every_value, Rooms),
    ],
)
def test_nothing_is_said_of_the_sound_variant(check, env):
    assert not [item for item in found(check, env, "default") if getattr(item, "severity", "info") != "info"]
