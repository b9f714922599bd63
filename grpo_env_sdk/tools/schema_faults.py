"""All faults of tool schemas, each with its JSON path."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from grpo_env_sdk.errors import ToolSchemaError
from grpo_env_sdk.isolation.values.json_values import PathFault, plain_copy, short_repr
from grpo_env_sdk.tools.repeats import repeats_within_repeats
from grpo_env_sdk.tools.validation import explained

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_FLAT = (
    "; the name is beside 'type', as in the Responses API: write "
    '{"type": "function", "function": {"name": ..., "description": ..., "parameters": ...}}'
)
_REFERENCES = ("$ref", "$dynamicRef")
_SCHEMA_IN = (
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_SCHEMAS_IN = (
    "$defs", "allOf", "anyOf", "definitions", "dependentSchemas", "oneOf", "patternProperties", "prefixItems",
    "properties",
)  # fmt: skip


def check_schemas(schemas: Sequence[Any], whose: str) -> None:
    """Raise one `ToolSchemaError` with every fault of every schema, and with names used twice."""
    faults = []
    seen: dict[str, int] = {}
    for index, schema in enumerate(schemas):
        name = _name(schema)
        faults += [f"{whose} tool {name or index!r} {fault}" for fault in schema_faults(schema)]
        if name in seen:
            faults.append(f"{whose} tool {name!r} $.function.name: also the name of tool {seen[name]}")
        if name:
            seen.setdefault(name, index)
    if faults:
        count = f"{len(faults)} fault{'s' * (len(faults) > 1)}"
        raise ToolSchemaError(f"The tools of {whose} have {count}.", "Fix each fault listed.", faults)


def schema_faults(schema: Any) -> list[str]:
    """`$.function.parameters.required[0]: 'nights' is not in properties`, for each fault."""
    plain, found = plain_copy(schema)
    known = {path for path, _ in found}
    found += [fault for fault in _faults_of(json.dumps(plain)) if fault[0] not in known]
    return list(dict.fromkeys(f"{path}: {what}" for path, what in found))


@lru_cache(maxsize=1)
def _metaschema_validator() -> "Validator":
    from jsonschema import Draft202012Validator

    return Draft202012Validator(Draft202012Validator.META_SCHEMA)


@lru_cache(maxsize=4096)
def _faults_of(text: str) -> tuple[PathFault, ...]:
    """The faults of a schema given as JSON; cached, as an environment has the same tools in every episode."""
    return tuple(_form_faults(json.loads(text)))


def _name(schema: Any) -> str:
    function = schema.get("function") if isinstance(schema, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    return name[:64] if isinstance(name, str) else ""


def _form_faults(schema: Any) -> Iterator[PathFault]:
    if not isinstance(schema, dict):
        yield "$", f"{short_repr(schema)} is not an object"
        return
    if schema.get("type") != "function":
        yield "$.type", f"{short_repr(schema.get('type'))} is not 'function'"
    function = schema.get("function")
    if not isinstance(function, dict):
        flat = _FLAT if function is None and "name" in schema else ""
        yield "$.function", f"{short_repr(function)} is not an object{flat}"
        return
    name = function.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield "$.function.name", f"{short_repr(name)} is not a name of 1 to 64 letters, digits, _ or -"
    if not isinstance(function.get("description", ""), str):
        yield "$.function.description", f"{short_repr(function['description'])} is not text"
    yield from _parameter_faults(function.get("parameters", {}), "$.function.parameters")


def _parameter_faults(parameters: Any, path: str) -> Iterator[PathFault]:
    if not isinstance(parameters, dict):
        yield path, f"{short_repr(parameters)} is not an object"
        return
    typed = parameters.get("type", "object")
    if typed != "object":
        yield f"{path}.type", f"{short_repr(typed)} is not 'object'"
        parameters = {**parameters, "type": "object"}  # report it once
    yield from _metaschema_faults(parameters, path)
    for place, schema, root in _subschemas(parameters, path, parameters):
        yield from _required_faults(schema, place, schema is parameters)
        yield from _reference_faults(schema, place, root)
        yield from _pattern_faults(schema, place)


def _metaschema_faults(parameters: dict[str, Any], path: str) -> Iterator[PathFault]:
    try:
        errors = [explained(error) for error in _metaschema_validator().iter_errors(parameters)]
    except RecursionError:
        yield path, "nested too deeply to be checked"
        return
    for place, what in sorted(errors):
        yield path + place[1:], what[:300]


def _subschemas(schema: Any, path: str, root: Any) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Every schema inside a schema, with its path and with the root of its references."""
    if not isinstance(schema, dict):
        return
    root = schema if "$id" in schema else root
    yield path, schema, root
    for keyword in _SCHEMA_IN:
        yield from _subschemas(schema.get(keyword), f"{path}.{keyword}", root)
    for keyword in _SCHEMAS_IN:
        inside = schema.get(keyword)
        if isinstance(inside, dict):
            for name, child in inside.items():
                yield from _subschemas(child, f"{path}.{keyword}.{name}", root)
        elif isinstance(inside, list):
            for index, child in enumerate(inside):
                yield from _subschemas(child, f"{path}.{keyword}[{index}]", root)


def _required_faults(schema: dict[str, Any], path: str, outermost: bool) -> Iterator[PathFault]:
    """Names that are `required` but not in `properties`; parts of an `allOf` may have them in another part."""
    properties, required = schema.get("properties", {}), schema.get("required")
    whole = outermost or (schema.get("type") == "object" and "properties" in schema)
    if whole and isinstance(required, list) and isinstance(properties, dict):
        for index, name in enumerate(required):
            if isinstance(name, str) and name not in properties:
                yield f"{path}.required[{index}]", f"{short_repr(name)} is not in properties"


def _reference_faults(schema: dict[str, Any], path: str, root: Any) -> Iterator[PathFault]:
    """References to other documents (never fetched), to nothing, or to themselves."""
    for keyword in _REFERENCES:
        reference = schema.get(keyword)
        if not isinstance(reference, str):
            continue
        if not reference.startswith("#"):
            yield f"{path}.{keyword}", f"{short_repr(reference)} is outside the schema and is never fetched"
        elif not isinstance(_target(reference, root), dict | bool):
            yield f"{path}.{keyword}", f"{short_repr(reference)} points to no schema"
        elif any(reached is schema for reached in _applied_with(_target(reference, root), root)):
            yield f"{path}.{keyword}", f"{short_repr(reference)} points back to itself"


def _applied_with(schema: Any, root: Any) -> list[dict[str, Any]]:
    """A schema and all others that apply to the same value."""
    reached: list[dict[str, Any]] = []
    waiting = [schema]
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, dict) or any(schema is known for known in reached):
            continue
        reached.append(schema)
        waiting += [schema.get(keyword) for keyword in ("not", "if", "then", "else")]
        for keyword in ("allOf", "anyOf", "oneOf"):
            waiting += schema[keyword] if isinstance(schema.get(keyword), list) else []
        waiting += [_target(schema[key], root) for key in _REFERENCES if str(schema.get(key)).startswith("#")]
    return reached


def _target(reference: str, root: Any) -> Any:
    """The schema at `#/$defs/Room` or `#anchor`, or None."""
    fragment = unquote(reference[1:])
    if fragment and not fragment.startswith("/"):
        anchored = (schema for _, schema, _ in _subschemas(root, "", root))
        return next((it for it in anchored if fragment in (it.get("$anchor"), it.get("$dynamicAnchor"))), None)
    node = root
    for step in fragment.split("/")[1:]:
        children = {str(index): child for index, child in enumerate(node)} if isinstance(node, list) else node
        node = children.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(children, dict) else None
    return node


def _pattern_faults(schema: dict[str, Any], path: str) -> Iterator[PathFault]:
    """Regular expressions that Python cannot compile."""
    patterns = {f"{path}.pattern": schema.get("pattern")}
    if isinstance(schema.get("patternProperties"), dict):
        patterns |= {f"{path}.patternProperties.{pattern}": pattern for pattern in schema["patternProperties"]}
    for place, pattern in patterns.items():
        try:
            re.compile(pattern if isinstance(pattern, str) else "")
        except (re.error, OverflowError, RecursionError) as exc:
            yield place, f"{short_repr(pattern)} is not a regular expression: {exc}"
        else:  # jsonschema matches names once more, for `additionalProperties`, by an engine that no deadline stops
            if isinstance(pattern, str) and place != f"{path}.pattern" and repeats_within_repeats(pattern):
                yield place, f"{short_repr(pattern)} repeats what repeats, which may take years to match"
