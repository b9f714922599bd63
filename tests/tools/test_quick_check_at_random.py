"""Whatever the quick check accepts, jsonschema accepts too: on schemas and values that hypothesis makes."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grpo_env_sdk.tools.quick_check import quick_check
from grpo_env_sdk.tools.validation import validator_of

NAMES = st.sampled_from(["a", "b", "nullable", "type"])
NUMBERS = st.one_of(st.integers(-3, 3), st.sampled_from([0.5, 1.0, 2.0, -0.0, 1e308, 10**30, 10**400, float("inf")]))
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, st.sampled_from(["", "a", "b", "ab", "é", "\ud800"]))
VALUES = st.recursive(
    SCALARS | st.just(float("nan")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
SIZES = st.integers(0, 3)


def with_parts(inner):
    """Schemas of the keywords that the quick check knows, and of some that it leaves to jsonschema."""
    known = {
        "type": KINDS | st.lists(KINDS, min_size=1, max_size=3, unique=True), "enum": st.lists(SCALARS, max_size=3),
        "nullable": st.booleans(), "minimum": NUMBERS, "maximum": NUMBERS, "minLength": SIZES, "maxLength": SIZES,
        "minItems": SIZES, "maxItems": SIZES, "required": st.lists(NAMES, max_size=2, unique=True), "items": inner,
        "anyOf": st.lists(inner, min_size=1, max_size=3), "additionalProperties": inner,
        "properties": st.dictionaries(NAMES, inner, max_size=3),
    }  # fmt: skip
    left = {
        "const": SCALARS, "not": inner, "oneOf": st.lists(inner, min_size=1, max_size=2), "prefixItems": st.just([{}]),
        "exclusiveMaximum": NUMBERS, "pattern": st.just("^a"), "propertyNames": inner, "uniqueItems": st.booleans(),
    }  # fmt: skip
    usual = st.fixed_dictionaries({}, optional=known)
    return usual | usual | usual | st.fixed_dictionaries({}, optional=known | left)


SCHEMAS = st.recursive(st.booleans() | st.fixed_dictionaries({}, optional={"type": KINDS}), with_parts, max_leaves=4)


@settings(max_examples=300, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(SCHEMAS, st.lists(VALUES, min_size=4, max_size=8))
def test_what_it_accepts_jsonschema_accepts(schema, values):
    whole = {"type": "object", "properties": {"x": schema}}
    accepts, validator = quick_check(whole), validator_of(whole)
    assert [value for value in values if accepts({"x": value}) and not validator.is_valid({"x": value})] == []
