"""The quick check of arguments: what it accepts jsonschema accepts too, and it accepts what models usually send."""

import pytest

from grpo_env_sdk import Toolbox, tool
from grpo_env_sdk.tools.quick_check import quick_check
from grpo_env_sdk.tools.validation import validator_of

SCHEMAS = [
    {},
    *({"type": kind} for kind in ("string", "integer", "number", "boolean", "null", "array", "object")),
    {"type": ["string", "integer"]},
    {"type": "integer", "nullable": True, "minimum": 2},
    {"type": "number", "minimum": 0, "maximum": 3},
    {"minimum": 2},
    {"type": "string", "minLength": 2, "maxLength": 3},
    {"maxLength": 1},
    {"enum": ["a", "b", 1, None]},
    {"type": "string", "enum": ["a"], "nullable": True},
    {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
    {"items": {"enum": ["a"]}},
    {"items": False},
    {"items": True},
    {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False},
    {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}},
    {"required": ["a", "b"]},
    {"additionalProperties": False},
    {"properties": {"nullable": True, "a": {"nullable": False, "type": "integer"}}},
    {"description": "Anything.", "title": "x", "default": 1, "format": "date"},
    {"pattern": "^a"},
    {"oneOf": [{"type": "string"}, {"maxLength": 3}]},
    {"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}},
    {"not": {"type": "string"}},
    {"exclusiveMinimum": 2},
    {"uniqueItems": True},
]
VALUES = [
    None, True, False, 0, 1, 2, 3, 2.0, 2.5, -1, 10**30, "", "a", "ab", "abcd", "é",
    [], [1], [1, 2], [1, 2, 3], ["a"], [1.0], [True], [[1]],
    {}, {"a": 1}, {"a": "1"}, {"a": None}, {"a": True}, {"b": 1}, {"a": 1, "b": 2}, {"a": "x", "b": "y"},
]  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_what_it_accepts_is_valid(schema):
    whole = {"type": "object", "properties": {"x": schema}}
    accepts, validator = quick_check(whole), validator_of(whole)
    assert [value for value in VALUES if accepts({"x": value}) and not validator.is_valid({"x": value})] == []


UNDECIDED = ("pattern", "oneOf", "$ref", "not", "exclusiveMinimum", "uniqueItems")


@pytest.mark.parametrize("schema", [each for each in SCHEMAS if not set(UNDECIDED) & each.keys()], ids=str)
def test_what_it_does_not_accept_is_invalid_but_for_odd_numbers_and_constants(schema):
    accepts, validator = quick_check(schema), validator_of(schema)
    values = [value for value in VALUES if value not in (None, 1, 2.0) and value != [1.0]]
    assert [value for value in values if validator.is_valid(value) and not accepts(value)] == []


@pytest.mark.parametrize("keyword", UNDECIDED)
def test_it_leaves_other_keywords_to_jsonschema(keyword):
    (schema,) = (each for each in SCHEMAS if keyword in each)
    assert not any(map(quick_check(schema), VALUES))


def test_a_schema_that_nobody_has_checked_is_left_to_jsonschema():
    for schema in ({"type": "nothing"}, {"properties": [1]}, {"enum": 5}, {"items": 3}, {"required": 1}):
        assert not quick_check(schema)({})


def test_the_schema_of_a_usual_function_is_one_that_it_knows():
    @tool
    def search(city: str, nights: int = 1, stars: float | None = None, amenities: list[str] | None = None) -> str:
        """Find hotels.

        Args:
            city: Where.
            nights: How long.
            stars: How good.
            amenities: What it must have. (choices: ["wifi", "pool"])
        """
        return city

    (found,) = Toolbox([search]).tools.values()
    assert found.accepts({"city": "Lyon", "nights": 2, "stars": 3.5, "amenities": ["wifi"]})
    assert found.accepts({"city": "Lyon", "amenities": None})
    assert not found.accepts({"city": "Lyon", "amenities": ["bar"]})
    assert not found.accepts({"nights": 2})
