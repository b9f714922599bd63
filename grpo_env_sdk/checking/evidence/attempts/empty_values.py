"""The form of an answer with a value that says nothing in every place of it: NaN, null, true, an empty text."""

import json
import re
from collections.abc import Iterator
from math import inf, nan
from typing import Any

from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.prompts.shown_objects import MOST_CHARS, everywhere, filled_with
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Row

EMPTY_VALUES: tuple[Any, ...] = (nan, inf, -inf, None, True, "")
"""What JSON and `float` read, and what passes comparisons in ways that few authors think of."""
_NUMBER = r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?"
_PLACE = rf"(?:{_NUMBER}|\.\.\.|…|<[^<>\n]{{1,30}}>)"
_NAMED = rf"[^\W\d_][\w ]{{0,20}} ?[:=] ?{_PLACE}"
_PAIRS = regex(rf"(?<![\w.*/+-]){_NAMED}(?:(?:[,;]| and|\n)[ \t]*{_NAMED})+")
_LISTED = regex(r"\(?(?<![\w.])-?\d+(?:\.\d+)?(?:, ?-?\d+(?:\.\d+)?)+\)?")
_NESTED = regex(r"\{(?:[^{}]|\{[^{}]*\})*\}|\[(?:[^\[\]]|\[[^\[\]]*\])*\]")


def emptied_answer(value: Any, answer: str) -> Iterator[str]:
    """A right answer with this value in place of what it says: of each value of its JSON, or of each number."""
    data = _data_in(answer)
    if data is not None:
        yield from _emptied(data, value)
    elif re.search(_NUMBER, answer) and value is not True:
        yield re.sub(_NUMBER, str(value), answer)


def emptied_forms(value: Any, prompt: str, row: Row) -> Iterator[str]:
    """The last object, labelled values and list that a prompt shows, with this value in every place."""
    text = prompt[-MOST_CHARS:]
    if isinstance(value, float):
        yield from filled_with(value, prompt, row)
    if (data := _data_in(text)) is not None:
        yield from _emptied(data, value)
    for pattern, place in ((_PAIRS, rf"(?<=[:=] ){_PLACE}|(?<=[:=]){_PLACE}"), (_LISTED, _NUMBER)):
        if value is not True and (found := list(pattern.finditer(text))):
            yield re.sub(place, str(value), found[-1].group())


def _data_in(text: str) -> Any:
    """The last object or list in JSON that a text holds and that has something in it; None where there is none."""
    for found in reversed(list(_NESTED.finditer(text))):
        if value := read_json(found.group()):
            return value
    return None


def _emptied(data: Any, value: Any) -> Iterator[str]:
    """Data with this value in place of its numbers, where it is one, and of all of its values."""
    for numbers in (True, False) if isinstance(value, float) else (False,):
        yield json.dumps(everywhere(data, value, numbers), ensure_ascii=False)
