"""Schemas that authors write by hand, with parameters that may be null and that no column is called like."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward
from grpo_env_sdk.checking.evidence.tool_use.calls import call_of_columns
from grpo_env_sdk.checking.tools.answering import valid_calls_are_answered
from tests.checking.trying import found, subject_of


class Notes(ToolEnv):
    """Save a name, with a note or without."""

    max_turns = 3
    note: dict = {"type": "null"}  # noqa: RUF012

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Save item{n}.", "name": f"item{n}"} for n in range(12)]

    def setup(self, row):
        self.saved = []

    def get_tools(self):
        properties = {"name": {"type": "string"}, "note": self.note}
        parameters = {"type": "object", "required": ["name", "note"], "properties": properties}
        return [{"type": "function", "function": {"name": "save", "description": "Save.", "parameters": parameters}}]

    def call_tool(self, name, arguments):
        self.saved.append(arguments["name"])
        return "Saved."

    @reward
    def right(self, name):
        return self.saved == [name]

    def solve(self, row):
        yield call_message("save", name=row["name"], note=None)
        yield "Done."


class AnyOf(Notes):
    note = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}  # noqa: RUF012


class TwoTypes(Notes):
    note = {"type": ["string", "null"]}  # noqa: RUF012


def test_a_call_takes_from_columns_only_what_they_have():
    subject = subject_of(Notes)
    call = call_of_columns(subject, subject.tools[0], 3)
    assert call["tool_calls"][0]["function"]["arguments"] == {"name": "item3", "note": None}


@pytest.mark.parametrize("cls", [Notes, AnyOf, TwoTypes])
def test_tools_with_nullable_parameters_are_tried(cls):
    assert found(valid_calls_are_answered, cls) == []
