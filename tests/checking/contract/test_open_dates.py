"""C172: dates whose day may be the month, where no prompt tells which is first."""

from datetime import date, timedelta

import pytest

from grpo_env_sdk.checking.contract.open_dates import dates_can_be_read_in_one_order as can_be_read
from tests.checking.trying import asking, found

GOODS = ("salt", "flour", "tea", "rice", "oats", "beans")
OLDEST = "On the shelf: {}. Which was packed {}? Write its name."


def day(rng):
    return date(2024, rng.randint(1, 12), rng.randint(1, 12))


def shelf(form="%d/%m/%Y", said="{} from {}", ask=OLDEST, best=min, which="first", count=12):
    def write(n, rng):
        packed = {name: day(rng) for name in rng.sample(GOODS, 3)}
        told = ", ".join(said.format(*((name, f"{one:{form}}") if said[0] == "{" else (f"{one:{form}}", name)))
                         for name, one in packed.items())  # fmt: skip
        return ask.format(told, which), best(packed, key=packed.get)

    return asking(write, count)


def weekdays(ask="A fair is on {:%m/%d/%Y}. Which weekday is that? Write its name.", later=0):
    def write(n, rng):
        one = day(rng) + timedelta(later)
        return f"{n}. {ask.format(one)}", f"{one:%A}"

    return asking(write, 16)


def either(cls):
    """The same, with any of the goods as right."""

    class Either(cls):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion in GOODS)

    return Either


@pytest.mark.parametrize(("cls", "order"), [
    (shelf(), "the day first"),
    (shelf("%m/%d/%Y", best=max, which="last"), "the month first"),
    (shelf(said="On {}: {}"), "the day first"),
    (weekdays(), "the month first"),
])  # fmt: skip
def test_gold_that_needs_an_order_which_nothing_tells_is_named(cls, order):
    (finding,) = found(can_be_read, cls)
    assert (finding.severity, f"gold has {order}" in finding.message) == ("warning", True)


@pytest.mark.parametrize("cls", [
    shelf("%Y-%m-%d"),
    shelf("%d.%m.%Y"),
    shelf(ask="Dates are DD/MM/YYYY. " + OLDEST),
    shelf(ask="A shop in London. " + OLDEST),
    shelf(ask="The day comes first. " + OLDEST),
    shelf(ask="Im Regal: {}. Was ist das Älteste, {}? Nur den Namen schreiben."),
    shelf(said="{} for $3 from {}"),
    shelf(best=lambda packed, key: sorted(packed)[0], which="first in the alphabet"),
    shelf(count=4),
    either(shelf()),
    weekdays("The American fair is on {:%m/%d/%Y}. Which weekday is that?"),
    weekdays(later=9),
])  # fmt: skip
def test_orders_that_may_be_told_or_do_not_matter_are_let_be(cls):
    assert found(can_be_read, cls) == []
