"""Tools whose replies are others where the clock is ahead."""

import datetime

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
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
