"""From a text on the command line, or a value in a file, to the typed value of a field."""

import json
import math
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import UsageError, describe_error, did_you_mean, read_object
from grpo_env_trl.settings.fields import Field, out_of_bounds

SWITCH_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_NONE = ("none", "null")


def value_of(field: Field, written: Any, where: str) -> Any:
    """The typed value; `where` names the flag, or the file and its key."""
    for kind in field.kinds:
        try:
            value = _read(kind, written, field, where)
        except GrpoEnvError:
            raise
        except (TypeError, ValueError):
            continue
        _check(field, value, where)
        return value
    raise UsageError(f"{where} is {_shown(written)}.", f"Give {_expected(field)}.")


def mapping_of(written: Any, where: str) -> dict[str, Any]:
    """A mapping unchanged; a text is read as JSON or as the path of a JSON file, which begins like no JSON."""
    if isinstance(written, dict):
        return written
    if not isinstance(written, str):
        raise UsageError(f"{where} is {_shown(written)}.", "Give JSON or a file of it.")
    return read_object(where, written if written.startswith(("{", "[", '"', "@")) else f"@{written}")


def metavar_of(field: Field) -> str:
    """The placeholder of the value in the help text."""
    if field.is_switch:
        return "[true|false]"
    if field.is_list:
        return "WORD"
    names = {int: "N", float: "F", dict: "JSON|FILE", str: "TEXT"}
    return next((names[kind] for kind in field.kinds if kind in names), "JSON")


def _read(kind: Any, written: Any, field: Field, where: str) -> Any:
    """The value as one type; a ValueError or TypeError where it is not of that type."""
    if kind is NoneType:
        return _none(written, field)
    if kind is bool:
        return _switch(written, field)
    if kind is int or kind is float:
        return _number(kind, written)
    if kind is str:
        return _text(written, field)
    if get_origin(kind) is list:
        return _list(kind, written, field, where)
    if get_origin(kind) is Literal:
        return _literal(kind, written)
    mapping = mapping_of(written, where)
    return mapping if kind is dict else _made(kind, mapping, where)


def _none(written: Any, field: Field) -> None:
    if written is None or (str not in field.kinds and str(written).lower() in _NONE):
        return
    raise ValueError(written)


def _switch(written: Any, field: Field) -> bool:
    if isinstance(written, bool):
        return written
    text = str(written).lower()
    if text not in SWITCH_WORDS or text in field.choices:
        raise ValueError(written)
    return SWITCH_WORDS[text]


def _number(kind: type[int] | type[float], written: Any) -> int | float:
    if isinstance(written, bool) or not isinstance(written, str | int | float):
        raise TypeError(written)
    if kind is int and not isinstance(written, float):
        try:
            return int(written)
        except ValueError:  # 1e3 is a whole number too
            pass
    number = float(written)
    if not math.isfinite(number) or (kind is int and not number.is_integer()):
        raise ValueError(written)
    return kind(number)


def _text(written: Any, field: Field) -> str:
    if isinstance(written, list) and len(written) == 1:
        written = written[0]
    if isinstance(written, bool) or str(written).lower() in ("true", "false"):
        wanted = ("no", "none") if str(written).lower() == "false" else ("group",)
        found = [word for word in wanted if word in field.choices]
        if found:  # YAML reads `no` as false, and TRL accepts `scale_rewards: true`
            return found[0]
    if isinstance(written, bool) or not isinstance(written, str | int | float):
        raise TypeError(written)
    return str(written)


def _list(kind: Any, written: Any, field: Field, where: str) -> list[Any]:
    items = _items(written, where)
    if str in field.kinds and len(items) == 1:  # a single text stays a text
        raise ValueError(written)
    (inner,) = get_args(kind)
    return [_number(inner, item) if inner in (int, float) else _text(item, field) for item in items]


def _items(written: Any, where: str) -> list[Any]:
    """The items of a list; a single text may hold them separated by commas, or as JSON."""
    if isinstance(written, list) and len(written) == 1 and isinstance(written[0], str):
        written = written[0]
    if isinstance(written, list):  # TRL's pages write words with commas: q_proj, v_proj
        return [item.removesuffix(",") if isinstance(item, str) else item for item in written]
    if not isinstance(written, str):
        raise TypeError(written)
    if written.startswith("["):
        try:
            return list(json.loads(written))
        except ValueError as exc:
            raise UsageError(
                f"{where} is not JSON: {written!r:.80} ({exc}).", """Like '["a", "b"]', or a,b."""
            ) from exc
    return written.removesuffix(",").split(",") if written else []


def _literal(kind: Any, written: Any) -> Any:
    for choice in get_args(kind):
        if written == choice or (isinstance(choice, bool) and str(written).lower() == str(choice).lower()):
            return choice
    raise ValueError(written)


def _made(kind: Any, mapping: dict[str, Any], where: str) -> Any:
    """The object that TRL expects, such as accelerate's `ParallelismConfig`, from a mapping."""
    try:
        return kind(**mapping)
    except Exception as exc:  # raised by the constructor
        text = describe_error(exc)
        raise UsageError(
            f"{where} is not a valid {kind.__name__}: {text}.", f"See the docs of {kind.__name__}."
        ) from exc


def _check(field: Field, value: Any, where: str) -> None:
    """Raise for a text that is not among the choices, and a number out of bounds."""
    words = value if isinstance(value, list) else [value]
    for word in words:
        if field.choices and isinstance(word, str) and not _is_choice(word, field):
            hint = did_you_mean(word, field.choices) or f"Choose from {', '.join(field.choices)}."
            raise UsageError(f"{where} is {word!r}.", hint)
    if isinstance(value, int | float) and not isinstance(value, bool):
        accepted = out_of_bounds(field.name, value)
        if accepted:
            raise UsageError(f"{where} is {value}.", f"Give {accepted}.")


def _is_choice(word: str, field: Field) -> bool:
    return word in field.choices or word == field.default or f"'{word}'" in field.help


def _shown(written: Any) -> str:
    if isinstance(written, list) and all(isinstance(item, str) for item in written):
        written = " ".join(written)
    return "null" if written is None else f"{written!r:.80}"


def _expected(field: Field) -> str:
    if field.choices:
        return f"one of {', '.join(field.choices)}"
    names = {
        NoneType: "none",
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "a text",
        dict: "JSON or a file of it",
    }
    text = [names.get(kind, "a list, such as 1,2") for kind in field.kinds]
    return " or ".join(dict.fromkeys(reversed(text)))
