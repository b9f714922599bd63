"""G682: dates that are asked for in one order of day and month, and read in the other one."""

from datetime import date, datetime

import pytest

from grpo_env_sdk.checking.teaching.forms.day_and_month import day_and_month_are_read_as_asked as read_as_asked
from tests.checking.trying import found

DAY_FIRST, MONTH_FIRST = "%d/%m/%Y", "%m/%d/%Y"
ASK = "The fair opens on {day:%d %B %Y}. Write this date as DD/MM/YYYY."


def dated(ask, forms, any_form=False, column=True):
    """Asks for dates, and reads answers by the first of these forms that fits, or by any."""

    class Dated:
        def build_dataset(self, tokenizer):
            days = [date(2020 + n % 5, n % 12 + 1, 3 * n % 28 + 1) for n in range(40)]
            rows = [{"prompt": f"{n}. {ask.format(day=day)}", "due": day.isoformat()} for n, day in enumerate(days)]
            return rows if column else [{"prompt": row["prompt"], "number": n} for n, row in enumerate(rows)]

        def score_episode(self, model, tokenizer, completion, row):
            number = int(row["prompt"].partition(".")[0])
            meant = date(2020 + number % 5, number % 12 + 1, 3 * number % 28 + 1)
            read = []
            for form in forms:
                try:
                    read.append(datetime.strptime(completion, form).date())
                except ValueError:
                    continue
            return float(meant in (read if any_form else read[:1]))

    return Dated


@pytest.mark.parametrize(("ask", "forms"), [
    (ASK, (MONTH_FIRST, DAY_FIRST)),
    (ASK, (MONTH_FIRST,)),
    (ASK.replace("DD/MM", "MM/DD"), (DAY_FIRST, MONTH_FIRST)),
    ("It is {day:%Y-%m-%d}. Answer with the date alone (dd/mm/yyyy).", (MONTH_FIRST, DAY_FIRST)),
])  # fmt: skip
@pytest.mark.parametrize("column", [True, False])
def test_another_order_than_the_one_asked_for_is_named(ask, forms, column):
    (finding,) = found(read_as_asked, dated(ask, forms, column=column))
    assert (finding.severity, "day and month are read the other way round" in finding.message) == ("error", True)


@pytest.mark.parametrize("env", [
    dated(ASK, (DAY_FIRST, MONTH_FIRST)),
    dated(ASK, (MONTH_FIRST, DAY_FIRST), any_form=True),
    dated("A form says {day:%d/%m/%Y}. Write this date as the Americans do; forms have DD/MM/YYYY.", (MONTH_FIRST,)),
    dated("Turn {day:%Y-%m-%d} from DD/MM/YYYY to MM/DD/YYYY and write it alone.", (MONTH_FIRST,)),
    dated("A fair opens on {day:%d %B %Y}; papers have DD/MM/YYYY. Write it as Americans do.", (MONTH_FIRST,)),
    dated("The fair opens on {day:%d %B %Y}. Write this date in figures.", (MONTH_FIRST,)),
])  # fmt: skip
def test_the_order_that_is_asked_for_and_dates_to_be_turned_are_let_be(env):
    assert found(read_as_asked, env) == []
