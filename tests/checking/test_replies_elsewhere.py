"""Replies that are others where the clock is ahead, or in a process with another hash seed."""

import datetime

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.score.repeats import a_score_is_the_same_in_another_process
from tests.checking.trying import found


class Tariff(ToolEnv):
    """What an hour costs, which `solve` knows without its tool."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What do {hours} hours cost?", "hours": hours} for hours in range(1, 13)]

    def today(self):
        return datetime.date.today().year

    @tool
    def price(self) -> str:
        """The price of an hour."""
        return f"{30 + self.today() - 2000} cents"

    @reward
    def right(self, completion, hours):
        return answer_text(completion) == str(hours * 56)

    def solve(self, row):
        yield call_message("price")
        yield str(row["hours"] * 56)


class Fixed(Tariff):
    def today(self):
        return 2026


@pytest.mark.parametrize(("cls", "count"), [(Tariff, 1), (Fixed, 0)])
def test_a_reply_that_depends_on_the_clock_is_a_warning(cls, count):
    findings = found(a_score_is_the_same_in_another_process, cls)
    assert len(findings) == count
    for finding in findings:
        assert finding.severity == "warning"
        assert "got the reply '" in finding.message
        assert "in another process, with another date (the clock)" in finding.message


class Boxes(MultiTurnEnv):
    """Find the box with the ring. There is no solution, and only a message such as that of the prompt opens a box."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Game {game}: look into a box by a message such as box 3, of 1 to 8.", "game": game}
                for game in range(1, 13)]  # fmt: skip

    def things(self):
        return list({"ring", "key", "coin", "pin", "stone", "button", "nail", "bead", "cork", "shell", "stamp", "bolt"})

    def setup(self, row):
        self.hidden = self.things()[row["game"] % 3 :]

    def step(self, action):
        words = action["content"].split()
        if len(words) != 2 or not words[1].isdigit() or not 0 < int(words[1]) <= len(self.hidden):
            return "Name a box.", 0.0, False, False, {}
        thing = self.hidden[int(words[1]) - 1]
        return f"A {thing}, beside {self.hidden}.", float(thing == "ring"), thing == "ring", False, {}


class Sorted(Boxes):
    def things(self):
        return sorted(super().things())


@pytest.mark.parametrize(("cls", "count"), [(Boxes, 1), (Sorted, 0)])
def test_a_game_that_is_another_one_in_each_process_is_an_error(cls, count):
    findings = found(a_score_is_the_same_in_another_process, cls)
    assert len(findings) == count
    for finding in findings:
        assert finding.severity == "error"
        assert "in another process, with another hash seed" in finding.message
