"""Whether the numbers that tools reply are in the unit that prompt and tool name, as gold takes them for others."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, gold_episodes, golds, less_than_gold, play_scored
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, canonical_json

FEWEST_ROWS, FEWEST_VALUES, MOST_PLAYED = 6, 4, 6
_KINDS: tuple[dict[str, tuple[str, float]], ...] = (
    {
        "grams": (r"grams?|grammes?", 1), "kilograms": (r"kg|kilos?|kilogram(?:me)?s?", 1000),
        "milligrams": (r"mg|milligrams?", 0.001), "ounces": (r"ounces?|oz", 28.3495),
        "pounds": (r"pounds?|lbs?", 453.592),
    },
    {
        "metres": (r"met(?:re|er)s?", 1), "kilometres": (r"km|kilomet(?:re|er)s?", 1000), "yards": (r"yards?", 0.9144),
        "centimetres": (r"cm|centimet(?:re|er)s?", 0.01), "millimetres": (r"mm|millimet(?:re|er)s?", 0.001),
        "miles": (r"miles?", 1609.344), "feet": (r"feet|foot|ft", 0.3048), "inches": (r"inch(?:es)?", 0.0254),
    },
    {
        "litres": (r"lit(?:re|er)s?", 1), "millilitres": (r"ml|millilit(?:re|er)s?", 0.001),
        "gallons": (r"gallons?", 3.78541), "pints": (r"pints?", 0.473176),
    },
    {
        "hours": (r"hours?|hrs?", 3600), "minutes": (r"minutes?|mins?", 60), "seconds": (r"seconds?|secs?", 1),
        "milliseconds": (r"ms|milliseconds?", 0.001), "days": (r"days?", 86400),
    },
    {"euros": (r"euros?|eur", 100), "cents": (r"cents?", 1), "dollars": (r"dollars?|usd", 100)},
    {"kilowatt hours": (r"kwh|kilowatt[ -]hours?", 1000), "watt hours": (r"wh|watt[ -]hours?", 1)},
    {
        "joules": (r"joules?", 1), "kilojoules": (r"kj|kilojoules?", 1000), "calories": (r"calories?|cal", 4.184),
        "kilocalories": (r"kcal|kilocalories?", 4184),
    },
)  # fmt: skip
"""The names of units, and how large each is, by kind."""
_NUMBER = regex(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)")
_RULES: dict[str, Callable[[Sequence[float]], float]] = {
    "the sum of what it replies": sum,
    "the difference of what it replies": lambda values: abs(values[0] - values[-1]),
    "the largest that it replies": max,
    "the smallest that it replies": min,
    "the mean of what it replies": lambda values: sum(values) / len(values),
}
_CONVERTS = regex(
    r"\b(?:convert\w*|multipl\w*|times|conversion|scale|factor|units?|per|each|every|rate|hundred|thousand|dozen)\b|/",
    re.IGNORECASE,
)
"""What a prompt or a description says where numbers of one unit may have to be counted up, or turned into another."""
_NEAR = 1e-3
"""How far the factor by which gold differs may be from that of two units: it is often written with four digits."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The number of gold, how many places it has, and the numbers of the replies that it got."""

    row: int
    gold: str
    replies: Sequence[float]

    @property
    def places(self) -> int:
        """The digits behind the point of gold's number."""
        return len(self.gold.partition(".")[2])

    def is_times(self, factor: float, value: float) -> bool:
        """Whether gold's number is so many times a value, as far as it was rounded."""
        wanted = factor * value
        return abs(float(self.gold) - wanted) <= 0.51 * 10.0**-self.places + _NEAR * abs(wanted)


def units_of_replies(subject: Subject) -> Iterator[Finding]:
    """The finding that gold converts what a tool replies, though prompt and tool name one unit for both."""
    rows = [weighed for row in golds(subject) if (weighed := _weighed(subject, row))]
    if len(rows) < max(FEWEST_ROWS, len(golds(subject))):
        return
    text = _of_tools(subject, [one.row for one in rows])
    units = {_unit_of(prompt_text(subject, one.row)) for one in rows}
    unit = units.pop() if len(units) == 1 else None
    if unit is None or _unit_of(text) != unit or _CONVERTS.search(text):
        return
    for name, rule in _RULES.items():
        values = {one.row: rule(one.replies) for one in rows}
        if len(set(values.values())) < FEWEST_VALUES or any(value <= 0 for value in values.values()):
            continue
        for other, factor in _factors(unit):
            if all(one.is_times(factor, values[one.row]) for one in rows) and not _says(subject, rows, factor):
                yield from _finding_if_refused(subject, rows, values, (unit, other, name, factor))
                return


def _weighed(subject: Subject, row: int) -> Weighed | None:
    """Gold of a row that is one number, after replies with numbers to calls of one tool; None for others."""
    said = _NUMBER.findall(golds(subject)[row].text)
    calls = [call for call in gold_episodes(subject)[row].tool_calls if not call["error"]]
    numbers = [float(one) for call in calls for one in _NUMBER.findall(_values(str(call["content"])))]
    if len(said) != 1 or not numbers or len(numbers) > 12 or len({call["name"] for call in calls}) > 1:
        return None
    prompt = prompt_text(subject, row)
    return None if _CONVERTS.search(prompt) or said[0] in prompt else Weighed(row, said[0], numbers)


def _values(content: str) -> str:
    """A reply without the names of its fields."""
    return re.sub(r'"[^"]*"\s*:', " ", content)


def _of_tools(subject: Subject, rows: Sequence[int]) -> str:
    """What the tools that gold calls say of themselves, and what they replied to it, without underscores."""
    calls = [call for row in rows for call in gold_episodes(subject)[row].tool_calls]
    names = {call["name"] for call in calls}
    said = [tool["function"] for tool in subject.tools if name_of(tool) in names]
    told = dict.fromkeys(re.sub(r"\d+", "", str(call["content"])) for call in calls)
    return f"{canonical_json(said)} {json.dumps(list(told))}".replace("_", " ").replace("\\n", " ")


def _unit_of(text: str) -> str | None:
    """The one unit that a text names; None where it names none or several."""
    found = {
        unit for kind in _KINDS for unit, (names, _) in kind.items()
        if re.search(rf"(?<![^\W\d_])(?:{names})(?![^\W\d_])", text, re.IGNORECASE)
    }  # fmt: skip
    return found.pop() if len(found) == 1 else None


def _factors(unit: str) -> Iterator[tuple[str, float]]:
    """How many of a unit one of each other unit of its kind is."""
    for kind in _KINDS:
        if unit in kind:
            yield from ((other, size / kind[unit][1]) for other, (_, size) in kind.items() if size != kind[unit][1])


def _says(subject: Subject, rows: Sequence[Weighed], factor: float) -> bool:
    """Whether a prompt or a reply has the factor or its inverse as a number, which may then be how many there are."""
    told = [float(one) for row in rows for one in _NUMBER.findall(prompt_text(subject, row.row))]
    told += [value for row in rows for value in row.replies if len(row.replies) > 1]
    wanted = (factor, 1 / factor)
    return any(abs(number - one) <= _NEAR * one for number in told for one in wanted)


def _finding_if_refused(
    subject: Subject, rows: Sequence[Weighed], values: dict[int, float], what: tuple[str, str, str, float]
) -> Iterator[Finding]:
    """The finding, if the number as the tool gives it scores less than gold on all rows that are tried."""
    unit, other, name, factor = what
    tried: list[tuple[int, Completion]] = []
    for one in rows[:MOST_PLAYED]:
        gold = golds(subject)[one.row]
        value = f"{values[one.row]:.{one.places}f}"
        tried.append((one.row, [*gold.turns[:-1], _NUMBER.sub(value, gold.text)]))
    played = play_scored(subject, tried)
    lost: list[Episode] = [one for one in played if not as_good_as_gold(subject, one)]
    if len(lost) < len(tried):
        return
    first, episode = rows[0], lost[0]
    tool = gold_episodes(subject)[first.row].tool_calls[0]["name"]
    yield Finding(
        f"The prompt and {tool} name {unit}, and gold is {factor:g} times {name} on all {len(rows)} rows, as if that "
        f"were {other}: {values[first.row]:g}, as a model reads it, scores {episode.reward:g}, and {first.gold} "
        f"{golds(subject)[first.row].reward:g} in row {episode.row_index}.",
        "Convert in the tool, or name the unit of its numbers in its description and its replies.",
        episode.row_index, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
    )  # fmt: skip
