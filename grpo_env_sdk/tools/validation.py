"""Validators for JSON Schemas, and the text of their errors."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from grpo_env_sdk.isolation.json_values import PathFault, short_repr

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

PATTERN_SECONDS = 0.5


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

    checks = {**Draft202012Validator.VALIDATORS, "pattern": _check_pattern}
    keywords = {name: _unless_null(check) for name, check in checks.items()}
    extended: Callable[..., Validator] = validators.extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]  # their stubs
    return extended


def _check_pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    """As jsonschema's own, but under a deadline: `(a+)+$` would hold the whole process for years on 40 letters."""
    import regex
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str):
        try:
            if not regex.search(pattern, instance, timeout=PATTERN_SECONDS, concurrent=True):
                yield ValidationError(f"{short_repr(instance)} does not match {pattern!r}")
        except TimeoutError:
            yield ValidationError(f"{short_repr(instance)} takes too long to match against {pattern!r}")


def _unless_null(check: Callable[..., Any]) -> Callable[..., Any]:
    def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        # `int | None` is {"type": "integer", "nullable": true}, as transformers writes it. JSON Schema has no such
        # keyword: without this, a required `int | None` could never be null. The model is sent the schema as it is.
        if instance is None and schema.get("nullable") is True:
            return ()
        return check(validator, value, instance, schema)

    return checked
