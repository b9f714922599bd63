"""Turns of a conversation that count for nothing, or that may be skipped."""

import pytest

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.teaching.acts.turns_that_count import every_turn_counts
from tests.checking.trying import found


class Sums(MultiTurnEnv):
    """Three sums, one after another; the score is the share that is right."""

    max_turns = 3
    counted = slice(None)
    skipping = False

    def build_dataset(self, tokenizer):
        sums = [[[n + 11, 3 * n + 2], [2 * n + 5, n + 30], [n + 7, n + 41]] for n in range(20)]
        return [{"prompt": f"Three sums. Say `skip` if you cannot. {one[0]}?", "sums": one} for one in sums]

    def setup(self, row):
        self.marks = []

    def step(self, action):
        said = answer_text([action])
        right = None if self.skipping and said == "skip" else said == str(sum(self.row["sums"][len(self.marks)]))
        self.marks.append(right)
        if len(self.marks) < 3:
            return f"Next: {self.row['sums'][len(self.marks)]}?", 0.0, False, False, {}
        marks = [mark for mark in self.marks[self.counted] if mark is not None]
        return "Done.", sum(marks) / len(marks) if marks else 0.0, True, False, {}

    def solve(self, row):
        return [str(sum(one)) for one in row["sums"]]


class LastAlone(Sums):
    counted = slice(-1, None)


class Skipped(Sums):
    skipping = True


class Guesses(Sums):
    """Sound: the guesses before the last one are questions of the player's own, which get other replies."""

    def step(self, action):
        said = answer_text([action])
        self.marks.append(said)
        right = said == str(self.row["sums"][0][0])
        told = "warm" if said > str(self.row["sums"][0][0]) else f"cold, not {said}"
        return told, float(right), len(self.marks) == 3, False, {}

    def solve(self, row):
        return [str(row["sums"][1][0]), str(row["sums"][2][0]), str(row["sums"][0][0])]


class Noted(Sums):
    """Sound: gold says the same word on each row until the end."""

    counted = slice(-1, None)

    def solve(self, row):
        return ["noted", "noted", str(sum(row["sums"][2]))]


class Bargain(MultiTurnEnv):
    """Sound: the price falls from turn to turn, so that whoever waits pays less; only a bad offer ends it."""

    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        text = "Lot {}, for {} euros today and less in each turn. Offer a number; other words let a turn go by."
        return [{"prompt": text.format(n, 1000 + 90 * n), "ask": 1000 + 90 * n} for n in range(20)]

    def step(self, action):
        said, ask = answer_text(action).strip(), self.row["ask"]
        now = ask - ask * self.turns // 10
        if said.isdigit() and int(said) < ask // 2:
            return "How dare you.", 0.0, True, False, {}
        if said.isdigit() and int(said) >= now:
            return "Sold.", 1.0 if int(said) <= ask * 6 // 10 else 0.2, True, False, {}
        return "No.", 0.0, self.turns == self.max_turns, False, {}

    def solve(self, row):
        return [str(row["ask"] // 2 + turn) for turn in range(3)] + [str(row["ask"] * 6 // 10)]


@pytest.mark.parametrize(("cls", "said"), [
    (LastAlone, "What is said in turn 1 counts for nothing"),
    (Skipped, "'skip' in every turn but the last scores as much as gold"),
])  # fmt: skip
def test_turns_that_count_for_nothing_or_may_be_skipped_are_named(cls, said):
    (finding,) = found(every_turn_counts, cls)
    assert said in finding.message
    assert finding.severity in ("error", None)


@pytest.mark.parametrize("cls", [Sums, Guesses, Noted, Bargain])
def test_turns_that_count_questions_and_fillers_are_let_alone(cls):
    assert found(every_turn_counts, cls) == []
