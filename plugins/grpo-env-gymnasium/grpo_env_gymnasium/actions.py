"""Actions of a space as text: finding one in an answer, and parsing it."""

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy
from gymnasium import Space, spaces

MARK = "ACTION:"
_MARKED = re.compile(r"\baction\s*:(.*)", re.IGNORECASE)
_NUMBERED = re.compile(r"([+-]?[0-9]{1,18})\s*[:.)-]?\s*(.*)", re.DOTALL)
_AROUND = " \t\r`*_\"'.!"

Names = Sequence[str]


class NotAnActionError(ValueError):
    """An answer that names no action of the space, or more than one."""


def find_action(text: str) -> str:
    """The text after `ACTION:`, or else the last line; different actions in one answer are an error."""
    marked: list[str] = [found.strip(_AROUND) for found in _MARKED.findall(text)]
    lines = [line.strip(_AROUND) for line in text.splitlines() if line.strip()]
    said = list(dict.fromkeys(marked or lines[-1:]))
    if len(said) > 1:
        raise NotAnActionError(f"That is {len(said)} actions: {_shown(said[0])} and {_shown(said[1])}. Take one.")
    if not said or not said[0]:
        raise NotAnActionError("That is no action.")
    return said[0]


def read_action(text: str, space: Space[Any], names: Names = ()) -> Any:
    """The action that a text names; a `NotAnActionError` says what is wrong with it."""
    if isinstance(space, spaces.Text):
        return as_action(text, space)
    if isinstance(space, spaces.Discrete):
        return _read_discrete(text, space, names)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = [_number(word) for word in re.split(r"[\s,]+", text.strip("[]() "))]
    return as_action(value, space)


def as_action(value: Any, space: Space[Any], names: Names = ()) -> Any:
    """Plain JSON as an action of the space."""
    made = _made(value, space, names)
    if made is None or not space.contains(made):
        raise NotAnActionError(f"{_shown(value)} is no action.")
    return made


def example_of(space: Space[Any]) -> Any:
    """An example of an action as plain JSON: zeros if these are in the space, else its lowest values."""
    match space:
        case spaces.Tuple():
            return list(map(example_of, space))
        case spaces.Dict():
            return {name: example_of(part) for name, part in space.items()}
        case spaces.Text():
            return "".join(sorted(space.character_set))[: max(1, space.min_length)]
        case spaces.Box():
            return numpy.clip(numpy.zeros(space.shape, space.dtype), space.low, space.high).tolist()
        case spaces.Discrete() | spaces.MultiDiscrete():
            return space.start.tolist()
        case spaces.MultiBinary():
            return numpy.zeros(space.shape, int).tolist()
    raise TypeError(f"{space} has no example")


def _read_discrete(text: str, space: spaces.Discrete, names: Names) -> Any:
    """A number, a name, the last word of a name, or a number with its name."""
    numbered = _NUMBERED.fullmatch(text)
    if numbered and numbered[2].casefold() in ("", *_names_of(int(numbered[1]), space, names)):
        return as_action(int(numbered[1]), space)
    meant = [index for index, name in enumerate(names) if text.casefold() in (name.casefold(), _last_word(name))]
    if len(meant) != 1:
        raise NotAnActionError(f"{_shown(text)} is no action.")
    return as_action(int(space.start) + meant[0], space)


def _names_of(action: int, space: spaces.Discrete, names: Names) -> list[str]:
    index = action - int(space.start)
    return [names[index].casefold()] if 0 <= index < len(names) else []


def _last_word(name: str) -> str:
    return name.casefold().rpartition(" ")[2]


def _made(value: Any, space: Space[Any], names: Names = ()) -> Any:
    """The value in the types of the space, or None if it has another shape."""
    match space:
        case spaces.Discrete():
            if isinstance(value, str) and value in names:
                return space.dtype.type(int(space.start) + names.index(value))
            return space.dtype.type(value) if _is_whole(value) and abs(value) < 2**62 else None
        case spaces.Text():
            return value if isinstance(value, str) else None
        case spaces.Tuple() if isinstance(value, list) and len(value) == len(space):
            return tuple(_made(item, part) for item, part in zip(value, space, strict=True))
        case spaces.Dict() if isinstance(value, dict) and value.keys() == space.keys():
            return {name: _made(value[name], part) for name, part in space.items()}
        case spaces.Box() | spaces.MultiDiscrete() | spaces.MultiBinary():
            return _array(value, space)
    return None


def _array(value: Any, space: Space[Any]) -> Any:
    """Numbers in the shape of the space; a single number if the space has room for one."""
    try:
        made = numpy.asarray(value)
        whole = not isinstance(space, spaces.Box) or numpy.issubdtype(space.dtype, numpy.integer)
        if made.dtype.kind not in ("iu" if whole else "iuf") or made.size != numpy.prod(space.shape or ()):
            return None
        if made.shape != space.shape and made.size != 1:
            return None
        with numpy.errstate(over="ignore"):
            return made.astype(space.dtype).reshape(space.shape)
    except (ValueError, OverflowError):  # a list of lists of unequal lengths
        return None


def _number(word: str) -> Any:
    for kind in (int, float):
        try:
            return kind(word[:40])
        except ValueError:
            continue
    raise NotAnActionError(f"{_shown(word)} is no number.")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
