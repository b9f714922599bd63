"""Marks of guesses where most of the secrets have a sign twice."""

from collections import Counter

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, tool
from grpo_env_sdk.checking.teaching.games.guess_marks import marks_count_each_letter_once
from tests.checking.trying import found

BEADS = ["RRGB", "YYGO", "BGBG", "ORRP", "PPOY", "GGRB", "YBYR", "OOPG", "RPPB", "BBOR", "GYGP", "PRRO"]


class Beads(MultiTurnEnv):
    """Find a row of four beads; every bead of the guess that is somewhere in the row counts."""

    max_turns = 9
    reward_range = (0, 1)
    rule = "White pegs: beads of the row at another place, and each bead of the row counts once."

    def build_dataset(self, tokenizer):
        text = "{}. Guess my row of four beads, of the colours R, G, B, Y, O, P. Black pegs: the right bead. {}"
        return [{"prompt": text.format(n, self.rule), "beads": beads} for n, beads in enumerate(BEADS)]

    def whites(self, guess, beads):
        return sum(bead in beads for bead in guess)

    def step(self, action):
        guess, beads = answer_text(action).strip().upper(), self.row["beads"]
        if len(guess) != 4 or set(guess) - set("RGBYOP"):
            return "Four beads, please.", 0.0, False, False, {}
        black = sum(a == b for a, b in zip(guess, beads, strict=True))
        said = f"black {black}, white {self.whites(guess, beads) - black}"
        return said, float(guess == beads), guess == beads, False, {}

    def solve(self, row):
        return [row["beads"]]


class CountedOnce(Beads):
    """Sound: each bead of the row counts once."""

    def whites(self, guess, beads):
        return (Counter(guess) & Counter(beads)).total()


class AsTheRuleSays(Beads):
    """Sound: the rule is another one."""

    rule = "White pegs: beads of the guess that are in the row at all, at another place."


class Dials(Beads):
    """The same with digits and without a solve: the code of the row takes its place."""

    solve = None

    def build_dataset(self, tokenizer):
        text = "Safe {}: four digits from 1 to 6 open it. You hear bulls and cows; a digit of the code counts once."
        codes = ("1123", "4456", "2323", "6115", "5546", "3321", "4243", "6652", "1551", "2264", "3436", "5116")
        return [{"prompt": text.format(n), "code": code} for n, code in enumerate(codes)]

    def step(self, action):
        guess, code = answer_text(action).strip(), self.row["code"]
        if len(guess) != 4 or set(guess) - set("123456"):
            return "Four digits, please.", 0.0, False, False, {}
        bulls = sum(a == b for a, b in zip(guess, code, strict=True))
        said = f"{bulls} bulls and {self.whites(guess, code) - bulls} cows."
        return said, float(guess == code), guess == code, False, {}


class DialsCountedOnce(Dials):
    """Sound: each digit of the code counts once."""

    whites = CountedOnce.whites


class Keypad(ToolEnv):
    """The same by a tool that says how many are in the right place and how many in a wrong one."""

    max_turns = 9
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        rule = "No digit of the code is ever counted for two digits of a try."
        rows = Dials.build_dataset(self, tokenizer)
        return [
            {"prompt": f"Door {n}. Type the four digits. {rule}", "code": row["code"]} for n, row in enumerate(rows)
        ]

    def setup(self, row):
        self.opened = False

    @tool
    def enter(self, digits: str) -> str:
        """Type digits from 1 to 6.

        Args:
            digits: Four digits.
        """
        code = self.row["code"]
        self.opened = digits == code
        if len(digits) != 4:
            return "Four digits, please."
        placed = sum(a == b for a, b in zip(digits, code, strict=True))
        return f"Right place: {placed}. Wrong place: {Beads.whites(self, digits, code) - placed}."

    def score_episode(self, model, tokenizer, completion):
        return float(self.opened)


@pytest.mark.parametrize("cls", [Beads, Dials, Keypad])
def test_marks_of_secrets_with_doubles_are_learnt_from_guesses_without(cls):
    finding = found(marks_count_each_letter_once, cls)[0]
    assert "A guess with a letter twice gets other marks than the rule says" in finding.message


@pytest.mark.parametrize("sound", [CountedOnce, AsTheRuleSays, DialsCountedOnce])
def test_marks_by_the_rule_are_sound(sound):
    assert found(marks_count_each_letter_once, sound) == []
