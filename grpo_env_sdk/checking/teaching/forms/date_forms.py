"""Dates and times in the other forms that a prompt names: '5 March 2025' or 'March 5, 2025', '14:30' or '2:30 pm'."""

import re
from collections.abc import Callable
from functools import lru_cache

from grpo_env_sdk.checking.evidence.prompts.asked_dates import date_in, in_mask, masks_shown
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.teaching.forms.form import NEGATED, Form
from grpo_env_sdk.checking.teaching.forms.moment_forms import MOMENT_FORMS
from grpo_env_sdk.late_patterns import regex

_OR = r"\b(?:or|both|either|any of|oder|beide|ou|les deux|ambos|ambas|oppure|entrambi)\b"
_FOR_ANSWERS = regex(
    r"\b(?:answer\w*|write|written|reply|give|given|fine|accepted|allowed|format\w*|forms?|dates? as|schreib\w*|"
    r"antwort\w*|écri\w*|répond\w*|escrib\w*|respond\w*|scriv\w*|rispond\w*)\b",
    re.IGNORECASE,
)
_TURNS_INTO = regex(
    r"\b(?:convert|translat|rewrit|normali[sz]|reformat|pars)\w*|\b(?:into|from)\b|"
    r"\b(?:tools?|argument|parameter|file|documents?|records?)\b",
    re.IGNORECASE,
)
"""What a sentence says whose dates are given, or are no answers."""
_TIME = regex(r"(?<![\d:])(\d{1,2}):(\d\d)(?: ?([ap])(\.?)m\b\4)?(?![\d:])", re.IGNORECASE)
MASKS = (
    *("D MMMM YYYY", "DD MMMM YYYY", "MMMM D, YYYY", "MMMM D YYYY", "D MMM YYYY", "MMM D, YYYY", "YYYY-MM-DD"),
    *("DD.MM.YYYY", "D.M.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "YYYY/MM/DD", "DD-MM-YYYY", "MM-DD-YYYY"),
)


@lru_cache(maxsize=128)
def _alternatives(prompt: str) -> frozenset[str]:
    """The forms of dates between which a sentence about the answer leaves the choice."""
    for said in _choices(prompt):
        if len(masks := masks_shown(said)) > 1:
            return frozenset(masks)
    return frozenset()


def _choices(prompt: str) -> list[str]:
    return [
        said for said in sentences_of(prompt)
        if re.search(_OR, said, re.I) and _FOR_ANSWERS.search(said)
        and not _TURNS_INTO.search(said) and not re.search(NEGATED, said, re.I)
    ]  # fmt: skip


def _in_form(mask: str) -> Callable[[str, str], str | None]:
    def write(core: str, prompt: str) -> str | None:
        day = date_in(core) if mask in _alternatives(prompt) else None
        return None if day is None else in_mask(day, mask)

    return write


def _with_half(core: str, prompt: str) -> str | None:
    """A time of 24 hours with am or pm, written as the prompt writes those between which it leaves the choice."""
    found, shown = _TIME.fullmatch(core), _halves(prompt)
    if found is None or found[3] or shown is None or int(found[1]) > 23:
        return None
    half, space = ("ap"[int(found[1]) > 11]) + "m", " " * (" " in shown)
    return f"{(int(found[1]) - 1) % 12 + 1}:{found[2]}{space}{half.upper() if shown[-1].isupper() else half}"


@lru_cache(maxsize=128)
def _halves(prompt: str) -> str | None:
    """A time with am or pm that a sentence shows beside one of 24 hours."""
    for said in _choices(prompt):
        times = list(_TIME.finditer(said))
        with_half = [one[0] for one in times if one[3] and not one[4]]
        if with_half and any(not one[3] and int(one[1]) > 12 for one in times):
            return with_half[0]
    return None


DATE_FORMS = (
    *(
        Form(f"as {mask}, which it allows,", _in_form(mask), _OR, sure=True)
        for mask in MASKS
    ),
    Form("as a time with am or pm, which it allows,", _with_half, _OR, sure=True),
    *MOMENT_FORMS,
)  # fmt: skip
