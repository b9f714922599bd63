"""Dates and times in the forms that a prompt leaves open, as answers and as the last message after tools."""

import datetime as dt
import json

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.evidence.prompts.asked_dates import masks_shown
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted as forms
from grpo_env_sdk.checking.teaching.forms.date_forms import DATE_FORMS
from tests.checking.trying import found

DAYS = [dt.date(2026, 1 + n % 12, 1 + n * 5 % 28) for n in range(16)]


class Loans(ToolEnv):
    """When a book is due, written with a name of the month; `accepted` are the forms that score."""

    max_turns = 4
    asked = "Answer with the date alone: '3 June 2026' and 'June 3, 2026' are both fine."
    accepted = ("%d %B %Y",)

    def build_dataset(self, tokenizer):
        said = "When is the book B{} due? Look it up. {}"
        return [{"prompt": said.format(n, self.asked), "book": f"B{n}", "due": str(day)} for n, day in enumerate(DAYS)]

    @tool
    def due(self, book: str) -> dict:
        """When a book is due.

        Args:
            book: Its number.
        """
        return {"due": self.row["due"] if book == self.row["book"] else None}

    def right_ones(self, due):
        day = dt.date.fromisoformat(due)
        return [day.strftime(form) for form in self.accepted]

    @reward
    def right(self, completion, due):
        said = answer_text(completion).strip().rstrip(".")
        return said in self.right_ones(due) or said.lstrip("0") in self.right_ones(due)

    def solve(self, row):
        answered = yield call_message("due", book=row["book"])
        yield self.right_ones(json.loads(answered[-1]["content"])["due"])[0]


class BothAreRead(Loans):
    """Sound: both forms score, with zeros or without."""

    def right_ones(self, due):
        day = dt.date.fromisoformat(due)
        return [f"{day.day} {day:%B} {day.year}", f"{day.day:02} {day:%B %Y}", f"{day:%B} {day.day}, {day.year}"]


class OneIsAsked(Loans):
    """Sound: the prompt shows the other form as a wrong one."""

    asked = "Answer with the date alone, as '03 June 2026', and not as 'June 3, 2026' or '3 June 2026'."


class Given(Loans):
    """Sound: the two forms are those of what is looked up."""

    asked = "The tool may give dates such as '3 June 2026' or 'June 3, 2026'. Answer with the date as '03 June 2026'."


class Trains(SingleTurnEnv):
    """The next train of an hour, with a clock of 24 hours alone."""

    def build_dataset(self, tokenizer):
        said = "Trains go 20 minutes past each hour. It is {}:05. When is the next? Write '14:30' or '2:30 pm'."
        return [{"prompt": said.format(hour), "time": f"{hour}:20"} for hour in range(10, 24)]

    @reward
    def right(self, completion, time):
        return answer_text(completion).strip() == time

    def solve(self, row):
        return row["time"]


class EitherClock(Trains):
    """Sound: both clocks are read."""

    @reward
    def right(self, completion, time):
        hour = int(time[:2])
        return answer_text(completion).strip() in (time, f"{(hour - 1) % 12 + 1}:20 {'ap'[hour > 11]}m")


@pytest.mark.parametrize(("cls", "told"), [(Loans, "MMMM D, YYYY"), (Trains, "am or pm")])
def test_forms_that_a_prompt_leaves_open_and_the_scorer_refuses_are_found(cls, told):
    (finding,) = found(forms, cls)
    assert told in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [BothAreRead, OneIsAsked, Given, EitherClock])
def test_forms_that_are_read_or_not_allowed_are_no_finding(cls):
    assert found(forms, cls) == []


@pytest.mark.parametrize(
    ("said", "masks"),
    [
        ("Write '5 March 2025' or 'March 5, 2025'.", ["D MMMM YYYY", "MMMM D, YYYY"]),
        ("Write YYYY-MM-DD or DD.MM.YYYY.", ["YYYY-MM-DD", "DD.MM.YYYY"]),
        ("Write it such as 05 Mar 2025.", ["DD MMM YYYY"]),
        ("It was signed on 5 March 2025 or later.", []),
        ("Write '15 March 2025'.", []),
        ("Write '3/4/2025'.", []),
    ],
)
def test_the_forms_of_dates_that_a_sentence_shows(said, masks):
    assert masks_shown(said) == masks


@pytest.mark.parametrize(
    ("answer", "prompt", "written"),
    [
        ("2025-03-05", "Answer with 'YYYY-MM-DD' or DD.MM.YYYY.", {"05.03.2025"}),
        ("2025-03-05", "Convert dates like '5 March 2025' or 'March 5, 2025' to ISO.", set()),
        ("04 March 2025", "Answer as '5 March 2025' or 'March 5, 2025'.", {"4 March 2025", "March 4, 2025"}),
        ("next week", "Answer as '5 March 2025' or 'March 5, 2025'.", set()),
        ("14:05", "Answer as 13:30 or 1:30PM.", {"2:05PM"}),
        ("25:05", "Answer as 13:30 or 1:30PM.", set()),
    ],
)
def test_an_answer_is_written_in_the_forms_that_are_left_open(answer, prompt, written):
    texts = {form.write(answer, prompt) for form in DATE_FORMS if form.applies(prompt)}
    assert texts - {None, answer} == written
