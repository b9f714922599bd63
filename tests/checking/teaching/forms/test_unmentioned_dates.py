"""Dates that score only in a form that no text before the answer names or has."""

import datetime as dt

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.forms.frames import the_form_that_decides_is_asked_for as asked_for
from tests.checking.trying import asking, found

DAYS = [dt.date(2031, 1 + n % 12, 3 + n * 7 % 25) for n in range(12)]


def said(day):
    return f"{day.day}th of {day:%B} {day.year}"


def report(ask, shown=said, wanted=str):
    return lambda n, rng: (f"Bridge {n} was closed on the {shown(DAYS[n])}. {ask}", wanted(DAYS[n]))


def later(ask):
    return lambda n, rng: (f"A visa of {DAYS[n]:%B} {DAYS[n].day}, {DAYS[n].year} is good for 9 days. {ask}",
                           str(DAYS[n] + dt.timedelta(9)))  # fmt: skip


@pytest.mark.parametrize(("write", "refused"), [
    (report("When was it closed? Answer with the date alone."), "3th of January 2031"),
    (report("When was it closed? Date:", str, said), "2031-01-03"),
    (report("When was it closed?", said, lambda day: f"Closed: {day}"), "Closed: 3th of January 2031"),
    (later("When does it end? Answer with the date."), "January 12, 2031"),
])  # fmt: skip
def test_a_date_as_the_prompt_writes_it_has_to_score(write, refused):
    (finding,) = found(asked_for, asking(write, 12), "default")
    assert (finding.severity, finding.input) == ("error", refused)


@pytest.mark.parametrize("write", [
    report("When was it closed? Answer in the form YYYY-MM-DD."),
    report("When was it closed? Use an ISO date."),
    report("When was it closed? Answer with what date.fromisoformat reads."),
    report("When was it closed? Answer with an RFC 3339 date."),
    report("When was it closed? Write it as in file names, sortable."),
    report("When was it closed (JJ/MM/AAAA)?", wanted=lambda day: f"{day:%d/%m/%Y}"),
    report("When was it closed? Answer with year, month and day in digits."),
    report("It opened on 2031-12-30. When was it closed?"),
    report("When was it closed?", wanted=said),
    report("Write one query for that day.", wanted=lambda day: f"SELECT id FROM bridges WHERE day = '{day}'"),
])  # fmt: skip
def test_a_form_that_is_named_or_shown_may_decide(write):
    assert found(asked_for, asking(write, 12), "default") == []


def test_a_form_that_an_earlier_answer_shows_may_decide():
    class Shown(asking(report("When was it closed?"), 12)):
        def build_dataset(self, tokenizer):
            earlier = [{"role": "user", "content": "Bridge 99 was closed on the 1st of May 2030. When was it closed?"},
                       {"role": "assistant", "content": "2030-05-01"}]  # fmt: skip
            return [
                row | {"prompt": [*earlier, {"role": "user", "content": row["prompt"]}]}
                for row in super().build_dataset(tokenizer)
            ]

    assert found(asked_for, Shown, "default") == []


class Register(ToolEnv):
    """A date that a tool writes as gold does, or in another form."""

    max_turns = 3
    form = "%Y-%m-%d"

    def build_dataset(self, tokenizer):
        return [{"prompt": f"When was house {n} built? Look it up.", "day": str(day)} for n, day in enumerate(DAYS)]

    @tool
    def built(self) -> str:
        """When the house was built."""
        return dt.date.fromisoformat(self.row["day"]).strftime(self.form)

    @reward
    def right(self, completion, day):
        return answer_text(completion).strip() == day

    def solve(self, row):
        yield call_message("built")
        yield row["day"]


class InWords(Register):
    form = "%d %B %Y"


def test_replies_of_tools_show_a_form_too():
    assert found(asked_for, Register, "default") == []
    (finding,) = found(asked_for, InWords, "default")
    assert "January 2031" in finding.input
