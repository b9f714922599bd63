"""Games that some wrong acts lose, as a reply says, and that go on all the same."""

import random

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.games.lost_goes_on import a_lost_game_is_over as lost
from tests.checking.trying import found


class Fuses(MultiTurnEnv):
    """Wires are cut in the right order; the second wrong cut is too much."""

    max_turns = 14
    ends = False
    told = "You are out: the bomb went off."

    def build_dataset(self, tokenizer):
        told = "Bomb {}: cut red (R) or blue (B), five times. With the second wrong cut you lose."
        return [{"prompt": told.format(n), "wires": random.Random(n).choices("RB", k=5)} for n in range(14)]

    def setup(self, row):
        self.cut, self.wrong = 0, 0

    def step(self, action):
        said = answer_text([action]).strip()
        if said not in ("R", "B"):
            return "R or B.", 0.0, False, False, {}
        if said != self.row["wires"][self.cut]:
            self.wrong += 1
            return (self.told, 0.0, self.ends, False, {}) if self.wrong > 1 else ("Sparks fly.", 0.0, False, False, {})
        self.cut += 1
        return f"{self.cut} cut.", float(self.cut == 5), self.cut == 5, False, {}

    def solve(self, row):
        return row["wires"]


class FusesThatEnd(Fuses):
    ends = True


class FusesThatCost(Fuses):
    """Sound: who is wrong goes on."""

    told = "You lose a minute."


class FusesAtTheStart(Fuses):
    """Sound: who is wrong begins again."""

    told = "You are dead. Back to the first wire."

    def step(self, action):
        reply = super().step(action)
        self.cut = 0 if reply[0] == self.told else self.cut
        return reply

    def solve(self, row):
        return row["wires"]


class Words(MultiTurnEnv):
    """A word is guessed, and the third wrong guess loses."""

    max_turns, ends = 6, False

    def build_dataset(self, tokenizer):
        words = ["amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron", "inlet", "jewel"]
        told = "Word {} has five letters. Guess it; with the third wrong guess the game is lost."
        return [{"prompt": told.format(n), "word": word} for n, word in enumerate(words)]

    def setup(self, row):
        self.wrong = 0

    def step(self, action):
        if answer_text([action]).strip() == self.row["word"]:
            return "Right.", 1.0, True, False, {}
        self.wrong += 1
        if self.wrong == 3:
            return "Wrong again, which was the third: you have lost the game.", 0.0, self.ends, False, {}
        return "Wrong.", 0.0, False, False, {}

    def solve(self, row):
        return [row["word"]]


class WordsThatGoOn(Words):
    def step(self, action):
        text, *rest = super().step(action)
        return text.replace(" again, which was the third", ""), *rest


class WordsThatEnd(WordsThatGoOn):
    ends = True


class Safe(ToolEnv):
    """The dials of a safe are turned, and the alarm comes after three wrong turns."""

    max_turns, counts = 16, False

    def build_dataset(self, tokenizer):
        told = "Safe {}: turn the four dials to {}, in turn, then say 'open'. Three wrong turns, and you are caught."
        rows = [random.Random(n).sample(range(9), 4) for n in range(12)]
        return [{"prompt": told.format(n, row), "dials": row} for n, row in enumerate(rows)]

    def setup(self, row):
        self.done, self.wrong = 0, 0

    @tool
    def turn(self, number: int) -> str:
        """Turn the next dial.

        Args:
            number: To which number.
        """
        if self.done == 4 or number != self.row["dials"][self.done]:
            self.wrong += 1
            return "It clicks." if self.wrong < 3 else "The alarm rings. You are caught."
        self.done += 1
        return "It holds."

    @reward
    def is_open(self):
        return self.done == 4 and not (self.counts and self.wrong > 2)

    def solve(self, row):
        yield from (call_message("turn", number=number) for number in row["dials"])
        yield "open"


class SafeWithAnAlarm(Safe):
    counts = True


@pytest.mark.parametrize("cls", [Fuses, WordsThatGoOn, Safe])
def test_games_that_are_lost_by_wrong_acts_and_go_on_are_found(cls):
    [finding] = found(lost, cls)
    assert finding.severity == "error"
    assert "goes on" in finding.message


@pytest.mark.parametrize("cls", [FusesThatEnd, FusesThatCost, FusesAtTheStart, WordsThatEnd, SafeWithAnAlarm])
def test_games_that_end_or_are_not_lost_are_let_be(cls):
    assert found(lost, cls) == []
