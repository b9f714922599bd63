"""The ways to write the value of a column as an answer: in a form that the prompt shows, with its items apart."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.prompts.answer_templates import ANSWER_TEMPLATES
from grpo_env_sdk.checking.evidence.prompts.asked_templates import SLOT, asked_templates, filled
from grpo_env_sdk.late_patterns import regex

MOST_ITEMS, MOST_FORMS = 12, 6
BETWEEN = (" ", ", ", "\n", " > ", "-", "; ")
"""What may stand between the items of a list, or the letters of an order."""
_QUOTES = r"[`\"'“*]{1,2}"
_PLACE = r"(?:<[^<>\n]{1,60}>|\.\.\.|…|\[[^\[\]\n]{1,40}\]|\b(?:N|X|HH:MM|YYYY-MM-DD)\b)"
_SHOWN = regex(
    rf"{_QUOTES}(?P<before>[^`\"“\n<]{{1,40}}?){_PLACE}(?P<after>[^`\"'”\w\n]{{0,10}}){_QUOTES}|"
    rf"^(?P<label>[^\W\d_][\w ]{{0,30}}[:=] ?){_PLACE}$",
    re.MULTILINE,
)
"""A form of the answer with a place in it, in quotes or on a line of its own."""
_LABEL = regex(rf"{_QUOTES}([^\W\d_][\w ]{{0,30}}[:=])\s?{_QUOTES}")
_EXAMPLE = regex(rf"{_QUOTES}([^\W\d_][\w ]{{0,30}}[:=] ?)(?![\w ]*[:=])[^`\"'”*\n]{{1,40}}{_QUOTES}")


@dataclass(frozen=True, slots=True)
class Spelling:
    """A form with a slot for a value, and what is between the value's items; None where it is written as it is."""

    form: str = SLOT
    between: str | None = None

    def write(self, value: object) -> str:
        """The answer that says this value."""
        items = _items(value)
        if self.between is not None and items:
            return filled(self.form, self.between.join(items))
        return filled(
            self.form, json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
        )

    @property
    def named(self) -> str:
        """How a message names it."""
        return self.form.replace(SLOT, "{}" if self.between is None else f"{{}}{self.between}{{}}")


AS_IT_IS = Spelling()


def usual_spellings(value: object) -> list[Spelling]:
    """A value in the usual forms; a list with commas too."""
    found = [Spelling(template.format(SLOT)) for template in ANSWER_TEMPLATES]
    return [*found, Spelling(SLOT, ", ")] if isinstance(value, list) else found


def spellings(prompt: str, value: object, frames: Sequence[str] = ()) -> list[Spelling]:
    """A value in the usual forms, those that the prompt shows and these, with its items apart where it has several."""
    forms = list(dict.fromkeys([SLOT, *_forms(prompt), *asked_templates(prompt, str(value))]))[:MOST_FORMS]
    forms = list(dict.fromkeys([*forms, *frames]))
    between = (None, *BETWEEN) if _items(value) else (None,)
    found = [Spelling(form, apart) for form in forms for apart in between]
    if isinstance(value, list) and _items(value):
        found += [_each_in(form) for form in forms if form != SLOT]
    return list(dict.fromkeys([*usual_spellings(value), *found]))


def _each_in(form: str) -> Spelling:
    """Each item in a form of its own, such as a tag, on a line of its own."""
    before, _, after = form.partition(SLOT)
    return Spelling(form, f"{after}\n{before}")


def _forms(prompt: str) -> Iterator[str]:
    for found in _SHOWN.finditer(prompt):
        yield f"{found['label'] or found['before']}{SLOT}{found['after'] or ''}"
    for pattern in (_LABEL, _EXAMPLE):
        for label in pattern.findall(prompt):
            yield f"{label.rstrip()} {SLOT}"


def _items(value: object) -> list[str]:
    """The items of a list of texts and numbers, or the letters of a short word that is an order of letters."""
    if isinstance(value, list):
        return [str(one) for one in value] if all(isinstance(one, str | int | float) for one in value) else []
    order = isinstance(value, str) and re.fullmatch(r"[A-Z]{3,}|[a-z]{3,}|\d{3,}", value)
    return list(str(value)) if order and len(set(str(value))) == len(str(value)) <= MOST_ITEMS else []
