"""Whether gold's numbers are in the unit that the prompt and the tool's description name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.slots import TEXT, Slot, slots_of, with_values
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_scored
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.evidence.variants import prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import canonical_json

FACTORS, FEWEST_VALUES = (100, 1000, 60, 3600, 0.01, 0.001), 3
_NUMBER = re.compile(
    r"(?<![\w.,:/-])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d:/]|[.,]\d)[ -]?([^\W\d_]+\b|[€%])?"
)
_SPELLED = (
    r"kg|kgs|kilos?|kilogram(?:me)?s?", r"g|gr|gram(?:me)?s?", r"km|kilomet(?:er|re)s?", r"m|met(?:er|re)s?",
    r"cm|centimet(?:er|re)s?", r"mm|millimet(?:er|re)s?", r"l|lit(?:er|re)s?", r"ml|millilit(?:er|re)s?",
    r"€|eur|euros?", r"usd|dollars?", r"gbp|pounds?", r"h|hrs?|hours?", r"min|mins|minutes?", r"s|secs?|seconds?",
    r"ms|milliseconds?", r"kb|kilobytes?", r"mb|megabytes?", r"gb|gigabytes?", r"kwh|kilowatt hours?", r"%|per ?cent",
)  # fmt: skip
"""The names of one unit, of which a prompt may have one and a schema another."""
_OTHER_UNITS = re.compile(
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
    for (act, name), slots in slots_of(subject).items():
        own = [slot for slot in slots if type(slot.value) in (int, float) and slot.value]
        text = "" if act == TEXT else _said_of(subject, act, name)
        if len(own) < max(FEWEST_ROWS, len(slots)):
            continue
        for factor in FACTORS:
            told = [found for slot in own if (found := _told(subject, slot, factor, text))]
            if len(told) < len(own) or len({one.number for one in told}) < FEWEST_VALUES:
                continue
            as_told = play_scored(subject, [(one.slot.gold.row, with_values([one.slot], [one.number])) for one in told])
            lost = [one for one in as_told if not as_good_as_gold(subject, one)]  # sizes are the same for some
            if len(as_told) == len(told) and len(lost) >= max(FEWEST_ROWS, len(told) / 2):
                episode = lost[0]
                first = next(one for one in told if one.slot.gold.row == episode.row_index)
                yield Finding(
                    f"The prompt and the description of {act} name {name!r} in {first.unit}, and gold calls it with "
                    f"{factor:g} times that on {len(told)} rows: {first.number:g} {first.unit}, as a model reads it, "
                    f"scores {episode.reward:g} on {len(lost)} of them, and {first.slot.value:g} "
                    f"{first.slot.gold.reward:g} in row {episode.row_index}.",
                    "Convert in the tool, or name the unit that it takes.",
                    episode.row_index, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
                )  # fmt: skip
                return


def _said_of(subject: Subject, act: str, name: str) -> str:
    """The name of a parameter and what its tool says of it and of itself, with the underscores of names as spaces."""
    tools = [tool for tool in subject.tools if name_of(tool) == act]
    said = [[properties_of(tool).get(name), tool["function"].get("description")] for tool in tools]
    return f"{name} {canonical_json(said)}".replace("_", " ")


def _told(subject: Subject, slot: Slot, factor: float, text: str) -> Told | None:
    """The one number of the prompt whose unit the tool names too, if gold's is so many times as large."""
    found = [(float(number.replace(",", "")), unit) for number, unit in _units(prompt_text(subject, slot.gold.row))]
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
