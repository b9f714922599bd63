"""A check of arguments in microseconds, by the keywords that most schemas have; jsonschema does what it cannot tell."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

Accepts = Callable[[Any], bool]
"""Whether a value surely fits a schema; False says nothing."""


class _UnknownKeywordError(Exception):
    """A schema with a keyword that only jsonschema knows."""


def quick_check(schema: Mapping[str, Any]) -> Accepts:
    """A check whose True can be relied on; it visits each value once for each part of the schema, so it always ends."""
    return _built(json.dumps(schema, sort_keys=True))


@lru_cache(maxsize=4096)
def _built(text: str) -> Accepts:
    schema = json.loads(text)
    schema.pop("$schema", None)
    try:
        return _check_of(schema)
    except (_UnknownKeywordError, AttributeError, KeyError, TypeError):  # or a schema that nobody has checked
        return _tells_nothing


def _tells_nothing(value: Any) -> bool:
    return False


def _check_of(schema: Any) -> Accepts:
    if isinstance(schema, bool):
        return (lambda value: True) if schema else _tells_nothing
    if not isinstance(schema, dict) or schema.keys() - _KNOWN:
        raise _UnknownKeywordError
    checks = [build(schema) for keywords, build in _CHECKS if schema.keys() & keywords]
    check = checks[0] if len(checks) == 1 else _all_of(checks)
    return (lambda value: value is None or check(value)) if schema.get("nullable") is True else check


def _all_of(checks: list[Accepts]) -> Accepts:
    def accepts(value: Any) -> bool:
        for check in checks:  # noqa: SIM110 - twice as quick as all() of a generator
            if not check(value):
                return False
        return True

    return accepts


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),),
    "array": (list,), "object": (dict,),
}  # fmt: skip


def _typed(schema: Mapping[str, Any]) -> Accepts:
    """By the very type: a bool is no integer; 3.0 is one, which jsonschema finds out."""
    given = schema["type"]
    names = [given] if isinstance(given, str) else given
    kinds = frozenset(kind for name in names for kind in _TYPES[name])
    if len(kinds) == 1:
        (only,) = kinds
        return lambda value: type(value) is only
    return lambda value: type(value) in kinds


def _chosen(schema: Mapping[str, Any]) -> Accepts:
    texts = frozenset(item for item in schema["enum"] if type(item) is str)
    return lambda value: type(value) is str and value in texts


def _either(schema: Mapping[str, Any]) -> Accepts:
    checks = [_check_of(option) for option in schema["anyOf"]]
    return lambda value: any(check(value) for check in checks)


def _item(schema: Mapping[str, Any]) -> Accepts:
    check = _check_of(schema["items"])

    def accepts(value: Any) -> bool:
        return type(value) is not list or all(map(check, value))

    return accepts


def _fields(schema: Mapping[str, Any]) -> Accepts:
    properties = {name: _check_of(part) for name, part in schema.get("properties", {}).items()}
    required = tuple(schema.get("required", ()))
    others = _check_of(schema.get("additionalProperties", True))

    def accepts(value: Any) -> bool:
        if type(value) is not dict:
            return True
        for name in required:
            if name not in value:
                return False
        for name, item in value.items():  # noqa: SIM110 - as above
            if not properties.get(name, others)(item):
                return False
        return True

    return accepts


def _bounded(schema: Mapping[str, Any]) -> Accepts:
    low, high = schema.get("minimum", -float("inf")), schema.get("maximum", float("inf"))
    return lambda value: type(value) not in (int, float) or low <= value <= high


def _sized(kind: type[str] | type[list[Any]], low_key: str, high_key: str) -> Callable[[Mapping[str, Any]], Accepts]:
    def build(schema: Mapping[str, Any]) -> Accepts:
        low, high = schema.get(low_key, 0), schema.get(high_key, float("inf"))
        return lambda value: type(value) is not kind or low <= len(value) <= high

    return build


_CHECKS: list[tuple[frozenset[str], Callable[[Mapping[str, Any]], Accepts]]] = [
    (frozenset({"type"}), _typed),
    (frozenset({"enum"}), _chosen),
    (frozenset({"anyOf"}), _either),
    (frozenset({"properties", "required", "additionalProperties"}), _fields),
    (frozenset({"items"}), _item),
    (frozenset({"minimum", "maximum"}), _bounded),
    (frozenset({"minLength", "maxLength"}), _sized(str, "minLength", "maxLength")),
    (frozenset({"minItems", "maxItems"}), _sized(list, "minItems", "maxItems")),
]
_SAYS_ONLY = {
    "title",
    "description",
    "default",
    "examples",
    "format",
    "nullable",
    "deprecated",
    "readOnly",
    "writeOnly",
}
_KNOWN = _SAYS_ONLY.union(*(keywords for keywords, _ in _CHECKS))
