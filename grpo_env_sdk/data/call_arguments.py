"""The arguments of a tool call, from JSON or from what a model's library made of it."""

import json
from typing import Any

from grpo_env_sdk.isolation.values.json_values import MAX_DEPTH, OBJECT, plain_copy, short_repr

MAX_ARGUMENT_CHARS = 1_000_000
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def read_arguments(given: Any) -> dict[str, Any]:
    """Tool-call arguments as a new dict of plain JSON, or a `ValueError` that says what is wrong with them."""
    value = _loaded(given) if isinstance(given, str) else given
    if not isinstance(value, OBJECT):
        raise ValueError(f"are not a JSON object: {short_repr(value)}")
    plain, faults = plain_copy(value)
    if faults:
        path, what = faults[0]
        raise ValueError(f"are not JSON: {path}: {what}")
    if value is given:
        _check_size(_compact(plain))
    return plain  # type: ignore[no-any-return]  # a Mapping's copy is a dict


def parse_arguments(text: str) -> dict[str, Any] | str:
    """Tool-call arguments as a dict, or the text itself if it is not a JSON object."""
    try:
        return read_arguments(text)
    except ValueError:
        return text


def _loaded(text: str) -> Any:
    _check_size(text)
    try:
        return json.loads(text) if text.strip() else {}
    except RecursionError:
        raise ValueError(f"are nested more than {MAX_DEPTH} levels deep") from None
    except ValueError as exc:
        raise ValueError(f"are not JSON ({exc}): {short_repr(text)}") from None


def _check_size(text: str) -> None:
    if len(text) > MAX_ARGUMENT_CHARS:
        raise ValueError(f"have {len(text)} characters; at most {MAX_ARGUMENT_CHARS} are allowed")
