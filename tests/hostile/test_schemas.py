"""Schemas and arguments that would take years to check: an error for the model, within about a second."""

import pytest

from grpo_env_sdk import Toolbox
from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.types import ToolCall

LETTERS = "a" * 60 + "!"


def toolbox(parameters):
    function = {"name": "look", "description": "Look.", "parameters": {"type": "object", **parameters}}
    return Toolbox.from_schemas([{"type": "function", "function": function}], call=lambda name, arguments: "seen")


def exploding(depth):
    """A schema in which each level refers twice to the next one."""
    steps = {f"l{n}": {"anyOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 2} for n in range(depth)}
    return {"properties": {"x": {"$ref": "#/$defs/l0"}}, "$defs": {**steps, f"l{depth}": {"type": "integer"}}}


HOSTILE = {
    "pattern": ({"properties": {"x": {"pattern": "^(a|a)*$"}}}, {"x": LETTERS}),
    "patterns": ({"properties": {"x": {"items": {"pattern": "^(a|a)*$"}}}}, {"x": [LETTERS] * 10_000}),
    "references": (exploding(40), {"x": "no number"}),
    "unique": ({"properties": {"x": {"uniqueItems": True}}}, {"x": [{"n": n} for n in range(50_000)] + [{"n": 1.0}]}),
    "dialect": (  # jsonschema would check by the class of that dialect
        {"properties": {"x": {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^(a|a)*$"}}},
        {"x": LETTERS},
    ),
    "names": ({"patternProperties": {"^(a|a)*$": {"type": "integer"}}}, {LETTERS: 1}),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_check_that_would_take_years_is_an_error_of_the_call(kind):
    parameters, arguments = HOSTILE[kind]
    outcome = toolbox(parameters).run(ToolCall("1", "look", arguments))
    assert outcome.error == "invalid_arguments"


def test_names_whose_pattern_repeats_what_repeats_are_refused_at_once():
    with pytest.raises(ToolSchemaError, match=r"patternProperties.*repeats what repeats"):
        toolbox({"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False})


@pytest.mark.parametrize(("items", "unique"), [
    ([1, 1.0], False), ([1, True], True), ([{"a": 1}, {"a": 1.0}], False), ([[1], ["1"]], True), (["a", "a"], False),
    ([0, False, "", None], True),
])  # fmt: skip
def test_items_are_unique_as_json_schema_says(items, unique):
    outcome = toolbox({"properties": {"x": {"uniqueItems": True}}}).run(ToolCall("1", "look", {"x": items}))
    assert (outcome.error is None) is unique
