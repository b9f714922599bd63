"""The checks of the contract, each on a class that is wrong in one way, and on sound ones."""

import random
import threading
from typing import Any

import pytest

from grpo_env_sdk import ModelUser, SingleTurnEnv, ToolEnv, reward, tool
from grpo_env_sdk.checking.check import selected
from grpo_env_sdk.checking.contract.config import every_choice_of_config_builds
from grpo_env_sdk.checking.contract.dataset import (
    a_prompt_has_one_answer,
    role_fault,
    rows_differ,
    scorers_ask_for_what_there_is,
    splits_are_disjoint,
    templates_take_the_roles,
)
from grpo_env_sdk.checking.contract.preconditions import (
    it_can_be_created,
    it_has_rows,
    scorers_find_their_columns,
    tools_are_well_formed,
)
from grpo_env_sdk.checking.contract.processes import building_twice_gives_the_same, it_can_be_pickled
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.runner.worker import found_by
from tests import environments
from tests.checking.trying import found, subject_of


class Sums:
    def build_dataset(self, tokenizer: Any) -> Any:
        return [{"prompt": f"What is {i} and 1?", "answer": str(i + 1)} for i in range(20)]

    def score_episode(self, model: Any, tokenizer: Any, completion: str, answer: str) -> float:
        return float(completion == answer)


class NoRows(Sums):
    def build_dataset(self, tokenizer):
        return []


class WrongColumn(Sums):
    def score_episode(self, model, tokenizer, completion, anwser):
        return 1.0


class BadSchema(Sums):
    def get_tools(self):
        return [{"type": "function", "function": {"name": "look up", "parameters": {"type": "object"}}}]


class NoConstructor(Sums):
    def __init__(self):
        raise KeyError("DATA_DIR")


class ContradictsItself(Sums):
    reward_range = (1, 0)


class Drawn(Sums):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {random.randint(0, 9999)}", "answer": "1"} for _ in range(5)]


class Shuffled(Sums):
    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        random.Random(0).shuffle(rows)
        return rows


class Twice(Sums):
    def build_dataset(self, tokenizer):
        return [*super().build_dataset(tokenizer), *super().build_dataset(tokenizer)[:1]]


class Ambiguous(Sums):
    def build_dataset(self, tokenizer):
        return [*super().build_dataset(tokenizer), {"prompt": "What is 3 and 1?", "answer": "5"}]


class Roles(Sums):
    def build_dataset(self, tokenizer):
        said = [{"role": "user", "content": "Hello"}, {"role": "user", "content": "Hello?"}]
        return [{"prompt": said, "answer": str(i)} for i in range(3)]


class Leaks(Sums):
    def build_dataset(self, tokenizer, split="train"):
        return [{"prompt": f"Say {i}", "answer": str(i)} for i in range(20 if split == "train" else 2)]


class OwnSplits(Sums):
    def build_dataset(self, tokenizer, split="train"):
        return [{"prompt": f"Say {split} {i}", "answer": str(i)} for i in range(5)]


class Misspelt(Sums):
    def score_episode(self, model, tokenizer, completion, answers=None):
        return 0.0


class Locked(Sums):
    def __init__(self):
        self.lock = threading.Lock()


class Hard(Sums):
    def __init__(self, difficulty: str = "easy", hints: bool = True) -> None:
        self.hints = hints

    def build_dataset(self, tokenizer):
        return super().build_dataset(tokenizer) if self.hints else []


class OneOf(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": "Write a haiku.", "topic": f"topic {i}"} for i in range(4)]

    @reward
    def short(self, completion, topic):
        return len(completion) < 100


def messages(items: Any) -> list[str]:
    return [item.message for item in items if isinstance(item, Finding)]


@pytest.mark.parametrize(
    ("check", "cls", "told"),
    [
        (it_can_be_created, NoConstructor, "raised KeyError: 'DATA_DIR'"),
        (it_can_be_created, ContradictsItself, "reward_range is (1, 0)"),
        (it_has_rows, NoRows, "returned no rows"),
        (scorers_find_their_columns, WrongColumn, "asks for 'anwser', which is not a column"),
        (tools_are_well_formed, BadSchema, "look up"),
        (every_choice_of_config_builds, Hard, "With config hints=False"),
        (rows_differ, Twice, "1 of 21 rows repeat another row, such as 20 and 0."),
        (
            a_prompt_has_one_answer,
            Ambiguous,
            "Rows 3 and 20 have the same prompt and different answers in column 'answer'",
        ),
        (templates_take_the_roles, Roles, "3 of 3 prompts: two user messages follow each other."),
        (splits_are_disjoint, Leaks, "2 of 2 rows of `test` are also in `train`, such as row 20, equal to row 0"),
        (scorers_ask_for_what_there_is, Misspelt, "parameter 'answers' is always None"),
        (building_twice_gives_the_same, Drawn, "gives different rows, first at row 0"),
        (it_can_be_pickled, Locked, "cannot be pickled: TypeError"),
    ],
)
def test_a_mistake_is_found_by_its_check(check, cls, told):
    items = found(check, cls)
    assert told in messages(items)[0]
    assert all(item.check == check.id and item.hint for item in items if isinstance(item, Finding))


class Asks(ToolEnv):
    user = ModelUser(prompt="You want {wish}.")

    def build_dataset(self, tokenizer):
        return [{"prompt": "Ask what the customer wants.", "wish": wish} for wish in ("tea", "milk")]

    def setup(self, row):
        self.brought = ""

    @tool
    def serve(self, drink: str) -> str:
        """Bring a drink."""
        self.brought = drink
        return "Here it is."

    @reward
    def served(self, wish):
        return self.brought == wish


def test_what_stands_in_for_a_model_can_be_pickled_too():
    assert found(it_can_be_pickled, Asks) == []


def test_a_missing_column_is_answered_with_the_nearest():
    assert found(scorers_find_their_columns, WrongColumn)[0].hint == "Did you mean 'answer'?"


def test_a_broken_gate_is_told_once():
    subject = subject_of(NoConstructor)
    told = [
        messages(found_by(check, subject)) for check in (it_can_be_created, it_has_rows, scorers_find_their_columns)
    ]
    assert list(map(len, told)) == [1, 0, 0]


@pytest.mark.parametrize("cls", [Sums, Shuffled, OwnSplits, OneOf, *environments.ALL])
def test_sound_environments_have_no_finding(cls):
    subject = subject_of(cls)
    for check in selected(["contract"], ["C121", "C130"]):
        told = [item for item in found_by(check, subject) if isinstance(item, Finding) and item.severity != "info"]
        assert not told


def test_the_global_random_state_is_as_it_was():
    random.seed(5)
    before = random.getstate()
    found(building_twice_gives_the_same, Sums)
    assert random.getstate() == before


@pytest.mark.parametrize(
    ("roles", "fault"),
    [
        ("user", ""),
        ("system user", ""),
        ("developer user assistant user", ""),
        ("user assistant tool tool", ""),
        ("user system", "a system message comes after the first message"),
        ("system", "there is only a system message"),
        ("assistant user", "the first turn is from the assistant"),
        ("user user", "two user messages follow each other"),
        ("user assistant", "the last message is from the assistant"),
    ],
)
def test_the_order_of_roles_is_judged_as_templates_do(roles, fault):
    assert role_fault([{"role": role, "content": "x"} for role in roles.split()]) == fault
