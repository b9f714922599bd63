"""Whether gold's numbers are in the unit that a schema asks for, where prompts say how much of another one that is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor

from grpo_env_sdk.checking.evidence.attempts.slots import Slot, with_values
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, gold_episodes, play_scored, too_good
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, properties_of, tool_named
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_ROWS, FEWEST_VALUES, MOST_PLAYED, NEARLY_ALL = 4, 3, 8, 0.8
"""On how many rows, with how many numbers, how many are tried, and of which share, as some numbers coincide."""
_UNIT = r"(?P<unit>(?:(?:cubic|square) )?[^\W\d_]{2,})"
_ASKED = regex(
    rf"\b(?:in|number of|how many) (?:whole |full )?{_UNIT}(?=\W*$|[.,;:)]| (?:to|of|that|there)\b)", re.IGNORECASE
)
_ENDING = regex(r"(?:(?<=[xz])|(?<=[cs]h))es$|s$")
_ONE = r"\b(?:an?|one|1|each|every|per)"
_BETWEEN = r"(?:(?!(?:per|in|an?|each|to|for|make|of|and|or) )[^\W\d_]+ ){0,2}"
"""Adjectives between a number and its unit."""
_NUMBER = r"(?<![\w.,])(?P<rate>\d+(?:\.\d+)?)[ -]?"


@dataclass(frozen=True, slots=True)
class Rated:
    """A number of gold with the unit that it has in the prompt, the unit that is asked, and what that makes it."""

    slot: Slot
    here: str
    asked: str
    converted: float

    @property
    def numbers(self) -> list[int | float]:
        """The number as a model converts it, also rounded up and down where whole ones are taken, if it is not 0."""
        near = round(self.converted, 6)
        numbers = [floor(near), ceil(near)] if type(self.slot.value) is int else [near]
        return list(dict.fromkeys(filter(None, numbers)))


def numbers_by_a_rate(subject: Subject, act: str, name: str, slots: Sequence[Slot]) -> Iterator[Finding]:
    """The finding that gold has the number of the prompt, whose unit is another than the schema's and has a rate."""
    tool = tool_named(subject.tools, act)
    said = str(properties_of(tool).get(name, {}).get("description") or "") if tool else ""
    asked = {found["unit"].casefold() for found in _ASKED.finditer(said)}
    if tool is None or len(asked) != 1:
        return
    unit = asked.pop()
    texts = f"{name} {said} {description_of(tool)}".replace("_", " ")
    found = [one for slot in slots if (one := _rated(subject, slot, unit, texts))]
    if len(found) < max(FEWEST_ROWS, NEARLY_ALL * len(slots)) or len({one.slot.value for one in found}) < FEWEST_VALUES:
        return
    tried = found[:MOST_PLAYED]
    lost = _lost(subject, tried)
    if len(lost) >= max(FEWEST_ROWS, len(tried) / 2):
        first = next(one for one in tried if one.slot.gold.row == lost[0].row_index)
        yield Finding(
            f"The schema of {act} asks for {name!r} in {unit}, and gold calls it with the number of the prompt, "
            f"which is in {first.here}, on {len(found)} rows: {first.numbers[0]:g}, as a model converts "
            f"{first.slot.value:g} by what the prompt says, scores {lost[0].reward:g} on {len(lost)} of "
            f"{len(tried)} rows.",
            "Convert in the tool and in gold, or name the unit that the tool takes.",
            *too_good(subject, lost[0]),
        )  # fmt: skip


def _rated(subject: Subject, slot: Slot, asked: str, texts: str) -> Rated | None:
    """The number of gold, if its unit in the prompt has a rate to the one that is asked, there or in a reply."""
    prompt = prompt_text(subject, slot.gold.row)
    number = re.escape(f"{slot.value:g}" if isinstance(slot.value, float) else str(slot.value))
    units = {found.casefold() for found in re.findall(rf"(?<![\w.,]){number}[ -]([^\W\d_]{{2,}})", prompt)}
    if len(units) != 1:
        return None
    here = units.pop()
    has_asked = re.search(rf"(?<![\w.,]){number}[ -]{_BETWEEN}{_pattern(asked)}", prompt, re.IGNORECASE)
    if has_asked or _names(texts, here) or _names(asked, here):
        return None
    replies = [str(call["content"]) for call in gold_episodes(subject)[slot.gold.row].tool_calls]
    for text in (prompt, *replies):
        for one, many, power in ((asked, here, -1), (here, asked, 1)):
            rates = {float(found["rate"]) for found in _rates(text, _pattern(one), _pattern(many))} - {slot.value}
            if len(rates) == 1 and (rate := rates.pop()) not in (0, 1):
                return Rated(slot, here, asked, slot.value * rate**power)
    return None


def _rates(text: str, one: str, many: str) -> Iterator[re.Match[str]]:
    """Where a text says how much of a unit one of another is."""
    between = r"[^.;:\n\d]"
    yield from re.finditer(rf"{_ONE} {one}{between}{{0,60}}?{_NUMBER}{many}", text, re.IGNORECASE)
    yield from re.finditer(
        rf"{_NUMBER}{many}(?: of [^\W\d_]+)?(?: in| to| make| for)? ?(?:{_ONE} |/ ?){one}", text, re.IGNORECASE
    )


def _pattern(unit: str) -> str:
    return rf"{re.escape(_ENDING.sub('', unit))}(?:e?s)?(?!\w)"


def _names(text: str, unit: str) -> bool:
    return re.search(rf"(?<!\w){_pattern(unit)}", text, re.IGNORECASE) is not None


def _lost(subject: Subject, tried: Sequence[Rated]) -> list[Episode]:
    """For each row on which all converted numbers score less than gold, one such episode."""
    calls = [(one.slot.gold.row, with_values([one.slot], [number])) for one in tried for number in one.numbers]
    played = play_scored(subject, [(row, turns) for row, turns in calls])
    if len(played) < len(calls):
        return []
    groups = [list(group) for _, group in groupby(played, key=lambda episode: episode.row_index)]
    return [group[0] for group in groups if not any(as_good_as_gold(subject, one) for one in group)]
