"""A tool that takes things away in place of those that do the work."""

import pytest

from grpo_env_sdk import reward
from grpo_env_sdk.checking.teaching.too_much.taken_away import taking_away_is_not_doing as taking_away
from tests.checking.trying import found
from tests.gallery.broken.chores_deleted import Chores


class Counted(Chores):
    """What was done is counted."""

    @reward
    def all_done(self, tool_calls):
        return sum("is finished" in call["content"] for call in tool_calls) == 3


class Asked(Chores):
    """Tasks may be deleted."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} Or delete it."} for row in rows]


class Forbidden(Chores):
    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} Do not delete any."} for row in rows]


class Free(Chores):
    """Nothing has to be done at all."""

    @reward
    def all_done(self):
        return True


@pytest.mark.parametrize("env", [Chores, Forbidden])
def test_deleting_each_task_is_found(env):
    (finding,) = found(taking_away, env)
    assert finding.message.startswith("delete in place of each call of finish scores as much as gold")
    assert [turn["tool_calls"][0]["function"]["name"] for turn in finding.input[:-1]] == ["list_tasks", *["delete"] * 3]


@pytest.mark.parametrize("env", [Counted, Asked, Free])
def test_nothing_is_said_where_work_counts_or_deleting_is_asked_for_or_idling_wins(env):
    assert not found(taking_away, env)
