"""Whether what was decoded has the types that its class declares: a worker's answer may be forged."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from grpo_env_sdk.rewards.score_rule import RewardPart, ScoreRule


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a declared type; tuples may have become lists, as in JSON."""
    return _check_of(hint)(value)


@cache
def _check_of(hint: Any) -> Callable[[Any], bool]:
    """What checks for one type."""
    origin, given = get_origin(hint), get_args(hint)
    if hint is Any:
        return lambda value: True
    if origin is Callable:
        return callable
    if origin in (Union, UnionType):
        return _any_of(given)
    if origin is Literal:
        return lambda value: any(type(value) is type(one) and value == one for one in given)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(*map(_check_of, given))
    if origin is tuple and Ellipsis not in given:
        return _fixed([_check_of(one) for one in given])
    if isinstance(origin, type) and issubclass(origin, Sequence):
        item = _any_of([one for one in given if one is not Ellipsis])
        return lambda value: isinstance(value, list | tuple) and all(map(item, value))
    if hint in (float, int):
        kinds = (int,) if hint is int else (int, float)
        return lambda value: isinstance(value, kinds)
    kind = NoneType if hint is None else hint
    return _record(kind) if is_dataclass(hint) else lambda value: isinstance(value, kind)


def _any_of(hints: Iterable[Any]) -> Callable[[Any], bool]:
    checks = [_check_of(hint) for hint in hints]
    return lambda value: any(check(value) for check in checks)


def _fixed(checks: Sequence[Callable[[Any], bool]]) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, list | tuple)
        and len(value) == len(checks)
        and all(check(item) for check, item in zip(checks, value, strict=True))
    )


def _mapping(key: Callable[[Any], bool], item: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(key, value)) and all(map(item, value.values()))


def _record(kind: Any) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        declared: Any = type(value)
        return isinstance(value, kind) and all(fit(getattr(value, name)) for name, fit in _checks_of(declared))

    return check


def adds_up(event: Any) -> bool:
    """Whether its numbers are finite, also as floats, and it ends or limits an episode as environment code can."""
    numbers = [timed.seconds for timed in (event, *getattr(event, "outcomes", ()))]
    numbers += [*getattr(event, "metrics", {}).values(), getattr(event, "reward", 0.0)]
    numbers += [value for value in getattr(event, "values", ()) if value is not None]
    fault, rule = getattr(event, "fault", None), getattr(event, "rule", None)
    if fault is None:
        ends = getattr(event, "stop_reason", None) in (None, "max_turns")
    else:
        ends = fault.whose == "environment" and event.reason in ("env_error", "timeout")
    limits = getattr(event, "limits", None)
    kept = limits is None or all(value is None or (is_finite(value) and value > 0) for value in astuple(limits))
    return ends and kept and all(map(is_finite, numbers)) and (rule is None or rule_adds_up(rule))


def rule_adds_up(rule: ScoreRule) -> bool:
    """Whether the weights of a rule are finite, and its ranges are ranges."""
    return all(is_range(*part.range) and all(map(is_finite, _weights(part))) for part in rule.parts)


def is_range(low: float, high: float) -> bool:
    """Whether these are the ends of a range, which may be infinite."""
    return all(end in (math.inf, -math.inf) or is_finite(end) for end in (low, high)) and low <= high


def is_finite(number: float) -> bool:
    """Whether a number is finite as a float; a whole number may be none."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _weights(part: RewardPart) -> Iterator[float]:
    yield part.weight
    if part.moving is not None:
        yield from (part.moving.low, part.moving.high, part.moving.up, part.moving.down, part.moving.factor)
        yield from part.moving.bounds


@cache
def _checks_of(cls: Any) -> list[tuple[str, Callable[[Any], bool]]]:
    hints = get_type_hints(cls)
    return [(item.name, _check_of(hints[item.name])) for item in fields(cls)]
