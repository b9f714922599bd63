"""Calls of gold with the number beside the one that prompt and schema say."""

import json

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.forms.counting_from import positions_are_counted_as_told as counted
from tests.checking.trying import found

DISHES = ("soup", "trout", "salad", "quiche", "stew", "curry", "pasta", "tart", "roast", "risotto", "omelette", "pie")


class Menu(ToolEnv):
    """Courses are counted from 1 in the description, and from 0 in the tool."""

    max_turns = 3
    ask = "What is course {} of the dinner? Answer with the dish."
    below = 1

    def build_dataset(self, tokenizer):
        return [{"prompt": self.ask.format(n + 1), "n": n, "dish": dish} for n, dish in enumerate(DISHES)]

    @tool
    def get_courses(self, begin: int, end: int) -> list[str]:
        """List the courses from one to another. Courses are numbered from 1, and both are included.

        Args:
            begin: The first course, from 1.
            end: The last course, included.
        """
        return self.courses(begin, end)

    def courses(self, begin, end):
        return DISHES[begin:end]

    @reward
    def right(self, completion, dish):
        return answer_text(completion) == dish

    def solve(self, row):
        replies = yield call_message("get_courses", begin=row["n"] + 1 - self.below, end=row["n"] + 1)
        yield json.loads(replies[-1]["content"])[-1]


class EndLeftOut(Menu):
    """The last one is said to be included, and is not."""

    below = 0

    def courses(self, begin, end):
        return DISHES[begin - 1 : end - 1]

    def solve(self, row):
        replies = yield call_message("get_courses", begin=row["n"] + 1, end=row["n"] + 2)
        yield json.loads(replies[-1]["content"])[-1]


class AsTold(Menu):
    below = 0

    def courses(self, begin, end):
        return DISHES[begin - 1 : end]


class OneBefore(AsTold):
    """The course before the one that is named is asked for."""

    ask = "What is served before course {} of the dinner? Answer with the dish."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.ask.format(n + 2), "n": n, "dish": dish} for n, dish in enumerate(DISHES)]


class TwoAtOnce(AsTold):
    """Gold reads one course more than it needs."""

    def solve(self, row):
        replies = yield call_message("get_courses", begin=max(1, row["n"]), end=row["n"] + 1)
        yield json.loads(replies[-1]["content"])[-1]


@pytest.mark.parametrize(
    ("cls", "said"), [(Menu, "one less than the prompt"), (EndLeftOut, "one more than the prompt")]
)
def test_calls_beside_the_number_that_prompt_and_schema_say_are_named(cls, said):
    (finding,) = found(counted, cls)
    assert said in finding.message
    assert "get_courses" in finding.message


@pytest.mark.parametrize("cls", [AsTold, OneBefore, TwoAtOnce])
def test_calls_that_count_as_told_are_let_be(cls):
    assert found(counted, cls) == []
