"""Whether gold's numbers are in the unit that the prompt and the tool's description name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.slots import TEXT, Slot, slots_of, with_values
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, play_scored, too_good
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, properties_of, tool_named
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.units_by_rate import numbers_by_a_rate
from grpo_env_sdk.checking.teaching.forms.units_of_replies import units_of_replies
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, canonical_json

FACTORS, FEWEST_VALUES = (100, 1000, 60, 3600, 0.01, 0.001), 3
_NUMBER = regex(r"(?<![\w.,:/-])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d:/]|[.,]\d)[ -]?([^\W\d_]+\b|[€%])?")
_SPELLED = (
    r"kg|kgs|kilos?|kilogram(?:me)?s?", r"g|gr|gram(?:me)?s?", r"km|kilomet(?:er|re)s?", r"m|met(?:er|re)s?",
    r"cm|centimet(?:er|re)s?", r"mm|millimet(?:er|re)s?", r"l|lit(?:er|re)s?", r"ml|millilit(?:er|re)s?",
    r"€|eur|euros?", r"usd|dollars?", r"gbp|pounds?", r"h|hrs?|hours?", r"min|mins|minutes?", r"s|secs?|seconds?",
    r"ms|milliseconds?", r"kb|kilobytes?", r"mb|megabytes?", r"gb|gigabytes?", r"kwh|kilowatt hours?", r"%|per ?cent",
)  # fmt: skip
"""The names of one unit, of which a prompt may have one and a schema another."""
_KINDS = (
    {"kg": 1000, "g": 1}, {"km": 1_000_000, "m": 1000, "cm": 10, "mm": 1}, {"l": 1000, "ml": 1},
    {"hour": 3_600_000, "minute": 60_000, "second": 1000, "ms": 1}, {"euro": 100, "cent": 1},
    {"dollar": 100, "cent": 1},
)  # fmt: skip
"""How many of the smallest unit of its kind each unit is."""
_OTHER_UNITS = regex(
    r"cents?\b|penn|pence|minor unit|smallest unit|second|\bsecs?\b|minute|\bmins?\b|milli|\bms\b|micro|basis point|"
    r"fraction|between 0 and 1|percent|per cent|\bkilo|\bkg\b|\bkm\b|\bgram|\bmetres?\b|\bmeters\b|\bcenti|"
    r"times (?:100|1000|60)\b|multipl|convert",
    re.IGNORECASE,
)
"""What a schema says where the number that it takes may be another one than that of the prompt."""


@dataclass(frozen=True, slots=True)
class Told:
    """A number of gold, and the number of the prompt that it is so many times."""

    slot: Slot
    number: float
    unit: str


@check("G639", kinds=("tools",), needs=("gold",))
def numbers_are_in_the_unit_that_is_told(subject: Subject) -> Iterator[Finding]:
    """Where a prompt and a tool's description name one unit, gold's number is in that unit."""
    yield from units_of_replies(subject)
    for (act, name), slots in slots_of(subject).items():
        own = [slot for slot in slots if type(slot.value) in (int, float) and slot.value]
        text = "" if act == TEXT else _said_of(subject, act, name)
        if len(own) < max(FEWEST_ROWS, len(slots)) or not text:
            continue
        for factor in FACTORS:
            told = [found for slot in own if (found := _told(subject, slot, factor, text))]
            for first, episode, lost in _refused(subject, told, len(own)):
                yield Finding(
                    f"The prompt and the description of {act} name {name!r} in {first.unit}, and gold calls it with "
                    f"{factor:g} times that on {len(told)} rows: {first.number:g} {first.unit}, as a model reads it, "
                    f"scores {episode.reward:g} on {lost} of them, and {first.slot.value:g} "
                    f"{first.slot.gold.reward:g} in row {episode.row_index}.",
                    "Convert in the tool, or name the unit that it takes.",
                    *too_good(subject, episode),
                )  # fmt: skip
                return
        converted = [found for slot in own if (found := _converted(subject, slot, text))]
        for first, episode, lost in _refused(subject, converted, len(own)):
            yield Finding(
                f"The description of {act} asks for {name!r} in the unit {first.unit!r}, and gold calls it with the "
                f"number of the prompt, which has another unit, on {len(converted)} rows: {first.number:g}, as a model "
                f"converts {first.slot.value:g}, scores {episode.reward:g} on {lost} of them.",
                "Convert in the tool and in gold, or name the unit that the tool takes.",
                *too_good(subject, episode),
            )  # fmt: skip
            return
        by_rate = list(numbers_by_a_rate(subject, act, name, own))
        yield from by_rate
        if by_rate:
            return


def _refused(subject: Subject, told: Sequence[Told], of: int) -> Iterator[tuple[Told, Episode, int]]:
    """A number as it is told that scores less than gold's, its episode, and on how many rows that is so, if on most."""
    if len(told) < of or len({one.number for one in told}) < FEWEST_VALUES:
        return
    as_told = play_scored(subject, [(one.slot.gold.row, with_values([one.slot], [one.number])) for one in told])
    lost = [one for one in as_told if not as_good_as_gold(subject, one)]  # sizes are the same for some
    if len(as_told) == len(told) and len(lost) >= max(FEWEST_ROWS, len(told) / 2):
        yield next(one for one in told if one.slot.gold.row == lost[0].row_index), lost[0], len(lost)


def _said_of(subject: Subject, act: str, name: str) -> str:
    """The name of a parameter and what its tool says of it and of itself, with the underscores of names as spaces."""
    tool = tool_named(subject.tools, act)
    said = [properties_of(tool).get(name), description_of(tool)] if tool else []
    return f"{name} {canonical_json(said)}".replace("_", " ")


def _told(subject: Subject, slot: Slot, factor: float, text: str) -> Told | None:
    """The one number of the prompt whose unit the tool names too, if gold's is so many times as large."""
    found = [(_number(number), unit) for number, unit in _units(prompt_text(subject, slot.gold.row))]
    if any(number == slot.value for number, _ in found):
        return None
    for number, unit in found:
        if abs(number * factor - slot.value) < 1e-6 * abs(slot.value) and _names(text, unit):
            return Told(slot, int(number) if number.is_integer() else number, unit)
    return None


def _units(prompt: str) -> Sequence[tuple[str, str]]:
    return [(found[1], found[2]) for found in _NUMBER.finditer(prompt) if found[2]]


def _names(text: str, unit: str) -> bool:
    """Whether a text names this unit, by any of its names, and no other one."""
    plain = rf"{re.escape(unit.rstrip('s') or unit)}(?:s|es)?"
    names = next((one for one in _SPELLED if re.fullmatch(one, unit, re.IGNORECASE)), plain)
    rest, times = re.subn(rf"(?<![\w'(])(?:{names}|{plain})(?!\w)", "", text, flags=re.IGNORECASE)
    return times > 0 and not _OTHER_UNITS.search(rest)


def _converted(subject: Subject, slot: Slot, text: str) -> Told | None:
    """The number that a tool asks for by its unit, where gold's is that of the prompt, in another unit of its kind."""
    found = [unit for number, unit in _units(prompt_text(subject, slot.gold.row)) if _number(number) == slot.value]
    kinds = [kind for kind in _KINDS if len(found) == 1 and any(_is_unit(found[0], unit) for unit in kind)]
    for kind in kinds:
        here = next(unit for unit in kind if _is_unit(found[0], unit))
        asked = [unit for unit in kind if unit != here and _names(text, unit) and not _names_at_all(text, here)]
        if len(asked) == 1:
            number = round(slot.value * kind[here] / kind[asked[0]], 6)
            whole = type(slot.value) is int or number == int(number)
            return Told(slot, int(number) if whole else number, asked[0]) if number >= 1 else None
    return None


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _is_unit(word: str, unit: str) -> bool:
    """Whether a word is a name of a unit."""
    return any(re.fullmatch(one, word, re.I) and re.fullmatch(one, unit, re.I) for one in (*_SPELLED, "cents?|ct"))


def _names_at_all(text: str, unit: str) -> bool:
    return any(_is_unit(word, unit) for word in re.findall(r"[^\W\d_]+|[€%]", text))
