"""Gold dates that are so many working days away, where the prompt says which days those are."""

import json
import random
from datetime import date, timedelta

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.contract.second_opinion import gold_is_what_the_prompt_asks_for
from tests.checking.trying import asking, found


def away(day, count, last, step=1):
    while count:
        day += timedelta(step)
        count -= day.weekday() <= last
    return day


def repairs(last, text):
    def write(number, rng):
        day, count = date(2025, 1, 6) + timedelta(rng.randrange(300)), rng.choice([2, 3, 4, 6, 9])
        return text.format(day=day, count=count), str(away(day, count, last))

    return asking(write)


PLAIN = "A bike is brought in on {day} and is ready {count} business days later. {rule} On which date (YYYY-MM-DD)?"


@pytest.mark.parametrize(
    ("last", "rule"),
    [
        (5, "Business days are Monday to Friday."),
        (5, "Weekends do not count."),
        (6, "Do not count Saturdays and Sundays; leave out holidays."),
        (5, "Mon-Fri are business days. Ignore public holidays."),
    ],
)
def test_gold_that_counts_days_which_the_prompt_does_not_count_is_an_error(last, rule):
    (item,) = found(gold_is_what_the_prompt_asks_for, repairs(last, PLAIN.replace("{rule}", rule)), "default")
    assert "working days away (counting Monday to Friday)" in item.message
    assert item.severity == "error"


@pytest.mark.parametrize(
    ("last", "text"),
    [
        (4, PLAIN.replace("{rule}", "Business days are Monday to Friday.")),
        (5, PLAIN.replace("{rule}", "The shop is open from Monday to Saturday.")),
        (5, PLAIN.replace("{rule}", "")),
        (6, PLAIN.replace("business days", "days").replace("{rule}", "We are open Monday to Friday.")),
        (5, PLAIN.replace("{rule}", "Offices work Monday to Friday; except that Saturdays count for repairs.")),
    ],
)
def test_gold_as_the_prompt_counts_is_not_reported(last, text):
    assert not found(gold_is_what_the_prompt_asks_for, repairs(last, text), "default")


class Loans(ToolEnv):
    """When a book is due, with a calendar as a tool."""

    max_turns = 4
    last = 5

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(8), []
        for number in range(24):
            day, count = date(2025, 2, 3) + timedelta(rng.randrange(250)), rng.choice([3, 5, 8])
            ask = f"Book {number} was lent on {day}. It is due after {count} working days (Monday to Friday). When?"
            rows.append({"prompt": f"{ask} Answer as YYYY-MM-DD.", "due": str(away(day, count, self.last))})
        return rows

    @tool
    def month(self, start: str) -> str:
        """Show the four weeks after a date."""
        days = [date.fromisoformat(start) + timedelta(number) for number in range(28)]
        return json.dumps([f"{day:%A} {day}" for day in days])

    @reward
    def is_right(self, messages, due):
        return answer_text(messages).strip() == due

    def solve(self, row):
        yield call_message("month", start="2025-03-03")
        yield row["due"]


class Rightly(Loans):
    last = 4


def test_it_is_found_where_tools_help_to_count():
    assert found(gold_is_what_the_prompt_asks_for, Loans, "default")
    assert not found(gold_is_what_the_prompt_asks_for, Rightly, "default")
