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


class Alarms(ToolEnv):
    """An alarm so many days from today, which gold has counted from a day that was fixed before."""

    asked = "Set an alarm in {} days."
    first = datetime.date(2025, 6, 1)

    def build_dataset(self, tokenizer):
        return [{"prompt": self.asked.format(days), "days": days, "day": self.day(days)} for days in range(2, 14)]

    def day(self, days):
        return str(self.first + datetime.timedelta(days))

    @tool
    def date_of_today(self) -> str:
        """The date of today."""
        return self.shown()

    def shown(self):
        return str(datetime.date.today())

    @tool
    def set_alarm(self, date: str) -> str:
        """Set an alarm.

        Args:
            date: The day, as YYYY-MM-DD.
        """
        self.alarm = date
        return "It is set."

    def setup(self, row):
        self.alarm = ""

    @reward
    def right(self, day):
        return self.alarm == day

    def solve(self, row):
        yield call_message("date_of_today")
        yield call_message("set_alarm", date=row["day"])
        yield "Set."


class FixedToday(Alarms):
    def shown(self):
        return str(self.first)


class DayOfThePrompt(Alarms):
    """What day it is today does not matter."""

    asked = "Set an alarm {} days after 1 June 2025, and not after today."


class DayOfTheReply(Alarms):
    """The reply names the day from which days are counted, too."""

    def shown(self):
        return f"It is {datetime.date.today()}; days are counted from {self.first}."


@pytest.mark.parametrize(
    ("cls", "severities"),
    [(Alarms, ["error"]), (FixedToday, []), (DayOfThePrompt, ["warning"]), (DayOfTheReply, ["warning"])],
)
def test_a_date_of_gold_that_has_to_be_counted_from_the_clock_is_an_error(cls, severities):
    findings = found(a_score_is_the_same_in_another_process, cls)
    assert [finding.severity for finding in findings] == severities
    assert all(("has to be counted" in finding.message) == (cls is Alarms) for finding in findings)
