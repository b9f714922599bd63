"""Words of the tool's own error text are no answers; answers in the same text are."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, tool
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from grpo_env_sdk.checking.teaching.telling.words_in_any_reply import without_words_in_any_reply
from grpo_env_sdk.rewards import exact_match
from tests.checking.trying import found

CAUSES = ("no power", "no network", "no power", "full disk", "no network", "lost key", "loose fan", "dead battery")


class Tickets(ToolEnv):
    rewards = (exact_match("cause"),)

    def build_dataset(self, tokenizer):
        asked = "What is the cause of ticket T-{}? Answer with the cause alone."
        return [{"prompt": asked.format(row), "cause": cause} for row, cause in enumerate(CAUSES)]

    def solve(self, row):
        yield call_message("look_up", ticket=f"T-{CAUSES.index(row['cause'])}")
        yield row["cause"]

    @tool
    def look_up(self, ticket: str) -> dict[str, str]:
        """The cause of a ticket."""
        row = ticket.removeprefix("T-")
        if not row.isdecimal() or int(row) >= len(CAUSES):
            return {"error": f"no ticket {ticket}{self.more()}"}
        return {"cause": CAUSES[int(row)]}

    def more(self):
        return ""


class Telling(Tickets):
    def setup(self, row):
        self.cause = row["cause"]

    def more(self):
        return f", expected one of: {self.cause}"


@pytest.mark.parametrize("effort", ["quick", "default"])
def test_a_word_of_every_error_is_no_answer(effort):
    assert found(replies_do_not_tell_the_answer, Tickets, effort) == []


def test_an_answer_in_an_error_that_has_its_words_in_every_row_is_found():
    assert found(replies_do_not_tell_the_answer, Telling)


def test_words_that_few_other_rows_are_told_stay():
    words = {0: {"no", "power"}, 1: {"full"}, 2: {"key"}}
    replies = {0: "no ticket: power", 1: "no ticket: full", 2: "no ticket"}
    assert without_words_in_any_reply(words, replies) == {0: {"power"}, 1: {"full"}, 2: {"key"}}
