"""Calls that are left out, repeated or not read are reported with the answer that shows it."""

from typing import Any

import pytest

from grpo_env_sdk import SingleTurnEnv, call_message, reward, tool
from grpo_env_sdk.checking.episode.leaked_state import an_episode_does_its_own_work
from grpo_env_sdk.checking.evidence.attempts.omissions import ALL_TOOLS, without_calls
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.findings.finding import Finding, Table
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.checking.teaching.acts.needed_work import the_work_is_needed
from grpo_env_sdk.checking.teaching.acts.redundant_calls import redundant_calls_cost_something, with_redundant_calls
from grpo_env_sdk.checking.teaching.lazy_answers.answer_dependence import a_reward_depends_on_the_answer
from grpo_env_sdk.checking.teaching.lazy_answers.parts import every_part_can_be_earned_and_lost
from grpo_env_sdk.checking.teaching.reaching import gold_reaches_the_top
from grpo_env_sdk.rewards.adaptive import AdaptiveWeight
from grpo_env_sdk.rewards.reward import Reward
from tests.checking.environments.tools_envs import STOCK, Shop
from tests.checking.trying import subject_of

CHECKS = [
    an_episode_does_its_own_work, the_work_is_needed, redundant_calls_cost_something, a_reward_depends_on_the_answer,
    every_part_can_be_earned_and_lost, gold_reaches_the_top,
]  # fmt: skip


class Careful(Shop):
    """Sound: the stock is looked at before anything is ordered, and calls are counted."""

    def setup(self, row):
        super().setup(row)
        self.looked = set()

    @tool
    def stock(self, fruit: str) -> Any:
        """How many there are.

        Args:
            fruit: Which fruit.
        """
        self.looked.add(fruit)
        return STOCK.get(fruit, 0)

    @reward
    def right(self, fruit, n):
        return fruit in self.looked and self.ordered == {fruit: n - STOCK[fruit]}

    @reward
    def few_calls(self, fruit, n, tool_calls):
        return min(1.0, 2 / len(tool_calls)) if self.right(fruit, n) else 0.0


class LookedBefore(Careful):
    """What was looked at is never forgotten."""

    def __init__(self):
        self.seen = set()

    def setup(self, row):
        super().setup(row)
        self.looked = self.seen


class LookedByAnybody(Careful):
    """What was looked at is kept by the class."""

    seen = set()  # noqa: RUF012 - the mistake

    def setup(self, row):
        super().setup(row)
        self.looked = self.seen


class SaysSo(Shop):
    """What is said at the end is all that counts."""

    @reward
    def right(self, messages, fruit, n):
        return messages[-1]["content"] == f"Ordered {n - STOCK[fruit]}."

    def solve(self, row):
        count = row["n"] - STOCK[row["fruit"]]
        yield call_message("stock", fruit=row["fruit"])
        yield call_message("order", fruit=row["fruit"], count=count)
        yield f"Ordered {count}."


class NothingForNone(SaysSo):
    """Where there is none, nobody has to look."""

    @reward
    def right(self, messages, fruit, n):
        said = messages[-1]["content"]
        return said == "None." if fruit == "plums" else self.ordered == {fruit: n} and said == f"Ordered {n}."

    def solve(self, row):
        yield call_message("stock", fruit=row["fruit"])
        if row["fruit"] == "plums":
            yield "None."
        else:
            yield call_message("order", fruit=row["fruit"], count=row["n"])
            yield f"Ordered {row['n']}."


class NobodyCounts(Careful):
    """A reward for few calls that counts none."""

    @reward
    def few_calls(self, fruit, n, tool_calls):
        return min(1.0, len(tool_calls) / 2) if self.right(fruit, n) else 0.0


class Capitals(SingleTurnEnv):
    """Sound: the capital, and a form that it must have."""

    def build_dataset(self, tokenizer):
        capitals = {"Spain": "Madrid", "Norway": "Oslo", "Peru": "Lima", "Kenya": "Nairobi", "Cuba": "Havana",
                    "Egypt": "Cairo", "Iran": "Tehran", "Japan": "Tokyo", "Italy": "Rome"}  # fmt: skip
        return [
            {"prompt": f"{how} capital of {land}?", "answer": f"<a>{city}</a>"}
            for land, city in capitals.items()
            for how in ("The", "What is the")
        ]

    @reward
    def right(self, completion, answer):
        return completion.strip() == answer

    @reward
    def tags(self, completion):
        return completion.startswith("<a>") and completion.endswith("</a>")

    def solve(self, row):
        return row["answer"]


class ReadsItself(Capitals):
    """The tags are looked for in what is right."""

    @reward
    def tags(self, completion, answer):
        return len(completion) > 3 and answer.startswith("<a>")


class MovingWeight(ReadsItself):
    """The same, with a weight that moves."""

    tags = None
    rewards = (AdaptiveWeight(Reward(lambda completion, answer: len(completion) > 3, "tags")),)


class FromAHalf(Capitals):
    """Half of a reward is there for anything."""

    @reward
    def tags(self, completion):
        return 0.5 + 0.5 * completion.startswith("<a>")


class WithoutEnd(Capitals):
    """A reward that may be as low as it likes has no half."""

    @reward(range=(float("-inf"), 1))
    def tags(self, completion):
        return float(completion.startswith("<a>"))


class NeverWhole:
    """A fifth that nothing earns."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{n} + 1?", "answer": str(n + 1)} for n in range(20)]

    def score_episode(self, model, tokenizer, completion, answer):
        return 0.8 * (completion == answer)

    def solve(self, row):
        return row["answer"]


class NeverWholeAsDeclared(NeverWhole):
    """What each row allows is said."""

    allowed = 0.8

    def build_dataset(self, tokenizer):
        return [row | {"best_possible": self.allowed} for row in super().build_dataset(tokenizer)]


class LessThanDeclared(NeverWholeAsDeclared):
    allowed = 0.9


@pytest.mark.parametrize(("check", "cls", "severity", "told"), [
    (an_episode_does_its_own_work, LookedBefore, "error", "stock: after gold and a reset, step 2 differs from"),
    (the_work_is_needed, SaysSo, "warning", "Gold without its calls of order scores as much as gold on all"),
    (the_work_is_needed, SaysSo, "info", "gold's last message alone scores as much as gold: no call is needed"),
    (the_work_is_needed, NothingForNone, "warning", "'None.' alone scores as much as gold, which makes calls before"),
    (redundant_calls_cost_something, NobodyCounts, "warning", "The reward 'few_calls' is 1 for gold, and also"),
    (a_reward_depends_on_the_answer, ReadsItself, "warning", "The reward 'tags' takes 'answer', but gold answers of"),
    (a_reward_depends_on_the_answer, MovingWeight, "warning", "The reward 'tags' takes 'answer', but gold answers of"),
    (every_part_can_be_earned_and_lost, FromAHalf, "warning", "'tags' was never below 0.5 in"),
    (gold_reaches_the_top, NeverWhole, "warning", "scores at most 0.8, but the top of reward_range is 1."),
    (gold_reaches_the_top, NeverWholeAsDeclared, "info", "scores at most 0.8, but the top of reward_range is 1."),
    (gold_reaches_the_top, LessThanDeclared, "warning", "scores at most 0.8, but the top of reward_range is 1."),
])  # fmt: skip
def test_a_mistake_is_found(check, cls, severity, told):
    assert [told in item.message for item in findings(check, cls) if item.severity == severity] == [True]


def test_a_range_without_a_lower_end_has_no_floor():
    assert findings(every_part_can_be_earned_and_lost, WithoutEnd) == []


def test_what_a_class_remembers_shows_in_a_process_of_its_own():
    (finding,) = findings(an_episode_does_its_own_work, LookedByAnybody)
    assert "without its calls of stock scores 1 in a process that played gold before, and 0 in a new one" in (
        finding.message
    )
    assert (finding.output, finding.expected) == (1.0, 0.0)


@pytest.mark.parametrize("cls", [Careful, Shop, Capitals])
def test_sound_work_is_let_be(cls):
    subject = subject_of(cls, "quick")
    found = [item for check in CHECKS for item in found_by(check, subject) if isinstance(item, Finding)]
    assert [item.message for item in found if item.severity != "info"] == []


def test_what_gold_is_worth_without_each_tool_is_a_table():
    (table,) = [item for item in found_by(the_work_is_needed, subject_of(Careful, "quick")) if isinstance(item, Table)]
    assert {row[0]: row[1] for row in table.rows} == {
        "all tools": "0 of 20 rows", "stock": "0 of 20 rows", "order": "0 of 20 rows",
    }  # fmt: skip


def test_leaving_out_a_tool_leaves_the_rest_of_its_message():
    both = {"role": "assistant", "content": "", "tool_calls": [*calls("look"), *calls("buy")]}
    turns = [both, call_message("look"), {"role": "assistant", "content": "Done."}]
    left = without_calls(turns, "look")
    assert [[call["function"]["name"] for call in turn.get("tool_calls", [])] for turn in left] == [["buy"], []]
    assert without_calls(turns, ALL_TOOLS) == [{"role": "assistant", "content": "Done."}]
    assert len(both["tool_calls"]) == 2


def test_needless_calls_repeat_the_first_in_its_own_message():
    first, last = with_redundant_calls([call_message("look", place=3), {"role": "assistant", "content": "Done."}])
    assert {call["function"]["arguments"]["place"] for call in first["tool_calls"]} == {3}
    assert len(first["tool_calls"]) == 7
    assert "tool_calls" not in last


@pytest.mark.parametrize(("content", "arguments", "left"), [
    ('{"booked": "H1", "nights": 3}', {"hotel": "H1", "nights": 3}, '{"booked": "…", "nights": …}'),
    ("13 of 3", {"n": 3}, "13 of …"),
    ("Thank you", {"name": ""}, "Thank you"),
    ("Thank you", "no JSON", "Thank you"),
])  # fmt: skip
def test_what_a_tool_repeats_is_taken_out(content, arguments, left):
    assert without_echo(content, arguments) == left


def calls(name):
    return call_message(name)["tool_calls"]


def findings(check, cls):
    return [item for item in found_by(check, subject_of(cls, "quick")) if isinstance(item, Finding)]
