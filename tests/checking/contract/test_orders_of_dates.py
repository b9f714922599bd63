"""Dates of numbers whose prompt says whether the day or the month is first, and gold that was read otherwise."""

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.contract.second_opinion import gold_is_what_the_prompt_asks_for
from tests.checking.trying import found

DAYS = [(3, 4), (17, 4), (25, 12), (9, 11), (30, 6), (12, 1), (21, 8), (5, 10), (14, 2), (28, 9), (1, 7), (19, 3)]


class Letters(SingleTurnEnv):
    """Letters with a stamp in American order, of which gold takes the first number for the day where it can be."""

    asked = "A letter is stamped {} (month/day/year). Write its date as YYYY-MM-DD."
    stamp = "{month:02}/{day:02}/{year}"

    def build_dataset(self, tokenizer):
        rows = []
        for n, (day, month) in enumerate(DAYS):
            stamp = self.stamp.format(day=day, month=month, year=2010 + n)
            rows.append({"prompt": self.asked.format(stamp), "date": self.gold(2010 + n, month, day)})
        return rows

    def gold(self, year, month, day):
        return f"{year}-{day:02}-{month:02}" if day <= 12 else f"{year}-{month:02}-{day:02}"

    @reward
    def right(self, completion, date):
        return answer_text(completion) == date

    def solve(self, row):
        return row["date"]


class WithTheDayFirst(Letters):
    asked = (
        "All dates of this archive are written as DD.MM.YYYY. When was the file of {} made, in ISO form (YYYY-MM-DD)?"
    )
    stamp = "{day:02}.{month:02}.{year}"


class InWords(Letters):
    asked = "A docket of a depot has the date {}. British dockets put the day before the month. Write YYYY-MM-DD."
    stamp = "{day:02}/{month:02}/{year}"


class AsTold(Letters):
    """Sound: gold is read in the order that is named."""

    def gold(self, year, month, day):
        return f"{year}-{month:02}-{day:02}"


class OrderOfTheAnswer(Letters):
    """Sound: the order that is named is that of the answer."""

    asked = "A British letter is stamped {}. Write its date in month/day/year order, and nothing else."
    stamp = "{day:02}/{month:02}/{year}"

    def gold(self, year, month, day):
        return f"{month:02}/{day:02}/{year}"


class NotTold(Letters):
    """Nothing is said of the order: whether gold is right cannot be told."""

    asked = "A letter is stamped {}. Write its date as YYYY-MM-DD."


@pytest.mark.parametrize(
    ("cls", "order"), [(Letters, "the month first"), (WithTheDayFirst, "the day first"), (InWords, "the day first")]
)
def test_gold_that_was_read_in_another_order_is_found(cls, order):
    (finding,) = found(gold_is_what_the_prompt_asks_for, cls)
    assert (
        f"Gold is wrong on 5 of 12 rows that ask for a date whose order the prompt names ({order})" in finding.message
    )
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [AsTold, OrderOfTheAnswer, NotTold])
def test_gold_in_the_order_that_is_named_is_no_finding(cls):
    assert found(gold_is_what_the_prompt_asks_for, cls) == []
