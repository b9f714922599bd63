import random
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from grpo_env_sdk.policies.random_arguments import draw
from grpo_env_sdk.tools.function_schema import function_schema
from grpo_env_sdk.tools.validation import validator_of

WORDS = ["Book", "a", "room", "in", "Lyon", "for", "2", "nights", "2026-11-03", "17"]


def drawn(schema: Any, seed: int = 0, words: list[str] = WORDS) -> Any:
    return draw(schema, random.Random(seed), words)


def is_valid(schema: Any, value: Any) -> bool:
    return validator_of(schema).is_valid(value)


# Schemas that something fits.

sizes = st.integers(0, 3)
bounds = st.one_of(st.integers(-50, 50), st.floats(-50, 50).map(lambda number: round(number, 3)))


@st.composite
def ranges(draw_one, kind: str):
    low, high = sorted([draw_one(bounds), draw_one(bounds)])
    schema = {"type": kind}
    if draw_one(st.booleans()):
        schema[draw_one(st.sampled_from(["minimum", "exclusiveMinimum"]))] = low
    if draw_one(st.booleans()):
        schema[draw_one(st.sampled_from(["maximum", "exclusiveMaximum"]))] = high + (2 if kind == "integer" else 0.001)
    if kind == "integer" and draw_one(st.booleans()):
        schema["multipleOf"] = draw_one(st.sampled_from([1, 2]))
        if "maximum" in schema or "exclusiveMaximum" in schema:
            key = "maximum" if "maximum" in schema else "exclusiveMaximum"
            schema[key] += 3
    return schema


@st.composite
def texts(draw_one):
    schema = {"type": "string"}
    low, more = draw_one(sizes), draw_one(sizes)
    schema |= draw_one(st.sampled_from([{}, {"minLength": low}, {"minLength": low, "maxLength": low + more}]))
    return schema


scalars = st.one_of(
    ranges("integer"),
    ranges("number"),
    texts(),
    st.sampled_from([
        {"type": "boolean"}, {"type": "null"}, {}, True, {"type": ["string", "integer"]}, {"const": {"a": [1]}},
        {"enum": ["red", 2, None]}, {"type": "string", "enum": ["red", "blue"]}, {"type": "integer", "nullable": True},
        {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, {"minimum": 3}, {"items": {"type": "null"}},
    ]),
)  # fmt: skip


@st.composite
def arrays(draw_one, inner):
    schema = {"type": "array", "items": draw_one(inner)}
    if draw_one(st.booleans()):
        schema |= {"minItems": draw_one(sizes)}
        schema |= {"maxItems": schema["minItems"] + draw_one(sizes)}
    if draw_one(st.booleans()):
        schema |= {"items": {"type": "integer"}, "uniqueItems": True}
    return schema


@st.composite
def tuples(draw_one, inner):
    first = draw_one(st.lists(inner, min_size=1, max_size=3))
    more = draw_one(st.sampled_from([{}, {"items": False}, {"items": {"type": "null"}}, {"minItems": len(first)}]))
    return {"type": "array", "prefixItems": first, **more}


@st.composite
def objects(draw_one, inner):
    properties = draw_one(st.dictionaries(st.sampled_from(["city", "nights", "when"]), inner, max_size=3))
    required = draw_one(st.lists(st.sampled_from(sorted(properties)), unique=True)) if properties else []
    schema = {"type": "object", "properties": properties, "required": required}
    return schema | draw_one(st.sampled_from([{}, {"additionalProperties": False}, {"maxProperties": 3}]))


@st.composite
def mappings(draw_one, inner):
    schema = {"type": "object", "additionalProperties": draw_one(inner)}
    if draw_one(st.booleans()):
        schema |= {"minProperties": draw_one(sizes)}
        schema |= {"maxProperties": schema["minProperties"] + draw_one(sizes)}
    return schema


def containers(inner):
    return st.one_of(
        arrays(inner),
        tuples(inner),
        objects(inner),
        mappings(inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda options: {"anyOf": options}),
        inner.map(lambda option: {"oneOf": [option]}),
        inner.map(lambda part: {"allOf": [part, {"description": "x"}]}),
        inner.map(lambda part: {"anyOf": [part, {"type": "null"}]}),
    )


schemas = st.recursive(scalars, containers, max_leaves=8)


@st.composite
def parameters(draw_one):
    """The parameters of a tool: an object, perhaps with definitions that it refers to."""
    schema = draw_one(objects(schemas))
    if draw_one(st.booleans()):
        schema["$defs"] = {"Room/1": draw_one(scalars)}
        schema["properties"] |= {"room": {"$ref": "#/$defs/Room~11"}, "rooms": {"items": {"$ref": "#/$defs/Room~11"}}}
        schema.pop("maxProperties", None)
    return schema


@settings(max_examples=300, deadline=None)
@given(parameters(), st.integers())
@example({"type": "object", "properties": {"n": {"exclusiveMinimum": 0, "exclusiveMaximum": 1}}, "required": ["n"]}, 0)
@example({"type": "object", "properties": {"n": {"type": "number", "minimum": 0.001, "maximum": 0.002}}}, 0)
@example({"type": "object", "properties": {"n": {"type": "integer", "minimum": 5.5}}, "required": ["n"]}, 0)
def test_what_is_drawn_fits_the_schema_and_is_equal_for_an_equal_seed(schema, seed):
    jsonschema.Draft202012Validator.check_schema(schema)
    value = drawn(schema, seed)
    assert is_valid(schema, value), value
    assert drawn(schema, seed) == value


TREE = {
    "type": "object",
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "left": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
                "right": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
                "middle": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/Node"}]},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
            "required": ["name", "left", "right", "middle", "children"],
        }
    },
    "properties": {"root": {"$ref": "#/$defs/Node"}},
    "required": ["root"],
}


@pytest.mark.parametrize("seed", range(20))
def test_a_schema_that_contains_itself_comes_to_an_end(seed):
    value = drawn(TREE, seed)
    assert is_valid(TREE, value)
    assert len(str(value)) < 1_000_000


def test_a_schema_that_refers_to_its_root_comes_to_an_end():
    schema = {"type": "object", "properties": {"name": {"type": "string"}, "inner": {"$ref": "#"}}}
    assert all(is_valid(schema, drawn(schema, seed)) for seed in range(20))


@pytest.mark.parametrize("schema", [
    {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
     "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"],
     "oneOf": [{"properties": {"kind": {"const": "cat"}}}, {"properties": {"kind": {"const": "dog"}}}]},
    {"allOf": [{"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]},
               {"properties": {"b": {"type": "boolean"}}, "required": ["b"]}]},
    {"type": "object", "properties": {"n": {"oneOf": [{"type": "integer"}, {"type": "number"}]}}, "required": ["n"]},
    {"type": "object", "properties": {"n": {"type": "integer", "not": {"const": 3}}}, "required": ["n"]},
    {"type": "object", "properties": {"pair": {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True,
                                               "minItems": 2}}, "required": ["pair"]},
    {"type": "object", "definitions": {"N": {"const": 1}}, "properties": {"n": {"$ref": "#/definitions/N"}},
     "required": ["n"]},
])  # fmt: skip
def test_what_stands_beside_an_alternative_holds_too(schema):
    assert all(is_valid(schema, drawn(schema, seed)) for seed in range(30))


def test_texts_and_numbers_are_those_that_were_told():
    texts = {drawn({"type": "string"}, seed) for seed in range(200)}
    assert texts == set(WORDS)
    numbers = [drawn({"type": "integer"}, seed) for seed in range(200)]
    assert 17 in numbers
    dates = {drawn({"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"}, seed) for seed in range(20)}
    assert dates == {"2026-11-03"}


def test_a_schema_that_nothing_fits_gives_something_and_comes_to_an_end():
    assert isinstance(drawn({"type": "string", "pattern": "^[A-Z]{40}$"}), str)
    assert drawn({"type": "object", "properties": {"x": False}, "required": ["x"]}).keys() == {"x"}
    endless = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    assert "next" in drawn(endless)


class Guest(BaseModel):
    name: str = Field(min_length=2, max_length=5)
    age: int = Field(ge=18, lt=100)
    loyal: bool | None = None


def book(
    city: str,
    nights: Annotated[int, Field(gt=0, le=14)],
    stars: Literal[1, 2, 3, 4, 5],
    guests: list[Guest],
    prices: dict[str, float],
    window: tuple[int, str] = (1, "x"),
    tags: set[str] | None = None,
    ratio: Annotated[float, Field(gt=0, lt=1)] = 0.5,
) -> str:
    """Book a room.

    Args:
        city: Where.
        nights: How long.
        stars: How good.
        guests: Who.
        prices: What each costs.
        window: Which.
        tags: What else.
        ratio: How much of it.
    """
    return ""


def test_what_python_functions_take_is_drawn():
    schema = function_schema(book)["function"]["parameters"]
    values = [drawn(schema, seed) for seed in range(50)]
    assert all(is_valid(schema, value) for value in values)
    assert any("ratio" in value for value in values)
    assert any(value["guests"] for value in values)
