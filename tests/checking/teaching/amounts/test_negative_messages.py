"""Negative numbers in the messages of a game."""

import pytest

from grpo_env_sdk import MultiTurnEnv
from grpo_env_sdk.checking.evidence import golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.side_doors import absurd_numbers_are_not_gold
from tests.checking.trying import found

GOALS = [17, 23, 31, 38, 44, 52, 59, 63, 71, 78]


class Cable(MultiTurnEnv):
    """Pull a cable car up by so many metres a turn, until it is high enough."""

    max_turns = 12
    reward_range = (0, 1)
    lowest = 1

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Pull the car up to {goal} metres: 'pull 9' pulls by 9, which is the most. 'stop' ends it.",
             "goal": goal} for goal in GOALS
        ]  # fmt: skip

    def setup(self, row):
        self.height = 0

    def step(self, action):
        verb, _, number = action["content"].partition(" ")
        if verb == "stop":
            return "Stopped.", float(self.height >= self.row["goal"]), True, False, {}
        if not number.lstrip("-").isdecimal() or not self.lowest <= int(number) <= 9:
            return "That is no move: say 'pull' and a number from 1 to 9.", 0.0, False, False, {}
        self.height += abs(int(number))
        return f"At {self.height} metres.", 0.0, False, False, {}

    def solve(self, row):
        return [*["pull 9"] * self.pulls(row), "stop"]

    def pulls(self, row):
        return -(-row["goal"] // 9) + 1  # one to spare


class Abyss(Cable):
    """What is pulled down goes up."""

    lowest = -10_000_000

    def pulls(self, row):
        return -(-row["goal"] // 9)


class Spare(Cable):
    """What is pulled down goes up, and any number does in one of the turns."""

    lowest = -9


@pytest.mark.parametrize(("cls", "findings"), [(Cable, 0), (Abyss, 1), (Spare, 0)])
def test_a_negative_number_is_told_where_no_other_pays_in_its_place(cls, findings):
    assert len(found(absurd_numbers_are_not_gold, cls)) == findings


def test_nothing_is_told_where_there_is_no_time_for_what_it_is_compared_with(monkeypatch):
    played = golds.play_answers

    def without_small_ones(subject, answers):
        small = ("pull 1", "pull 2")
        return played(subject, [(row, turns) for row, turns in answers if not set(small) & set(turns)])

    monkeypatch.setattr(golds, "play_answers", without_small_ones)
    assert [one for one in found(absurd_numbers_are_not_gold, Spare) if isinstance(one, Finding)] == []
