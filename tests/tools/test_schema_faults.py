"""Faults of tool schemas, and the validators that are made of good ones."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.isolation.values.json_values import plain_copy, short_repr
from grpo_env_sdk.tools.schema_faults import check_schemas, schema_faults
from grpo_env_sdk.tools.validation import explained, json_path, validator_of


def schema(parameters: Any = None, **function: Any) -> dict[str, Any]:
    """A good tool schema, but for what is given."""
    given = {"type": "object", "properties": {}} if parameters is None else parameters
    return {"type": "function", "function": {"name": "book", "parameters": given, **function}}


def properties(**given: Any) -> dict[str, Any]:
    return schema({"type": "object", "properties": given})


IN_PROPERTIES = "$.function.parameters.properties"


def test_a_good_schema_has_no_fault():
    assert schema_faults(schema()) == []
    assert schema_faults({"type": "function", "function": {"name": "book"}}) == []
    assert schema_faults(MappingProxyType(schema(description="Book a room.", strict=True))) == []


def test_five_faults_are_five_lines_each_with_its_path():
    bad = {
        "type": "tool",
        "function": {
            "name": "book a room",
            "description": 5,
            "parameters": {
                "type": "object",
                "properties": {"nights": {"type": "integr"}},
                "required": ["nights", "city"],
            },
        },
    }
    assert schema_faults(bad) == [
        "$.type: 'tool' is not 'function'",
        "$.function.name: 'book a room' is not a name of 1 to 64 letters, digits, _ or -",
        "$.function.description: 5 is not text",
        f"{IN_PROPERTIES}.nights.type: 'integr' is not one of ['array', 'boolean', 'integer', 'null', 'number', "
        "'object', 'string']; 'integr' is not of type 'array'",
        "$.function.parameters.required[1]: 'city' is not in properties",
    ]
    with pytest.raises(ToolSchemaError) as caught:
        check_schemas([bad], "hotel")
    assert str(caught.value).splitlines() == [f"hotel tool 'book a room' {line}" for line in schema_faults(bad)]
    assert caught.value.message == "The tools of hotel have 5 faults."


def test_values_that_json_cannot_carry_are_told_beside_other_faults():
    bad = properties(
        a={"minimum": float("nan")},
        b={"enum": [1, {2}]},
        c={"default": b"x", "minimum": "3"},
        d={5: "key"},
        e={"pattern": "["},
    )
    assert schema_faults(bad) == [
        f"{IN_PROPERTIES}.a.minimum: nan (float) is not JSON",
        f"{IN_PROPERTIES}.b.enum[1]: {{2}} (set) is not JSON",
        f"{IN_PROPERTIES}.c.default: b'x' (bytes) is not JSON",
        f"{IN_PROPERTIES}.d: the key 5 is not text",
        f"{IN_PROPERTIES}.c.minimum: '3' is not of type 'number'",
        f"{IN_PROPERTIES}.e.pattern: '[' is not a regular expression: unterminated character set at position 0",
    ]


def test_one_fault_is_told_once():
    assert schema_faults(properties(a={"items": [1]})) == [
        f"{IN_PROPERTIES}.a.items: [1] is not of type 'object', 'boolean'"
    ]
    assert schema_faults(schema({"type": "objekt"})) == ["$.function.parameters.type: 'objekt' is not 'object'"]


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (None, "$: None is not an object"),
        ([1], "$: [1] is not an object"),
        ({"type": "function"}, "$.function: None is not an object"),
        (
            {"type": "function", "name": "book", "parameters": {}},
            "$.function: None is not an object; the name is beside 'type', as in the Responses API: write "
            '{"type": "function", "function": {"name": ..., "description": ..., "parameters": ...}}',
        ),
        ({"type": "function", "function": "book"}, "$.function: 'book' is not an object"),
        (schema([]), "$.function.parameters: [] is not an object"),
        (schema({"type": "array"}), "$.function.parameters.type: 'array' is not 'object'"),
        (schema({"properties": []}), "$.function.parameters.properties: [] is not of type 'object'"),
    ],
)
def test_a_schema_of_another_form_says_where_it_differs(bad, fault):
    assert schema_faults(bad) == [fault]


@pytest.mark.parametrize("name", ["", "a" * 65, "book room", "bücher", "book\n", None, 7, ["book"]])
def test_a_name_that_models_cannot_call_is_a_fault(name):
    (fault,) = schema_faults(schema(name=name))
    assert fault.startswith("$.function.name: ")
    assert fault.endswith("is not a name of 1 to 64 letters, digits, _ or -")


@pytest.mark.parametrize("name", ["a", "a" * 64, "Book_room-2", "7"])
def test_a_name_that_models_can_call_is_none(name):
    assert schema_faults(schema(name=name)) == []


def test_two_tools_of_one_name_are_a_fault():
    with pytest.raises(ToolSchemaError, match=r"hotel tool 'book' \$.function.name: also the name of tool 0") as caught:
        check_schemas([schema(), schema(name="find"), schema()], "hotel")
    assert caught.value.message == "The tools of hotel have 1 fault."


def test_faults_of_every_schema_are_told_with_its_name_or_place():
    with pytest.raises(ToolSchemaError) as caught:
        check_schemas([schema(description=1), 5, schema(description=2)], "hotel")
    assert [line.split(" $")[0] for line in caught.value.faults] == [
        "hotel tool 'book'",
        "hotel tool 1",
        "hotel tool 'book'",
        "hotel tool 'book'",
    ]


def test_required_names_of_nested_objects_must_be_properties_too():
    inner = {"type": "object", "properties": {"a": {}}, "required": ["b"]}
    assert schema_faults(properties(x={"items": {"anyOf": [inner]}})) == [
        f"{IN_PROPERTIES}.x.items.anyOf[0].required[0]: 'b' is not in properties"
    ]


def test_a_part_of_an_object_may_require_what_another_part_declares():
    parts = {"properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert schema_faults(schema(parts)) == []


def test_names_that_look_like_keywords_are_no_keywords():
    named = {name: {"type": "string"} for name in ("$ref", "required", "pattern", "nullable", "$id", "type")}
    assert schema_faults(properties(**named)) == []
    shown_to_model = {"default": {"$ref": "http://example.com", "pattern": "["}, "examples": [{"required": 5}]}
    assert schema_faults(properties(a=shown_to_model)) == []


@pytest.fixture
def requests_seen() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback, and the paths that it was asked for."""
    seen: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"type": "integer"}')

        def log_message(self, *args: Any) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/schema.json", seen
        server.shutdown()
        thread.join()


def test_a_reference_to_elsewhere_is_refused_and_never_fetched(requests_seen):
    address, seen = requests_seen
    for reference in (address, f"{address}#/a", "other.json", "file:///etc/passwd"):
        (fault,) = schema_faults(properties(a={"$ref": reference}))
        assert fault == f"{IN_PROPERTIES}.a.$ref: {reference!r} is outside the schema and is never fetched"
    with pytest.raises(Exception, match="Unresolvable"):
        validator_of({"properties": {"a": {"$ref": address}}}).is_valid({"a": 1})
    assert seen == []


REFERENCES = {
    "#/$defs/Room": {"$defs": {"Room": {"type": "integer"}}},
    "#/$defs/a~1b%20c": {"$defs": {"a/b c": {"type": "integer"}}},
    "#/$defs/Either/anyOf/1": {"$defs": {"Either": {"anyOf": [{}, {"type": "integer"}]}}},
    "#room": {"$defs": {"Room": {"$anchor": "room", "type": "integer"}}},
    "#/$defs/Alias": {"$defs": {"Alias": {"$ref": "#/$defs/Room"}, "Room": {"type": "integer"}}},
}


@pytest.mark.parametrize("reference", REFERENCES)
def test_references_within_the_schema_work(reference):
    given_schema = properties(a={"$ref": reference})
    given_schema["function"]["parameters"] |= REFERENCES[reference]
    assert schema_faults(given_schema) == []
    validator = validator_of(given_schema["function"]["parameters"])
    assert validator.is_valid({"a": 1})
    assert not validator.is_valid({"a": "one"})


def test_a_schema_may_contain_itself():
    tree = {"type": "object", "properties": {"child": {"$ref": "#"}, "name": {"type": "string"}}}
    assert schema_faults(schema(tree)) == []
    assert not validator_of(tree).is_valid({"child": {"child": {"name": 1}}})


def test_a_reference_that_leads_nowhere_is_a_fault():
    bad = properties(a={"$ref": "#/$defs/None"}, b={"$ref": "#nowhere"}, c={"$ref": "#/required"})
    bad["function"]["parameters"]["required"] = ["a"]
    assert schema_faults(bad) == [
        f"{IN_PROPERTIES}.a.$ref: '#/$defs/None' points to no schema",
        f"{IN_PROPERTIES}.b.$ref: '#nowhere' points to no schema",
        f"{IN_PROPERTIES}.c.$ref: '#/required' points to no schema",
    ]


LOOPS = [
    {"A": {"$ref": "#/$defs/A"}},
    {"A": {"allOf": [{"type": "object"}, {"$ref": "#/$defs/A"}]}},
    {"A": {"anyOf": [{"not": {"$ref": "#/$defs/B"}}]}, "B": {"if": True, "then": {"$ref": "#/$defs/A"}}},
]


@pytest.mark.parametrize("definitions", LOOPS)
def test_references_that_go_round_without_an_end_are_faults(definitions):
    bad = properties(a={"$ref": "#/$defs/A"})
    bad["function"]["parameters"]["$defs"] = definitions
    found = schema_faults(bad)
    assert len(found) == len(definitions)
    for fault in found:
        assert fault.endswith("points back to itself")


def test_schemas_that_are_too_deep_or_contain_themselves_are_faults():
    deep: dict[str, Any] = {}
    for _ in range(10_000):
        deep = {"items": deep}
    (fault,) = schema_faults(properties(a=deep))
    assert fault.endswith("nested more than 64 levels deep")
    circle: dict[str, Any] = {}
    circle.update(items=circle, contains=circle)
    assert schema_faults(properties(a=circle)) == [
        f"{IN_PROPERTIES}.a.items: contains itself",
        f"{IN_PROPERTIES}.a.contains: contains itself",
    ]


def test_numbers_and_texts_that_cannot_be_written_are_faults():
    assert schema_faults(properties(a={"maximum": 10**5000}, b={"description": "\ud800"})) == [
        f"{IN_PROPERTIES}.a.maximum: <int> (int) is not JSON",
        f"{IN_PROPERTIES}.b.description: '\\ud800' (str) is not JSON",
    ]


def test_one_validator_serves_equal_schemas():
    first = validator_of({"type": "object", "properties": {"a": {"type": "integer"}}})
    assert validator_of({"properties": {"a": {"type": "integer"}}, "type": "object"}) is first
    assert validator_of({"type": "object", "properties": {"a": {"type": "string"}}}) is not first


def test_nullable_lets_null_in_at_any_depth_and_the_schema_stays_as_it_is():
    number = {"type": "integer", "minimum": 1, "nullable": True}
    parameters = {
        "type": "object",
        "properties": {
            "plain": number,
            "listed": {"type": "array", "items": number},
            "chosen": {"enum": ["a", "b"], "nullable": True},
            "either": {"anyOf": [{"type": "string"}, {"type": "boolean"}], "nullable": True},
            "referred": {"$ref": "#/$defs/Number"},
            "not_nullable": {"type": "integer", "nullable": False},
        },
        "$defs": {"Number": number},
    }
    before = json.dumps(parameters)
    validator = validator_of(parameters)
    for name in ("plain", "chosen", "either", "referred"):
        assert validator.is_valid({name: None})
    assert validator.is_valid({"listed": [1, None]})
    assert not validator.is_valid({"not_nullable": None})
    assert not validator.is_valid({"plain": 0})
    assert not validator.is_valid({"chosen": "c"})
    assert json.dumps(parameters) == before


def test_nullable_is_understood_under_a_declared_dialect():
    dialect = "http://json-schema.org/draft-07/schema#"
    child = {"properties": {"child": {"$ref": "#"}, "n": {"type": "integer", "nullable": True}}}
    assert validator_of({"$schema": dialect, **child}).is_valid({"child": {"child": {"n": None}}})


def test_an_argument_named_nullable_means_nothing():
    validator = validator_of({"type": "object", "properties": {"nullable": True, "a": {"type": "integer"}}})
    assert not validator.is_valid({"a": None})
    assert not validator.is_valid(None)


def test_a_bool_is_no_integer():
    assert not validator_of({"type": "integer"}).is_valid(True)


GUEST = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@pytest.mark.parametrize(
    ("given_schema", "value", "told"),
    [
        ({"type": "integer"}, "two", ("$", "'two' is not of type 'integer'")),
        ({"items": GUEST}, [{"name": "Ada"}, {}], ("$[1]", "'name' is a required property")),
        ({"anyOf": [GUEST, {"type": "null"}]}, {"name": 1}, ("$.name", "1 is not of type 'string'")),
        (
            {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
            "x",
            ("$", "'x' is not of type 'integer'; 'x' is not of type 'boolean'"),
        ),
    ],
)
def test_an_error_is_explained_by_the_alternative_that_came_closest(given_schema, value, told):
    (error,) = validator_of(given_schema).iter_errors(value)
    assert explained(error) == told


def test_a_path_reads_like_python():
    assert json_path(["guests", 0, "name"]) == "$.guests[0].name"
    assert json_path([]) == "$"


def test_a_plain_copy_shares_nothing_with_what_was_copied():
    given_value = {"a": [1, (2.5, None)], "b": {"c": True}}
    copy, faults = plain_copy(given_value)
    assert (copy, faults) == ({"a": [1, [2.5, None]], "b": {"c": True}}, [])
    copy["a"].append(3)
    copy["b"]["c"] = False
    assert given_value == {"a": [1, (2.5, None)], "b": {"c": True}}


def test_one_object_in_two_places_does_not_contain_itself():
    shared = {"type": "string"}
    assert schema_faults(properties(a=shared, b=shared)) == []


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError


def test_anything_can_be_shown_and_briefly():
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    for value in ("x" * 10**7, list(range(10**6)), deep, Unprintable(), 10**5000, {"a": Unprintable()}, "\ud800"):
        text = short_repr(value)
        assert len(text) <= 120
        text.encode()


KEYWORDS = ["$id", "$ref", "$defs", "$anchor", "type", "function", "name", "parameters", "properties", "required"]
KEYWORDS += ["anyOf", "items", "pattern", "patternProperties", "enum", "minimum", "nullable", "description"]
WORDS = ["object", "function", "#", "#/$defs/a", "a", "[", "http://[", "string", ""]
LEAVES = st.one_of(
    st.sampled_from(WORDS),
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(codec=None), max_size=4),
    st.binary(max_size=3),
    st.builds(lambda: 10**5000),
    st.builds(Unprintable),
    st.builds(set),
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner),
        st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
        st.dictionaries(st.one_of(st.text(max_size=3), st.integers(), st.none()), inner, max_size=2),
    ),
    max_leaves=12,
)


@given(ANYTHING)
@settings(max_examples=150)
def test_no_schema_of_any_shape_crashes_the_check(value):
    for given_schema in (value, {"type": "function", "function": value}, schema(value), properties(a=value)):
        for fault in schema_faults(given_schema):
            assert fault.startswith("$")
            fault.encode()


@given(ANYTHING)
@settings(max_examples=100)
def test_a_schema_without_fault_can_check_any_arguments(value):
    given_schema = properties(a=value)
    if schema_faults(given_schema) == []:
        list(validator_of(given_schema["function"]["parameters"]).iter_errors({"a": [1, "b", None]}))


def test_values_of_types_that_only_look_alike_are_told_apart_however_often_they_are_checked():
    with_text, with_number = ({"type": "object", "properties": {key: {"type": "integer"}}} for key in ("1", 1))
    for parameters, faults in [(with_text, 0), (with_number, 1)] * 2:
        schema = {"type": "function", "function": {"name": "add", "parameters": parameters}}
        assert len(schema_faults(schema)) == faults
