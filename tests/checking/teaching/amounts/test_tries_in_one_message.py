"""Whether a stated number of tries holds for many calls in one message."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.stated_limits import more_acts_than_allowed_are_not_gold
from tests.checking.trying import found


class Door(ToolEnv):
    """A door with a key code on a note, whose tries are counted by turns."""

    max_turns = 6
    asked = "Door {}: read the sign, then enter the code with enter. You have two attempts."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(number), "code": 1000 + 137 * number} for number in range(14)]

    def setup(self, row):
        self.opened, self.wrong = False, 0

    def is_locked(self):
        return self.turns > 3

    def refusal(self, code):
        return ""

    @tool
    def sign(self) -> str:
        """Read the sign."""
        return f"Half of it is {self.row['code'] / 2}."

    @tool
    def enter(self, code: int) -> str:
        """Enter a code.

        Args:
            code: The code.
        """
        if refusal := self.refusal(code):
            return refusal
        if self.is_locked():
            return "It is locked."
        self.opened = self.opened or code == self.row["code"]
        self.wrong += code != self.row["code"]
        return "It opens." if self.opened else "Nothing."

    @reward
    def is_open(self):
        return self.opened

    def solve(self, row):
        yield call_message("sign")
        yield call_message("enter", code=row["code"])
        yield "Open."


class SaidByTheTool(Door):
    """Only the tool says it."""

    asked = "Door {}: read the sign, then enter the code with enter."

    @tool
    def enter(self, code: int) -> str:
        """Enter a code; after three wrong codes it stays locked.

        Args:
            code: The code.
        """
        return Door.enter.__get__(self)(code)


class OneTry(Door):
    """There is only one."""

    asked = "Door {}: read the sign, then enter the code with enter; you have only one try."

    def is_locked(self):
        return self.turns > 2


class CountsCalls(Door):
    """Sound: wrong calls are counted."""

    def is_locked(self):
        return self.wrong >= 2


class SaysNoNumber(Door):
    """Sound: nothing limits the tries."""

    asked = "Door {}: read the sign, then enter the code with enter. Try as often as you like; two attempts are usual."


class NoMoreCodes(Door):
    """Sound: there are as many codes as tries, so that nobody needs more."""

    asked = "Door {}: read the sign, then enter the code with enter. It is between 1 and 4; you have four attempts."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(number), "code": number % 4 + 1} for number in range(14)]


class OfEachTurn(Door):
    """Sound: the tries belong to turns."""

    asked = "Door {}: read the sign, then enter the code with enter. You have two attempts each turn, and more later."


class RefusesOthers(Door):
    """Sound: codes of other doors are no tries, as the reply says."""

    def is_locked(self):
        return self.wrong >= 2

    def refusal(self, code):
        return "" if code == self.row["code"] else "There is no such code; that does not count."


class PaysLessForEach(Door):
    """Sound: each wrong try costs a part of the reward."""

    @reward
    def is_open(self):
        return self.opened * 0.5**self.wrong


@pytest.mark.parametrize("cls", [Door, SaidByTheTool, OneTry])
def test_tries_that_are_counted_by_turns_are_found(cls):
    (one,) = found(more_acts_than_allowed_are_not_gold, cls)
    assert isinstance(one, Finding)
    assert one.severity == "error"
    assert "all in one message" in one.message


@pytest.mark.parametrize("cls", [CountsCalls, SaysNoNumber, NoMoreCodes, OfEachTurn, RefusesOthers, PaysLessForEach])
def test_tries_that_are_counted_or_not_limited_are_let_be(cls):
    assert not found(more_acts_than_allowed_are_not_gold, cls)
