"""Rewards for tags that refuse the tags as they are shown, what a reward for thrift saves, and what a game repeats."""

import re

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.episode.transcripts import observations_stay_small
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.acts.redundant_calls import redundant_calls_cost_something
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted
from tests.checking.trying import found


def findings(check, cls):
    return [one for one in found(check, cls) if isinstance(one, Finding)]


class Tagged(SingleTurnEnv):
    """A fifth of the score is for the tags."""

    flags = re.RegexFlag(0)

    def build_dataset(self, tokenizer):
        asked = "What is {} plus {}? Answer so:\n<work>\n...\n</work>\n<answer>\n...\n</answer>"
        return [{"prompt": asked.format(n, 2 * n), "sum": 3 * n} for n in range(3, 20)]

    @reward(weight=4)
    def right(self, completion, sum):
        said = re.search(r"<answer>\s*(\d+)\s*</answer>", answer_text(completion))
        return said is not None and int(said[1]) == sum

    @reward
    def tags(self, completion):
        return re.match(r"<work>.*</work>\s*<answer>.*</answer>$", answer_text(completion), self.flags) is not None

    def solve(self, row):
        return f"<work>They are added.</work>\n<answer>{row['sum']}</answer>"


class TaggedAcrossLines(Tagged):
    flags = re.DOTALL


def test_a_reward_that_refuses_the_tags_as_they_are_shown_is_found_though_it_weighs_little():
    (finding,) = findings(forms_that_a_prompt_allows_are_accepted, Tagged)
    assert "between tags on lines of their own" in finding.message
    assert findings(forms_that_a_prompt_allows_are_accepted, TaggedAcrossLines) == []


class Painter(ToolEnv):
    """Buy as much paint as a wall needs."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Buy {n} litres of paint, and no more.", "litres": n} for n in range(2, 14)]

    def setup(self, row):
        self.bought = 0

    @tool
    def price(self, litres: int) -> int:
        """What so much paint costs."""
        return 7 * litres

    @tool
    def buy(self, litres: int) -> str:
        """Buy paint."""
        self.bought += litres
        return "Bought."

    @reward
    def right(self, litres):
        return self.bought == litres

    @reward
    def no_waste(self, litres):
        return self.bought <= litres

    def solve(self, row):
        yield call_message("price", litres=row["litres"])
        yield call_message("buy", litres=row["litres"])
        yield "It is bought."


class CountedPainter(Painter):
    @reward
    def no_waste(self, tool_calls):
        return len(tool_calls) <= 20


class FewBuys(Painter):
    """Sound: what is named after one tool need not count the calls of another."""

    @reward
    def needless_buys(self, litres):
        return self.bought <= litres


def test_a_reward_that_saves_things_need_not_count_calls():
    assert findings(redundant_calls_cost_something, Painter) == []
    assert findings(redundant_calls_cost_something, FewBuys) == []
    (finding,) = findings(redundant_calls_cost_something, CountedPainter)
    assert "redundant calls" in finding.message


class Echo(MultiTurnEnv):
    max_turns = 3
    answer = "I cannot read {}."

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {word}."} for word in ("yes", "no", "go", "stop", "left", "right")]

    def step(self, action):
        said = str(action["content"])
        if said.strip() + "." == self.row["prompt"].removeprefix("Say "):
            return "Right.", 1.0, True, False, {}
        return self.answer.format(said.upper()), 0.0, False, False, {}

    def solve(self, row):
        return row["prompt"].removeprefix("Say ").rstrip(".")


class LongEcho(Echo):
    answer = "{} " + "x" * 60_000


@pytest.mark.parametrize(("cls", "count"), [(Echo, 0), (LongEcho, 1)])
def test_what_repeats_a_long_message_of_the_model_is_not_long_itself(cls, count):
    assert len(findings(observations_stay_small, cls)) == count
