"""Plain JSON, validators, and the faults of tool schemas: every one is told at once, each with its JSON path."""

import json
import math
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from grpo_env_sdk.errors import ToolSchemaError

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Fault = tuple[str, str]  # the JSON path, and what is wrong there

MAX_DEPTH = 64
_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 4, 80, 80
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
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
    """Raise one `ToolSchemaError` with every fault of every schema, duplicates included."""
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
        raise ToolSchemaError(f"The tools of {whose} have {count}.", "Mend each one named.", faults)


def schema_faults(schema: Any) -> list[str]:
    """`$.function.parameters.required[0]: 'nights' is not in properties`, for each fault."""
    plain, found = plain_copy(schema)
    told = {path for path, _ in found}
    found += [fault for fault in _faults_of(json.dumps(plain)) if fault[0] not in told]
    return list(dict.fromkeys(f"{path}: {what}" for path, what in found))


def plain_copy(value: Any) -> tuple[Any, list[Fault]]:
    """A copy in plain JSON, with None wherever JSON cannot carry what was there, and each such place."""
    faults: list[Fault] = []
    return _copied(value, "$", (), faults), faults


def shown(value: Any) -> str:
    """A value as messages show it: short, however large or deep it is and whatever its `repr` does."""
    try:
        text = _SHORT.repr(value)
    except Exception:  # somebody else's `repr`, or a number too long for one
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 120 else text[:117] + "..."


def json_path(steps: Iterable[str | int]) -> str:
    """`$.guests[0].name` from the steps of a jsonschema error."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


def explained(error: Any) -> Fault:
    """Where a jsonschema error is and what is wrong, for the closest of several alternatives."""
    from jsonschema.exceptions import best_match

    closest = best_match([error])
    reasons = [inner.message for inner in closest.context or (closest,)]
    return json_path(closest.absolute_path), "; ".join(dict.fromkeys(reasons))


def validator_of(schema: Mapping[str, Any]) -> "Validator":
    """What checks values against a schema, made once for equal schemas."""
    return _validator(json.dumps(schema, sort_keys=True))


@lru_cache(maxsize=4096)
def _validator(text: str) -> "Validator":
    from referencing import Registry

    schema = json.loads(text)
    schema.pop("$schema", None)  # jsonschema would change to the class that it registered for it
    return _validator_class()(schema, registry=Registry())  # an empty registry fetches nothing


@lru_cache(maxsize=1)
def _validator_class() -> Callable[..., "Validator"]:
    from jsonschema import Draft202012Validator, validators

    keywords = {name: _unless_null(check) for name, check in Draft202012Validator.VALIDATORS.items()}
    extended: Callable[..., Validator] = validators.extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]  # their stubs
    return extended


def _unless_null(check: Callable[..., Any]) -> Callable[..., Any]:
    def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        # transformers writes `int | None` as {"type": "integer", "nullable": true}, and so do we. JSON Schema has no
        # such word: left alone, a required `int | None` could never be null. The model is shown the schema as it is.
        if instance is None and schema.get("nullable") is True:
            return ()
        return check(validator, value, instance, schema)

    return checked


@lru_cache(maxsize=1)
def _metaschema_validator() -> "Validator":
    from jsonschema import Draft202012Validator

    return Draft202012Validator(Draft202012Validator.META_SCHEMA)


@lru_cache(maxsize=4096)
def _faults_of(text: str) -> tuple[Fault, ...]:
    """The faults of a schema in JSON; remembered, as an environment shows the same tools in every episode."""
    return tuple(_form_faults(json.loads(text)))


def _name(schema: Any) -> str:
    function = schema.get("function") if isinstance(schema, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    return name[:64] if isinstance(name, str) else ""


def _form_faults(schema: Any) -> Iterator[Fault]:
    if not isinstance(schema, dict):
        yield "$", f"{shown(schema)} is not an object"
        return
    if schema.get("type") != "function":
        yield "$.type", f"{shown(schema.get('type'))} is not 'function'"
    function = schema.get("function")
    if not isinstance(function, dict):
        yield "$.function", f"{shown(function)} is not an object"
        return
    name = function.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield "$.function.name", f"{shown(name)} is not a name of 1 to 64 letters, digits, _ or -"
    if not isinstance(function.get("description", ""), str):
        yield "$.function.description", f"{shown(function['description'])} is not text"
    yield from _parameter_faults(function.get("parameters", {}), "$.function.parameters")


def _parameter_faults(parameters: Any, path: str) -> Iterator[Fault]:
    if not isinstance(parameters, dict):
        yield path, f"{shown(parameters)} is not an object"
        return
    typed = parameters.get("type", "object")
    if typed != "object":
        yield f"{path}.type", f"{shown(typed)} is not 'object'"
        parameters = {**parameters, "type": "object"}  # told once
    yield from _metaschema_faults(parameters, path)
    for place, schema, root in _subschemas(parameters, path, parameters):
        yield from _required_faults(schema, place, schema is parameters)
        yield from _reference_faults(schema, place, root)
        yield from _pattern_faults(schema, place)


def _metaschema_faults(parameters: dict[str, Any], path: str) -> Iterator[Fault]:
    try:
        errors = [explained(error) for error in _metaschema_validator().iter_errors(parameters)]
    except RecursionError:
        yield path, "nested too deeply to be checked"
        return
    for place, what in sorted(errors):
        yield path + place[1:], what[:300]


def _subschemas(schema: Any, path: str, root: Any) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Every schema in a schema, with its path and with the one that its references start from."""
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


def _required_faults(schema: dict[str, Any], path: str, outermost: bool) -> Iterator[Fault]:
    """Names that are `required` without being in `properties`; parts of an object may leave those to another part."""
    properties, required = schema.get("properties", {}), schema.get("required")
    whole = outermost or (schema.get("type") == "object" and "properties" in schema)
    if whole and isinstance(required, list) and isinstance(properties, dict):
        for index, name in enumerate(required):
            if isinstance(name, str) and name not in properties:
                yield f"{path}.required[{index}]", f"{shown(name)} is not in properties"


def _reference_faults(schema: dict[str, Any], path: str, root: Any) -> Iterator[Fault]:
    """References that leave the schema, which are never fetched, that lead nowhere in it, or round in a circle."""
    for keyword in _REFERENCES:
        reference = schema.get(keyword)
        if not isinstance(reference, str):
            continue
        if not reference.startswith("#"):
            yield f"{path}.{keyword}", f"{shown(reference)} is outside the schema, and is never fetched"
        elif not isinstance(_target(reference, root), dict | bool):
            yield f"{path}.{keyword}", f"{shown(reference)} leads to no schema"
        elif any(reached is schema for reached in _applied_with(_target(reference, root), root)):
            yield f"{path}.{keyword}", f"{shown(reference)} leads back here without end"


def _applied_with(schema: Any, root: Any) -> list[dict[str, Any]]:
    """A schema and every other that the same value must face with it."""
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
    """What `#/$defs/Room` or `#anchor` leads to, or None."""
    fragment = unquote(reference[1:])
    if fragment and not fragment.startswith("/"):
        anchored = (schema for _, schema, _ in _subschemas(root, "", root))
        return next((it for it in anchored if fragment in (it.get("$anchor"), it.get("$dynamicAnchor"))), None)
    node = root
    for step in fragment.split("/")[1:]:
        children = {str(index): child for index, child in enumerate(node)} if isinstance(node, list) else node
        node = children.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(children, dict) else None
    return node


def _pattern_faults(schema: dict[str, Any], path: str) -> Iterator[Fault]:
    """Regular expressions that Python cannot read, so that no call could ever be checked."""
    patterns = {f"{path}.pattern": schema.get("pattern")}
    if isinstance(schema.get("patternProperties"), dict):
        patterns |= {f"{path}.patternProperties.{pattern}": pattern for pattern in schema["patternProperties"]}
    for place, pattern in patterns.items():
        try:
            re.compile(pattern if isinstance(pattern, str) else "")
        except (re.error, OverflowError, RecursionError) as exc:
            yield place, f"{shown(pattern)} is no regular expression: {exc}"


def _copied(node: Any, path: str, parents: tuple[int, ...], faults: list[Fault]) -> Any:
    if _is_scalar(node):
        return node
    inside = (*parents, id(node))
    if id(node) in parents:
        faults.append((path, "contains itself"))
    elif len(parents) == MAX_DEPTH:
        faults.append((path, f"nested more than {MAX_DEPTH} levels deep"))
    elif isinstance(node, Mapping):
        faults += [(path, f"the key {shown(key)} is not text") for key in node if not _is_text(key)]
        return {key: _copied(child, f"{path}.{key}", inside, faults) for key, child in node.items() if _is_text(key)}
    elif isinstance(node, list | tuple):
        return [_copied(child, f"{path}[{index}]", inside, faults) for index, child in enumerate(node)]
    else:
        faults.append((path, f"{shown(node)} ({type(node).__name__}) is not JSON"))
    return None


def _is_scalar(node: Any) -> bool:
    if isinstance(node, float):
        return math.isfinite(node)
    if isinstance(node, int):
        return node.bit_length() <= 1024  # Python writes no number of more than 4,300 digits
    return node is None or _is_text(node)


def _is_text(node: Any) -> bool:
    """Whether it is text that UTF-8 can carry: half a surrogate pair is none."""
    return isinstance(node, str) and (node.isascii() or node == node.encode("utf-8", "replace").decode())
