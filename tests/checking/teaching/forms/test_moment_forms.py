"""Moments as arguments and as answers, with other offsets, and dates of arguments in forms that are allowed."""

from datetime import datetime

import pytest

from grpo_env_sdk import SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted
from tests.checking.trying import found


class Alarm(ToolEnv):
    """An alarm at a moment, which is compared as a text."""

    max_turns = 3
    asked = "Wake cabin {} at {:02d}:30 on 4 May 2026, ship time (UTC+2). {}"
    rule = "Use ISO 8601; any UTC offset is fine."

    def build_dataset(self, tokenizer):
        return [
            {"prompt": self.asked.format(n, 5 + n % 6, self.rule), "moment": f"2026-05-04T{5 + n % 6:02d}:30:00+02:00"}
            for n in range(12)
        ]

    def setup(self, row):
        self.at = ""

    @tool
    def set_alarm(self, moment: str) -> str:
        """Set the alarm.

        Args:
            moment: When it rings.
        """
        self.at = moment
        return "Set."

    @reward
    def right(self, moment):
        return self.read(self.at) == self.read(moment)

    def read(self, moment):
        return moment

    def solve(self, row):
        return [call_message("set_alarm", moment=row["moment"]), "Set."]


class Parsed(Alarm):
    """Sound: moments are compared."""

    def read(self, moment):
        return datetime.fromisoformat(moment) if moment else None


class InShipTime(Alarm):
    """Sound: the offset is named."""

    rule = "Use ISO 8601 with the offset of the ship."


class Launch(SingleTurnEnv):
    """A moment as the answer, in UTC, which may be written in two ways."""

    rule = "Give it as an ISO 8601 time in UTC."

    def build_dataset(self, tokenizer):
        said = "A probe starts on 7 June 2026, {} minutes after ten in London (UTC+1). When is that? {}"
        return [
            {"prompt": said.format(11 + 3 * n, self.rule), "moment": f"2026-06-07T09:{11 + 3 * n}:00Z"}
            for n in range(12)
        ]

    @reward
    def right(self, completion, moment):
        return answer_text(completion) == moment

    def solve(self, row):
        return row["moment"]


class WithZ(Launch):
    """Sound: it says how."""

    rule = "Give it as an ISO 8601 time that ends with Z."


class Leave(Alarm):
    """A day as an argument, for which the schema allows two forms."""

    rule = ""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Book a day off for no. {n}: the {n + 1} May 2026.", "moment": f"2026-05-{n + 1:02d}"}
            for n in range(12)
        ]

    @tool
    def set_alarm(self, moment: str) -> str:
        """Book a day.

        Args:
            moment: The day, written as YYYY-MM-DD or DD.MM.YYYY.
        """
        self.at = moment
        return "Booked."


class OneFormOfDays(Leave):
    """Sound: one form is asked for."""

    @tool
    def set_alarm(self, moment: str) -> str:
        """Book a day.

        Args:
            moment: The day, written as YYYY-MM-DD.
        """
        self.at = moment
        return "Booked."


@pytest.mark.parametrize(
    ("cls", "said", "severity"),
    [
        (Alarm, "'moment' of set_alarm in UTC, as any offset will do, is refused", "error"),
        (Launch, "The right answer with Z for +00:00, or the other way round, is refused", "warning"),
        (Leave, "'moment' of set_alarm as DD.MM.YYYY, which it allows, is refused", "error"),
    ],
)
def test_an_allowed_form_that_is_refused_is_found(cls, said, severity):
    (finding,) = found(forms_that_a_prompt_allows_are_accepted, cls)
    assert said in finding.message
    assert finding.severity == severity


@pytest.mark.parametrize("cls", [Parsed, InShipTime, WithZ, OneFormOfDays])
def test_a_form_that_is_accepted_or_not_allowed_is_no_finding(cls):
    assert found(forms_that_a_prompt_allows_are_accepted, cls) == []
