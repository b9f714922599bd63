"""Prompts that allow one try, and games and tools in which a wrong one costs nothing."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.games.single_tries import a_single_try_is_one_try as single_tries
from tests.checking.trying import found
from tests.gallery.broken.tries_without_end import Sounds


class OnlyOnce(Sounds):
    rule = "Each sound may be guessed only once."
    max_turns = 3


class FirstCounts(Sounds):
    rule = "Only your first answer counts."


class GoesOn(Sounds):
    """Sound: a wrong try uses the sound up."""

    def missed(self):
        return self.goes_on("No.", 0.0)


class Ends(Sounds):
    """Sound: a wrong try ends it."""

    def missed(self):
        return "No.", 0.0, True, False, {}


class Costs(Sounds):
    """Sound: a wrong try costs a part."""

    def missed(self):
        return "No.", -0.1, False, False, {}


class TriesAreFree(Sounds):
    rule = "Try as often as you like."


class OneTryATurn(Sounds):
    rule = "One guess each turn."


class MoreThanOne(Sounds):
    rule = "You have more than one try for each sound."


class OthersDoNotCount(Sounds):
    """Sound: what is no possible try is asked for again."""

    def missed(self):
        return "That sound is not one of the round; it does not count.", 0.0, False, False, {}


class Locks(ToolEnv):
    """The code of a lock is on a label, and try_code counts whatever came before."""

    max_turns = 6
    counted = slice(None)

    def build_dataset(self, tokenizer):
        said = "Open lock {}: read its label and try its code. There is no second try."
        return [{"prompt": said.format(n), "number": n, "code": 100 + 37 * n % 800} for n in range(12)]

    def setup(self, row):
        self.codes = []

    @tool
    def read_label(self, lock: int) -> str:
        """Read the label of a lock."""
        return f"Its code is {self.row['code']}." if lock == self.row["number"] else "There is no such lock."

    @tool
    def try_code(self, code: int) -> str:
        """Try a code at the lock."""
        self.codes.append(code)
        return "It opens." if code == self.row["code"] else "It does not open."

    @reward
    def opened(self, code):
        return code in self.codes[self.counted]

    def solve(self, row):
        yield call_message("read_label", lock=row["number"])
        yield call_message("try_code", code=row["code"])
        yield "It is open."


class FirstCodeCounts(Locks):
    counted = slice(1)


@pytest.mark.parametrize("cls", [Sounds, OnlyOnce, FirstCounts, Locks])
def test_wrong_tries_that_cost_nothing_are_found(cls):
    (finding,) = found(single_tries, cls)
    assert "A wrong try before each right one" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize(
    "cls", [GoesOn, Ends, Costs, TriesAreFree, OneTryATurn, MoreThanOne, OthersDoNotCount, FirstCodeCounts]
)
def test_tries_that_are_lost_or_free_are_no_finding(cls):
    assert found(single_tries, cls) == []
