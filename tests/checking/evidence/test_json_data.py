"""Replies and answers in JSON, whatever a tool or a model writes."""

import pytest

from grpo_env_sdk.checking.evidence.prompts.asked_templates import SLOT, filled
from grpo_env_sdk.checking.evidence.prompts.json_data import leaves, read_json, written_path
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import things_in
from grpo_env_sdk.checking.teaching.amounts.given_back import _numbers
from grpo_env_sdk.checking.teaching.telling.places_of_rules import _parts
from grpo_env_sdk.checking.teaching.telling.told_beside_questions import _records
from grpo_env_sdk.checking.teaching.wrong_answers.text_misses import first_for_all, first_of_several
from grpo_env_sdk.checking.tools.shortcuts import _last_value

DEEP = ["[" * 100_000, "[" * 900 + "]" * 900, '{"a":' * 900 + "7" + "}" * 900]


@pytest.mark.parametrize("text", [*DEEP, "", "seven", None, [{"type": "image"}]])
def test_what_is_no_json_or_too_deep_is_something_else(text):
    assert read_json(text, "other") == "other"


@pytest.mark.parametrize("text", DEEP)
@pytest.mark.parametrize("read", [
    things_in, _numbers, _parts, _last_value, first_of_several, first_for_all,
    lambda text: list(_records(text)), lambda text: filled(f"{{a{SLOT}}}", text),
])  # fmt: skip
def test_a_reply_that_is_nested_very_deeply_stops_nothing(read, text):
    read(text)


def test_the_leaves_of_data_have_their_paths_in_order():
    data = {"orders": [{"id": 7, "tags": ["a", "b", "c"]}, {}], "note": None}
    found = {written_path(path): value for path, value in leaves(data, 2)}
    assert list(found.items()) == [
        (".orders[0].id", 7), (".orders[0].tags[0]", "a"), (".orders[0].tags[1]", "b"), (".note", None),
    ]  # fmt: skip
