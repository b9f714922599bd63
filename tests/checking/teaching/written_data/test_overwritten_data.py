"""Files that a task is about, which may be written over and decide the score."""

import json

import pytest

from grpo_env_sdk import reward, tool
from grpo_env_sdk.checking.teaching.written_data.overwritten_data import data_of_a_task_stay_as_they_are as data_stay
from tests.checking.trying import found
from tests.gallery.broken.rules_overwritten import Parts, best_pair


class ByTheRow(Parts):
    @reward
    def bought(self, files):
        own = json.loads(files)
        wanted = best_pair(json.loads(own["prices.json"]), int(own["budget.txt"]))
        return sorted(self.files.get("order.txt", "").split()) == wanted


class ReadOnly(Parts):
    @tool
    def write_file(self, path: str, content: str) -> str:
        """Write a file.

        Args:
            path: Its name.
            content: What it is to hold.
        """
        if path != "order.txt":
            return f"{path} cannot be written."
        self.files[path] = content
        return f"{path} is written."


class AnyOrder(Parts):
    @reward
    def bought(self, files):
        return "order.txt" in self.files


def test_data_that_are_written_over_are_found():
    (finding,) = found(data_stay, Parts)
    assert "what read_file reads" in finding.message
    called = [turn["tool_calls"][0]["function"]["name"] for turn in finding.input[:-1]]
    assert called == ["write_file"] * 3


@pytest.mark.parametrize("env", [ByTheRow, ReadOnly, AnyOrder])
def test_nothing_is_said_where_the_row_decides_or_files_are_kept_or_any_order_wins(env):
    assert not found(data_stay, env)
