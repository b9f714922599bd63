"""Marks of guesses where most of the secrets have a sign twice."""

from collections import Counter

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
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


def test_marks_of_secrets_with_doubles_are_learnt_from_guesses_without():
    finding = found(marks_count_each_letter_once, Beads)[0]
    assert "A guess with a letter twice gets other marks than the rule says" in finding.message


@pytest.mark.parametrize("sound", [CountedOnce, AsTheRuleSays])
def test_marks_by_the_rule_are_sound(sound):
    assert found(marks_count_each_letter_once, sound) == []
