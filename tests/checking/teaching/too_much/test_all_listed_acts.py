"""G562 where the rest must be left alone: ids in prompts and lines, list arguments, rooms of a schema, commands."""

import random
from typing import Literal

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.too_much.one_act_more import one_act_more_is_not_gold
from tests.checking.trying import found


def _rows(text):
    rows = []
    for place in range(16):
        keys = [f"K-{number}" for number in random.Random(place).sample(range(100, 999), 5)]
        wanted = keys[place % 5]
        rows.append({"prompt": text.format(all=", ".join(keys), wanted=wanted), "keys": keys, "wanted": wanted})
    return rows


class Lockers(ToolEnv):
    """Lockers of which one is to be opened, and the score looks whether it is among those that are open."""

    text = "The lockers {all} are shut. Unlock {wanted}; the remaining ones belong to guests and stay shut."

    def build_dataset(self, tokenizer):
        return _rows(self.text)

    def setup(self, row):
        self.unlocked = []

    @tool
    def unlock(self, key: str) -> str:
        """Unlock a locker.

        Args:
            key: The number of the key.
        """
        if key not in self.row["keys"]:
            return "There is no such locker."
        self.unlocked.append(key)
        return f"{key} is unlocked."

    @reward
    def unlocked_it(self, wanted):
        return wanted in self.unlocked

    def solve(self, row):
        return [call_message("unlock", key=row["wanted"]), "Done."]


class LockersCompared(Lockers):
    """The same, where all that is open is compared."""

    @reward
    def unlocked_it(self, wanted):
        return self.unlocked == [wanted]


class LockersInLines(Lockers):
    """Lockers that a reply lists in lines of text."""

    text = "Unlock the locker that stands first in the list, and no further lockers. It is not {wanted} that counts."

    def build_dataset(self, tokenizer):
        return [{**row, "prompt": f"Hall {n}. {self.text.split(' It')[0]}"} for n, row in enumerate(_rows(self.text))]

    @tool
    def list_lockers(self) -> str:
        """List the lockers."""
        return "\n".join(f"{place}. {key} (shut)" for place, key in enumerate(self._in_order(), 1))

    def _in_order(self):
        return [self.row["wanted"], *(key for key in self.row["keys"] if key != self.row["wanted"])]

    def solve(self, row):
        return [call_message("list_lockers"), *super().solve(row)]


class LockersInLinesCompared(LockersInLines):
    """The same, where any other costs everything."""

    @reward
    def unlocked_it(self, wanted):
        return set(self.unlocked) == {wanted}


class LockersAtOnce(Lockers):
    """One call takes a list of lockers."""

    @tool
    def unlock(self, keys: list[str]) -> str:
        """Unlock some lockers.

        Args:
            keys: The numbers of the keys.
        """
        if not set(keys) <= set(self.row["keys"]):
            return "There is no such locker."
        self.unlocked += keys
        return f"{len(keys)} unlocked."

    def solve(self, row):
        return [call_message("unlock", keys=[row["wanted"]]), "Done."]


class LockersAtOnceCompared(LockersAtOnce):
    """The same, where the whole list counts."""

    @reward
    def unlocked_it(self, wanted):
        return self.unlocked == [wanted]


class Lamps(ToolEnv):
    """Lamps of which one is to be lit; the prompt says nothing of the others."""

    def build_dataset(self, tokenizer):
        rooms = ["kitchen", "hall", "bath", "attic"]
        return [
            {"prompt": f"Evening {n}: light the lamp in the {rooms[n % 4]}.", "room": rooms[n % 4]} for n in range(16)
        ]

    def setup(self, row):
        self.lit = []

    @tool
    def light(self, room: Literal["kitchen", "hall", "bath", "attic"]) -> str:
        """Light the lamp of a room."""
        self.lit.append(room)
        return f"There is light in the {room}."

    @reward
    def lit_it(self, room):
        return room in self.lit

    def solve(self, row):
        return [call_message("light", room=row["room"]), "Done."]


class LampsCompared(Lamps):
    """The same, where each other lamp costs a part."""

    @reward
    def lit_it(self, room):
        return (room in self.lit) / max(1, len(set(self.lit)))


class Rooms(Lamps):
    """Rooms that one goes to, of which one has to be seen, and may see all of."""

    @tool
    def go(self, room: Literal["kitchen", "hall", "bath", "attic"]) -> str:
        """Walk into a room."""
        self.lit.append(room)
        return f"This is the {room}."

    def solve(self, row):
        return [call_message("go", room=row["room"]), "Done."]


class Commands(MultiTurnEnv):
    """Lockers by written commands."""

    max_turns = 8
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        return _rows(
            "Write 'unlock KEY', and 'bye' at the end. Shut are {all}. Unlock {wanted} and none of the others."
        )

    def setup(self, row):
        self.unlocked = []

    def step(self, action):
        said = answer_text(action).strip()
        key = said.removeprefix("unlock ")
        if said == "bye":
            return "Bye.", float(self.won()), True, False, {}
        if key not in self.row["keys"]:
            return "Write 'unlock KEY' or 'bye'.", 0.0, False, False, {}
        self.unlocked.append(key)
        return f"{key} is unlocked.", 0.0, False, False, {}

    def won(self):
        return self.row["wanted"] in self.unlocked

    def solve(self, row):
        return [f"unlock {row['wanted']}", "bye"]


class CommandsCompared(Commands):
    """The same, where all that is open is compared."""

    def won(self):
        return self.unlocked == [self.row["wanted"]]


class CommandsOnce(Commands):
    """The same, where only the first command is carried out."""

    def step(self, action):
        if self.unlocked and answer_text(action).strip() != "bye":
            return "One locker is open; that is all.", 0.0, False, False, {}
        return super().step(action)


class Bills(ToolEnv):
    """Bills of which the account pays the first three, and refuses the others; gold pays these."""

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Account {n}: pay as many of the bills {', '.join(keys)} as it can, in this order.",
                "keys": keys,
            }
            for n, keys in enumerate(row["keys"] for row in _rows(""))
        ]

    def setup(self, row):
        self.paid = []

    @tool
    def pay(self, bill: str) -> str:
        """Pay a bill.

        Args:
            bill: Its number.
        """
        if len(self.paid) == 3:
            return "40 euros are more than the account has."
        self.paid.append(bill)
        return f"{bill} is paid."

    @reward
    def paid_them(self, keys):
        return self.paid == keys[:3]

    def solve(self, row):
        return [*(call_message("pay", bill=bill) for bill in row["keys"][:3]), "Done."]


class BillsOnCredit(Bills):
    """The same, where the account pays all, and the score looks only at the first three."""

    @tool
    def pay(self, bill: str) -> str:
        """Pay a bill.

        Args:
            bill: Its number.
        """
        self.paid.append(bill)
        return f"{bill} is paid."

    @reward
    def paid_them(self, keys):
        return self.paid[:3] == keys[:3]


@pytest.mark.parametrize("cls", [Lockers, LockersInLines, LockersAtOnce, Commands])
def test_what_the_prompt_forbids_to_do_to_the_others_is_an_error(cls):
    (finding,) = found(one_act_more_is_not_gold, cls)
    assert finding.severity == "error"
    assert "scores as much as gold on" in finding.message


@pytest.mark.parametrize(("cls", "what"), [(Lamps, "light with each other 'room'"), (BillsOnCredit, "pay with each")])
def test_doing_the_same_to_all_is_a_warning_where_the_prompt_does_not_speak_of_the_others(cls, what):
    (finding,) = found(one_act_more_is_not_gold, cls)
    assert finding.severity == "warning"
    assert f"the same call of {what}" in finding.message


@pytest.mark.parametrize(
    "cls",
    [
        LockersCompared, LockersInLinesCompared, LockersAtOnceCompared, LampsCompared, Rooms, CommandsCompared,
        CommandsOnce, Bills,
    ],
)  # fmt: skip
def test_nothing_is_found_where_the_others_count(cls):
    assert not found(one_act_more_is_not_gold, cls)
