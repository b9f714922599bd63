"""What the names of tools say of what they do."""

import pytest

from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look


@pytest.mark.parametrize(
    ("name", "looks"),
    [
        ("calendar", True), ("kalender", True), ("entry", True), ("tasks", True), ("get_hint", True),
        ("ask_user", False), ("end_call", False), ("check_answer", False), ("guess", False), ("book_room", False),
    ],
)  # fmt: skip
def test_a_tool_may_only_look_where_its_name_has_no_word_for_a_change_or_a_try(name, looks):
    assert may_only_look({"function": {"name": name}}) is looks
