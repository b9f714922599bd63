"""G581 where a tool stops answering after a stated number of messages, or lists, with any number of calls in each."""

from typing import Literal

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold
from tests.checking.trying import found


class Pipes(ToolEnv):
    """Which of twelve joints leaks? They are pressed from the middle, and pressure falls behind the leak."""

    max_turns = 6
    text = "One of the joints 1 to 12 leaks; the pressure is 0 from there on. Your gauge is good for four readings."

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Pipe {at}. {self.text} Say its number.", "leak": 1 + at * 5 % 12} for at in range(24)]

    def setup(self, row):
        self.read = 0

    def is_used_up(self):
        return self.turns > 4

    @tool
    def measure(self, joint: int) -> str:
        """Measure the pressure at a joint."""
        if self.is_used_up():
            return "The gauge is worn out."
        return "0 bar" if joint >= self.row["leak"] else f"{20 - joint} bar"

    @reward
    def right(self, completion, leak):
        return answer_text(completion).strip() == str(leak)

    def solve(self, row):
        low, high = 1, 12
        while low < high:
            middle = (low + high) // 2
            answered = yield call_message("measure", joint=middle)
            low, high = (low, middle) if answered[-1]["content"].startswith("0 ") else (middle + 1, high)
        yield str(low)


class PipesByCalls(Pipes):
    """The same, where each reading counts."""

    def is_used_up(self):
        self.read += 1
        return self.read > 4


class PipesByMessages(Pipes):
    """The prompt says that messages are counted."""

    text = "One of the joints 1 to 12 leaks; the pressure is 0 from there on. You can measure in four messages."


class Parcels(ToolEnv):
    """Which parcel weighs most is told for a list of parcels, three of which may be weighed."""

    max_turns = 7

    def build_dataset(self, tokenizer):
        names = ["A", "B", "C", "D", "E", "F", "G"]
        text = "Round {}: find the parcel of 9 kg among A to G; it is no earlier than {}. At most three may be weighed."
        return [
            {"prompt": text.format(at, names[max(0, at % 7 - 1)]), "first": max(0, at % 7 - 1), "heavy": names[at % 7]}
            for at in range(16)
        ]

    def setup(self, row):
        self.weighed = 0

    def count(self, parcels):
        self.weighed += 1

    @tool
    def weigh(self, parcels: list[Literal["A", "B", "C", "D", "E", "F", "G"]]) -> str:
        """Weigh parcels."""
        self.count(parcels)
        if self.weighed > 3:
            return "The scales are locked."
        return ", ".join(f"{one} has {9 if one == self.row['heavy'] else 5} kg" for one in parcels)

    @reward
    def right(self, completion, heavy):
        return answer_text(completion).strip() == heavy

    def solve(self, row):
        for name in "ABCDEFG"[row["first"] :]:
            answered = yield call_message("weigh", parcels=[name])
            if "9 kg" in answered[-1]["content"]:
                break
        yield name


class ParcelsEach(Parcels):
    """The same, where each item of a list counts."""

    def count(self, parcels):
        self.weighed += len(parcels)


class ParcelsWithoutEnd(Parcels):
    """Nothing is ever refused."""

    def count(self, parcels):
        pass


class Jars(ToolEnv):
    """Which jar holds the coin? Each shelf has jars of its own, which a tool lists; three may be lifted."""

    max_turns = 9

    def build_dataset(self, tokenizer):
        shelves = [[f"{at}{letter}" for letter in "ABCDEF"] for at in range(10, 22)]
        text = (
            "Find the coin under a jar of shelf {}, which is one of its first three. You may lift three. Name the jar."
        )
        return [{"prompt": text.format(at), "jars": jars, "coin": jars[at % 3]} for at, jars in enumerate(shelves)]

    def setup(self, row):
        self.lifted = set()

    def count(self, jar):
        self.lifted.add(self.turns)

    @tool
    def look(self) -> list[str]:
        """The jars of the shelf."""
        return self.row["jars"]

    @tool
    def lift(self, jar: str) -> str:
        """Lift a jar."""
        if jar not in self.row["jars"]:
            return "There is no such jar."
        self.count(jar)
        if len(self.lifted) > 3:
            return "You are out of lifts."
        return "The coin!" if jar == self.row["coin"] else "Dust."

    @reward
    def right(self, completion, coin):
        return answer_text(completion).strip() == coin

    def solve(self, row):
        yield call_message("look")
        for jar in row["jars"][:3]:
            answered = yield call_message("lift", jar=jar)
            if "coin" in answered[-1]["content"]:
                break
        yield jar


class JarsEach(Jars):
    """The same, where each jar counts."""

    def count(self, jar):
        self.lifted.add(jar)


class Keys(ToolEnv):
    """Which key opens the door? Each prompt names keys of its own, no column does, and two may be tried."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        doors = [[f"{colour}{at}" for colour in ("red", "blue", "green", "white", "black")] for at in range(10, 22)]
        text = "Door {}, and five keys: {} and {}. It is one of the first two, and you may try two. Name the key."
        return [
            {"prompt": text.format(at, ", ".join(keys[:4]), keys[4]), "opens": keys[at % 2], "all": " ".join(keys)}
            for at, keys in enumerate(doors)
        ]

    def setup(self, row):
        self.tried = 0

    def count(self, keys):
        self.tried += 1

    @tool
    def put_in(self, keys: list[str]) -> dict[str, str]:
        """Try keys."""
        if not set(keys) <= set(self.row["all"].split()):
            raise LookupError("There is no such key.")
        self.count(keys)
        if self.tried > 2:
            raise RuntimeError("The lock is jammed.")
        return {key: "turns" if key == self.row["opens"] else "sticks" for key in keys}

    @reward
    def right(self, completion, opens):
        return answer_text(completion).strip() == opens

    def solve(self, row):
        yield call_message("put_in", keys=[row["all"].split()[0]])
        yield row["opens"]


class KeysEach(Keys):
    """The same, where each key counts."""

    def count(self, keys):
        self.tried += len(keys)


@pytest.mark.parametrize(
    ("cls", "how"),
    [(Pipes, "in one message"), (Parcels, "with a list"), (Jars, "in one message"), (Keys, "with a list")],
)
def test_more_values_than_are_answered_one_by_one_are_found(cls, how):
    (finding,) = found(more_acts_than_allowed_are_not_gold, cls, "default")
    assert finding.severity == "error"
    assert how in finding.message


@pytest.mark.parametrize("cls", [PipesByCalls, PipesByMessages, ParcelsEach, ParcelsWithoutEnd, JarsEach, KeysEach])
def test_nothing_is_found_where_each_counts_or_messages_are_meant(cls):
    assert not found(more_acts_than_allowed_are_not_gold, cls, "default")
