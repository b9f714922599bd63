"""Validators for JSON Schemas, and the text of their errors."""

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from grpo_env_sdk.isolation.values.json_values import PathFault, short_repr

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

PATTERN_SECONDS = 0.5
CHECK_SECONDS = 1.0
"""How long the arguments of one call may be checked: `anyOf` within `anyOf` explodes."""
MOST_FAULTS = 5
AT_ONCE_SECONDS = 0.002
"""How long a check may hold up an event loop; one that takes longer begins anew in a thread."""
_time_is_up: ContextVar[float] = ContextVar("time_is_up", default=math.inf)


class TooLongToCheckError(Exception):
    """Arguments whose check takes too long."""


def faults_of(validator: "Validator", arguments: Any, seconds: float) -> list[PathFault]:
    """The first faults of arguments; raises `TooLongToCheckError` where none was found once their time is up."""
    token = _time_is_up.set(time.monotonic() + seconds)
    found: list[PathFault] = []
    try:
        for error in islice(validator.iter_errors(arguments), MOST_FAULTS):
            found.append(explained(error))
    except TooLongToCheckError:
        if not found or seconds < CHECK_SECONDS:
            raise
    finally:
        _time_is_up.reset(token)
    return found


def json_path(steps: Iterable[str | int]) -> str:
    """`$.guests[0].name` from the steps of a jsonschema error."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


def explained(error: Any) -> PathFault:
    """The path and the text of a jsonschema error; of several alternatives, those of the closest."""
    from jsonschema.exceptions import best_match

    closest = best_match([error])
    reasons = [inner.message for inner in closest.context or (closest,)]
    return json_path(closest.absolute_path), "; ".join(dict.fromkeys(reasons))


def validator_of(schema: Mapping[str, Any]) -> "Validator":
    """The validator of a schema, cached for equal schemas."""
    return _validator(json.dumps(schema, sort_keys=True))


@lru_cache(maxsize=4096)
def _validator(text: str) -> "Validator":
    from referencing import Registry

    schema = json.loads(text)
    schema.pop("$schema", None)  # else jsonschema would use the class that it registered for this $schema
    return _validator_class()(schema, registry=Registry())  # an empty registry, so that no $ref is ever fetched


@lru_cache(maxsize=1)
def _validator_class() -> Callable[..., "Validator"]:
    from jsonschema import Draft202012Validator, validators

    own = {
        "pattern": _check_pattern, "patternProperties": _check_named, "uniqueItems": _check_unique,
        "additionalProperties": _check_others,
    }  # fmt: skip
    checks = {**Draft202012Validator.VALIDATORS, **own}
    keywords = {name: _unless_null(check) for name, check in checks.items()}
    extended: Any = validators.extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]  # their stubs
    extended.evolve = _evolving(extended.evolve)
    return extended  # type: ignore[no-any-return]


def _evolving(evolve: Callable[..., "Validator"]) -> Callable[..., "Validator"]:
    """As jsonschema's own, but a `$schema` inside a schema does not bring back the checks without deadlines."""

    def evolved(validator: Any, **changes: Any) -> "Validator":
        schema = changes.get("schema")
        if isinstance(schema, dict) and "$schema" in schema:
            changes["schema"] = {key: value for key, value in schema.items() if key != "$schema"}
        return evolve(validator, **changes)

    return evolved


def _check_pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    """As jsonschema's own, but under a deadline: `(a+)+$` would hold the whole process for years on 40 letters."""
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str):
        try:
            if not _matches(pattern, instance):
                yield ValidationError(f"{short_repr(instance)} does not match {pattern!r}")
        except TimeoutError:
            yield ValidationError(f"{short_repr(instance)} takes too long to match against {pattern!r}")


def _check_named(validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
    """As jsonschema's `patternProperties`, under the same deadline."""
    from jsonschema.exceptions import ValidationError

    for name, value in instance.items() if isinstance(instance, dict) else ():
        for pattern, subschema in patterns.items():
            try:
                matches = _matches(pattern, name)
            except TimeoutError:
                yield ValidationError(f"{short_repr(name)} takes too long to match against {pattern!r}")
                continue
            if matches:
                yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _check_others(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """As jsonschema's `additionalProperties`, whose names are matched under the same deadline."""
    from jsonschema import Draft202012Validator

    patterns = schema.get("patternProperties")
    if patterns and isinstance(instance, dict):
        instance = {name: value for name, value in instance.items() if not _named_by(patterns, name)}
        schema = {"properties": schema.get("properties", {})}
    yield from Draft202012Validator.VALIDATORS["additionalProperties"](validator, allowed, instance, schema) or ()


def _check_unique(validator: Any, unique: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """As jsonschema's own, which compares each item of a list of objects with each other one."""
    from jsonschema.exceptions import ValidationError

    seen: set[str] = set()
    for item in instance if unique is True and isinstance(instance, list) else ():
        _check_time()
        if (key := _key_of(item)) in seen:
            yield ValidationError(f"{short_repr(instance)} has non-unique elements")
            return
        seen.add(key)


def _key_of(value: Any) -> str:
    """Text that is equal for values that JSON Schema calls equal: 1 and 1.0 are, 1 and true are not."""
    return json.dumps(_whole(value), sort_keys=True)


def _whole(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value


def _named_by(patterns: Iterable[str], name: str) -> bool:
    """Whether a pattern matches a name; one that takes too long does not, which `_check_named` reports."""
    for pattern in patterns:
        with suppress(TimeoutError):
            if _matches(pattern, name):
                return True
    return False


def _matches(pattern: str, text: str) -> bool:
    """Whether a pattern is somewhere in a text; a TimeoutError where that takes too long to find out."""
    import regex

    left = min(PATTERN_SECONDS, max(_time_is_up.get() - time.monotonic(), 0.001))
    try:
        return regex.search(pattern, text, timeout=left, concurrent=True) is not None
    except TimeoutError:
        if left < PATTERN_SECONDS:
            raise TooLongToCheckError from None
        raise


def _check_time() -> None:
    if time.monotonic() > _time_is_up.get():
        raise TooLongToCheckError


def _unless_null(check: Callable[..., Any]) -> Callable[..., Any]:
    def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        # `int | None` is {"type": "integer", "nullable": true}, as transformers writes it. JSON Schema has no such
        # keyword: without this, a required `int | None` could never be null. The model is sent the schema as it is.
        if instance is None and schema.get("nullable") is True:
            return ()
        _check_time()
        return check(validator, value, instance, schema)

    return checked
