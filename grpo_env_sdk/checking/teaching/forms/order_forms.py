"""Lists in other orders that a prompt leaves open."""

import re

from grpo_env_sdk.checking.teaching.forms.form import Form
from grpo_env_sdk.checking.teaching.forms.list_forms import as_listed, data_of, items_of, turned
from grpo_env_sdk.late_patterns import regex

_PIECE_OF_CODE = regex(r"[\"=<>(){}]|(?<!\w)'|'(?!\w)")
"""The core of a gold that is code, such as the values of a query: its parts are no list."""
_NUMBER = regex(r"-?\d+(?:\.\d+)?")
_ANY_ORDER = r"\bin any order\b|\border (?:does not|doesn't) matter|\border is not important"
_WHICH = r"\bwhich of\b|\bwhich (?!is\b|was\b|has\b|does\b)\w+s\b"
_ALL_OF_THEM = (
    r"\b(?:name|list|give|find|write|select|state|enter|answer)\b[^.?!\n]{0,40}\ball\b"
    rf"|\ball of them\b|\bthem all\b|{_WHICH}|\ball (?:the )?\w+s that\b"
)
_IN_ORDER = (
    r"\bsort|\border|alphabet|lexicograph|\brank|sequence|ascend|descend|increas|decreas|revers|chronolog|numerical|"
    r"arrang|smallest|largest|\bsmall\b|\blow\b|\bhigh\b|\bfirst\b|\blast\b|minimum|median|maximum|quartile|"
    r"\bstep|\bpath|\broute|\bqueue|factor|\brespective|\bfrom (?:the )?(?:most|least|\w+est)|\bfrom \w+ to \w+|"
    r"\bpositions?\b|\bturns?\b|\bby (?:size|age|date|name|number|time|length|value)\b"
)


def _turned(core: str, prompt: str) -> str | None:
    """A list that is not sorted the other way round."""
    items = _items(core)
    return turned(core, prompt) if items and not _is_sorted(items) else None


def _as_listed(core: str, prompt: str) -> str | None:
    """A sorted list in the order of the prompt; two values may be where something begins and ends."""
    items = _items(core)
    return as_listed(core, prompt) if len(items) > 2 and _is_sorted(items) else None


def _names_as_listed(core: str, prompt: str) -> str | None:
    """The same where the prompt asks which of some names are meant."""
    named = all(item[:1].isalpha() for item in _items(core)) and re.search(_WHICH, prompt, re.IGNORECASE)
    return _as_listed(core, prompt) if named else None


def _others_as_listed(core: str, prompt: str) -> str | None:
    return None if _names_as_listed(core, prompt) else _as_listed(core, prompt)


def _items(core: str) -> list[str]:
    """The values of a list as texts; none of what is code or has only spaces between them."""
    value, (items, between) = data_of(core), items_of(core)
    if between == " " or (value is None and _PIECE_OF_CODE.search(core)):
        return []
    return [str(item) for item in value] if isinstance(value, list) else items


def _is_sorted(items: list[str]) -> bool:
    numbers = [float(item) for item in items if _NUMBER.fullmatch(item)]
    return items == sorted(items) or (len(numbers) == len(items) and numbers == sorted(numbers))


ORDER_FORMS = (
    Form("in another order", turned, _ANY_ORDER, sure=True),
    Form("in an order that it leaves open", _turned, _ALL_OF_THEM, _IN_ORDER, sure=True),
    Form("with its names in the order of the prompt", _names_as_listed, _WHICH, _IN_ORDER, sure=True),
    Form("with its values in the order of the prompt", _others_as_listed, _ALL_OF_THEM, _IN_ORDER),
)
