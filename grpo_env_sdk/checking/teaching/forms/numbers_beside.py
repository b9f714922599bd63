"""Whether gold calls with the number beside the one in the prompt, where a schema counts as the prompt does."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.golds import gold_episodes, play_all, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import properties_of, tool_named
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import Act, compared_acts, last_acts, looking_tools
from grpo_env_sdk.checking.evidence.tool_use.calls import tools_in
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.first_page import FROM_ONE, ZERO
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, canonical_json

FEWEST_ROWS, FEWEST_VALUES, MOST_ROWS, RARELY = 6, 4, 10, 0.25
"""On how many rows, with how many values, and on what share of rows the prompt may have gold's number as well."""
_FROM_ONE = regex(rf"{FROM_ONE.pattern}|\bfrom (?:1|one)\b", re.IGNORECASE)
"""The same where a parameter itself is described."""
_INCLUDED = regex(r"(?<!not )\b(?:includ(?:ed|ing|es?)|inclusive(?:ly)?)\b", re.IGNORECASE)
_EXCLUDED = regex(r"\b(?:exclu\w+|not includ\w+|up to but|before)\b", re.IGNORECASE)
BESIDE = regex(
    r"\b(?:before|after|afterwards|preced\w+|previous\w*|next|follow\w+|above|below|under|over|earlier|later|beside|"
    r"neighbou?r\w*|adjacent|eve|vor|nach|davor|danach|über|unter|avant|après|antes|después)\b",
    re.IGNORECASE,
)
"""Words with which another one may be meant than the one that is named."""
_COUNTS = regex(r"count|limit|size|amount|number_of|how_many|length|\bn\b", re.IGNORECASE)
_NUMBER = regex(r"(?<![\w.,])(\d{1,4})(?:st|nd|rd|th)?(?![\w]|[.,:]\d)")
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
)  # fmt: skip


def numbers_beside_told(subject: Subject) -> Iterator[Finding]:
    """The finding that each call of gold has a number one below or above that of the prompt, which shows another."""
    for name, acts in last_acts(subject).items():
        shifts = _shifts(subject, acts)
        if not shifts:
            continue
        told = [(act, {key: act.arguments[key] + shift for key, shift in shifts.items()}) for act in acts[:MOST_ROWS]]
        key, shift = next(iter(shifts.items()))
        looks, none = name in looking_tools(subject), any(act.arguments[key] == 0 for act in acts)
        lost = _shown_otherwise(subject, told) if looks else _refused(subject, told) if none else None
        if lost is None:
            continue
        act, given = next(one for one in told if one[0].gold.row == lost.row_index)
        way = "less" if shift > 0 else "more"
        yield Finding(
            f"What {name} says of {key!r} is that {'it counts from 1' if shift > 0 else 'it is included'}, and gold "
            f"calls it with one {way} than the prompt says on all {len(acts)} rows: {act.arguments[key]} for "
            f"{given[key]} in row {act.gold.row}, where a call with {given[key]} does not show or do the same.",
            "Count in the tool as its schema says, with both ends if it says so, or correct the schema.",
            act.gold.row, own_turns(lost.completion), _last_reply(lost), quoted(act.gold.text),
        )  # fmt: skip
        return


def _shifts(subject: Subject, acts: Sequence[Act]) -> dict[str, int]:
    """The parameters that gold gives one below or above a number of all prompts, with what is to be added."""
    found = {}
    for key, shift in ((key, shift) for key in acts[0].arguments for shift in (1, -1)):
        numbers = [act for act in acts if type(act.arguments.get(key)) is int]
        values = {act.arguments[key] for act in numbers}
        if len(numbers) < max(FEWEST_ROWS, len(acts)) or len(values) < FEWEST_VALUES:
            continue
        if not _is_counted_so(subject, acts[0], key, shift):
            continue
        said = {act.gold.row: numbers_in(prompt_text(subject, act.gold.row)) for act in numbers}
        beside = all(act.arguments[key] + shift in said[act.gold.row] for act in numbers)
        itself = sum(act.arguments[key] in said[act.gold.row] for act in numbers)
        below_first = shift > 0 and 0 in values
        meant = any(BESIDE.search(prompt_text(subject, act.gold.row)) for act in numbers)
        if beside and itself <= RARELY * len(numbers) and (below_first or not meant):
            found[key] = shift
    return found


def numbers_in(prompt: str) -> set[int]:
    """The whole numbers of a prompt, and its ordinals."""
    words = re.findall(r"\w+", prompt.casefold())
    return {int(one) for one in _NUMBER.findall(prompt)} | {
        place for place, one in enumerate(_ORDINALS, 1) if one in words
    }


def _is_counted_so(subject: Subject, act: Act, key: str, shift: int) -> bool:
    """Whether the schema says that a parameter counts from 1, or that the last one is included."""
    tool = tool_named(tools_in(subject, gold_episodes(subject)[act.gold.row]), act.name)
    if tool is None:
        return False
    own, whole = (str(one.get("description") or "") for one in (properties_of(tool).get(key, {}), tool["function"]))
    if shift > 0:
        counts = bool(_FROM_ONE.search(own) or (FROM_ONE.search(whole) and not _COUNTS.search(key)))
        return counts and not ZERO.search(canonical_json(tool))
    return bool(_INCLUDED.search(own)) and not _EXCLUDED.search(f"{own} {whole}")


def _shown_otherwise(subject: Subject, told: Sequence[tuple[Act, Mapping[str, Any]]]) -> Episode | None:
    """The first episode of a call as told, if gold's calls show on all rows what gold says, and those do not."""
    pairs = [(act, changed) for act, given in told for changed in ({}, given)]
    played = play_all(subject, [(act.gold.row, [*act.before, act.again(**given), ""]) for act, given in pairs])
    for (act, given), episode in zip(pairs, played, strict=True):
        said = words_of(act.gold.text)
        if not said or (said <= words_of(_last_reply(episode))) is bool(given):
            return None
    return played[1]


def _refused(subject: Subject, told: Sequence[tuple[Act, Mapping[str, Any]]]) -> Episode | None:
    """The first episode of an act as told, if all lose."""
    played = compared_acts(subject, [(act, [*act.before, act.again(**given), *act.end]) for act, given in told])
    return played[0] if len(played) >= FEWEST_ROWS and not won_of(subject, played) else None


def _last_reply(episode: Episode) -> str:
    return str(episode.tool_calls[-1]["content"]) if episode.tool_calls else ""
