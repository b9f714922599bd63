"""Usual games whose replies are not what their rules say."""

import random
from collections import Counter

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.games.beside_gold import acts_beside_gold_do_not_pay as beside_gold
from grpo_env_sdk.checking.teaching.games.guess_marks import marks_count_each_letter_once as marks
from tests.checking.trying import found


class Lock(MultiTurnEnv):
    """A lock with four wheels; a wheel of the lock is counted for each wheel of the try that is like it."""

    max_turns = 8
    rule = "Each symbol of the lock is counted for one symbol of your try at most."

    def build_dataset(self, tokenizer):
        ask = f"Lock {{}}: four symbols from P to U. I say how many are placed and how many are elsewhere. {self.rule}"
        return [{"prompt": ask.format(n), "key": "".join(random.Random(n).choices("PQRSTU", k=4))} for n in range(24)]

    def elsewhere(self, said, key):
        return sum(sign in key for sign in said) - sum(a == b for a, b in zip(said, key, strict=True))

    def step(self, action):
        said, key = answer_text([action]).strip().removeprefix("TRY "), self.row["key"]
        if len(said) != 4:
            return "Four symbols, please.", 0.0, False, False, {}
        placed = sum(a == b for a, b in zip(said, key, strict=True))
        return f"{placed} placed, {self.elsewhere(said, key)} elsewhere", float(placed == 4), placed == 4, False, {}

    def solve(self, row):
        return [f"TRY {row['key']}"]


class FairLock(Lock):
    """Sound: each wheel is counted once."""

    def elsewhere(self, said, key):
        return (Counter(said) & Counter(key)).total() - sum(a == b for a, b in zip(said, key, strict=True))


class LooseLock(Lock):
    """Sound: the rule says that every wheel of the try is marked by itself."""

    rule = "Each symbol of your try is marked by itself, whatever the others are."


class Safe(ToolEnv):
    """A safe that is tried with a tool, and counts as the lock does."""

    max_turns = 8
    counted = Lock.elsewhere

    def build_dataset(self, tokenizer):
        ask = "Open safe {}. Say OPEN when it is open."
        return [
            {"prompt": ask.format(n), "pin": "".join(random.Random(n).choices("123456", k=5))} for n in range(20)
        ]  # fmt: skip

    def setup(self, row):
        self.is_open = False

    @tool
    def dial(self, pin: str) -> str:
        """Try five digits.

        Args:
            pin: Five digits from 1 to 6. The reply counts each digit of the right number at most once.
        """
        self.is_open = self.is_open or pin == self.row["pin"]
        if len(pin) != 5:
            return "five digits"
        placed = sum(a == b for a, b in zip(pin, self.row["pin"], strict=True))
        return f"{placed} right, {self.counted(pin, self.row['pin'])} misplaced"

    @reward
    def opened(self, completion):
        return float(self.is_open)

    def solve(self, row):
        yield call_message("dial", pin=row["pin"])
        yield "OPEN"


class FairSafe(Safe):
    """Sound: each digit is counted once."""

    counted = FairLock.elsewhere


@pytest.mark.parametrize("cls", [Lock, Safe])
def test_marks_that_count_a_sign_twice_are_found(cls):
    (finding,) = found(marks, cls, "quick")
    assert "twice" in finding.message


@pytest.mark.parametrize("cls", [FairLock, LooseLock, FairSafe])
def test_marks_as_the_rule_says_are_let_be(cls):
    assert found(marks, cls, "quick") == []


class Melody(MultiTurnEnv):
    """A tune of six notes; each note in its place earns something, in every turn again."""

    max_turns = 10

    def build_dataset(self, tokenizer):
        ask = (
            "Tune {}: write my tune of six notes from C to H, such as CDECDE. I mark the notes that are in their place."
        )
        return [{"prompt": ask.format(n), "tune": "".join(random.Random(n).choices("CDEFGAH", k=6))} for n in range(14)]

    def setup(self, row):
        self.known, self.best = set(), 0.0

    def earned(self, places):
        return 0.06 * len(places)

    def step(self, action):
        said, tune = answer_text([action]).strip().upper(), self.row["tune"]
        if len(said) != 6:
            return "Six notes.", 0.0, False, False, {}
        places = {place for place, note in enumerate(tune) if said[place] == note}
        earned = self.earned(places)
        if said == tune:
            return "That is it.", earned + 0.5, True, False, {}
        return "".join("!" if place in places else "." for place in range(6)), earned, False, False, {}

    def solve(self, row):
        return [row["tune"]]


class NewNotes(Melody):
    """Sound: a note earns something when it is found."""

    def earned(self, places):
        new = places - self.known
        self.known |= places
        return 0.06 * len(new)


class SmallPay(Melody):
    """Sound: all turns together earn less than the tune."""

    def earned(self, places):
        return 0.005 * len(places)


class Choir(Melody):
    """Sound: each turn is a tune of its own, and all are the same."""

    def step(self, action):
        right = answer_text([action]).strip().upper()[:5] == self.row["tune"][:5]
        return "Next.", 0.1 * right, False, False, {}

    def solve(self, row):
        return [row["tune"]] * 10


def test_a_nearly_right_guess_that_pays_in_every_turn_is_found():
    (finding,) = found(beside_gold, Melody)
    assert "in every turn" in finding.message


@pytest.mark.parametrize("cls", [NewNotes, SmallPay, Choir])
def test_guesses_that_pay_once_are_let_be(cls):
    assert found(beside_gold, cls) == []
