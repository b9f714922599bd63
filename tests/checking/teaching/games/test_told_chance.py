"""Games of chance that gold often loses, and games that it plays badly or that nobody calls one of chance."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.reaching import gold_reaches_the_top as reaching
from tests.checking.trying import found


class Cards(MultiTurnEnv):
    """Sound: a hand to 21 with a card that is not shown; gold knows no more than the model."""

    reward_range = (-1, 1)
    deck = "a shuffled deck"

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"You hold {11 + n % 10} of {self.deck}. HIT or STAND? {n}", "mine": 11 + n % 10,
             "theirs": 16 + n * 7 % 6, "next": 1 + n * 11 % 10}
            for n in range(60)
        ]  # fmt: skip

    def setup(self, row):
        self.mine = row["mine"]

    def step(self, action):
        said = answer_text(action)
        if said == "HIT":
            self.mine += self.row["next"]
            return f"You hold {self.mine}.", -float(self.mine > 21), self.mine > 21, False, {}
        won = said == "STAND" and self.mine > self.row["theirs"]
        return "Over.", 1.0 if won else -1.0, True, False, {}

    def solve(self, row):
        while self.mine < 16:
            yield "HIT"
        if self.mine <= 21:
            yield "STAND"


class PlayedBadly(Cards):
    """Gold looks at no card."""

    def solve(self, row):
        if row["mine"] % 2:
            yield "HIT"
        if self.mine <= 21:
            yield "STAND"


class NotTold(Cards):
    """No prompt speaks of chance."""

    deck = "some cards"


class OtherWords(Cards):
    """Gold says on some rows what wins nowhere."""

    def solve(self, row):
        yield from ("STAND.",) if row["mine"] == 20 else super().solve(row)


def test_losing_by_chance_what_the_prompt_tells_of_is_a_note():
    (note,) = found(reaching, Cards, "default")
    assert note.severity == "info"
    assert "'shuffled' in the prompt" in note.message


@pytest.mark.parametrize("cls", [PlayedBadly, NotTold, OtherWords])
def test_bad_play_and_rows_that_nobody_calls_chance_are_errors(cls):
    (finding,) = found(reaching, cls, "default")
    assert finding.severity == "error"
    assert "no more than an empty answer" in finding.message
