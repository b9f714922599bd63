"""Whether a tool computes the opposite of what gold answers, as it multiplies where gold divides."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import date

from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    Gold,
    gold_episodes,
    golds,
    less_than_gold,
    play_scored,
    reward_of,
)
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

FEWEST_ROWS, FEWEST_VALUES, MOST_TOLD, MOST_PLAYED = 6, 4, 4, 8
_DAY = 24 * 60
_VALUE = regex(r"(?<![\w.:/-])(?:\d{4}-\d\d-\d\d|\d{1,2}:\d\d|-?\d{1,9}(?:\.\d{1,9})?)(?![\w:/]|[.-]\d)")
"""A date, a time of day, or a number."""


@dataclass(frozen=True, slots=True)
class _Size:
    """A value as a number, the kind of value that it is, and by how much rounding may have changed it."""

    kind: str
    value: float
    error: float
    text: str


Way = Callable[[_Size, _Size, Sequence[_Size]], bool]
"""Whether what a tool says is the opposite of an answer, for what it was given."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a call of gold takes and is told, and what gold answers, in its text or in a call after that."""

    gold: Gold
    given: Sequence[_Size]
    told: Sequence[_Size]
    answer: _Size

    @property
    def agrees(self) -> bool:
        """Whether gold answers what it is told."""
        return any(abs(one.value - self.answer.value) <= one.error + self.answer.error for one in self.told)

    def opposite(self, way: Way) -> _Size | None:
        """What it is told that is gold's answer, computed the other way about."""
        return next((one for one in self.told if way(one, self.answer, self.given)), None)


def gold_is_the_opposite(subject: Subject) -> Iterator[Finding]:
    """The finding that gold's answer is what its tool would say if it computed the other way about."""
    for tool, asked in _by_tool(subject).items():
        differ = [one for one in asked if not one.agrees]
        for way, words in _WAYS.items():
            told = {size.value for one in differ if (size := one.opposite(way))}
            if len(differ) >= FEWEST_ROWS and all(one.opposite(way) for one in differ) and len(told) >= FEWEST_VALUES:
                yield from _finding_if_refused(
                    subject, f"{tool} says to gold's own call: {words}", way, differ, len(asked)
                )
                return


def _by_tool(subject: Subject) -> dict[str, list[_Asked]]:
    """By tool, the last question of gold on each row, if the answer is one value."""
    found: dict[str, list[_Asked]] = defaultdict(list)
    form = form_of_golds(subject)
    for gold in some_golds(subject):
        calls = [call for call in gold_episodes(subject)[gold.row].tool_calls if isinstance(call["arguments"], dict)]
        answer = _sizes(bare(gold.text))
        answer = answer if len(answer) == 1 else _sizes(bare(without_form(gold.text, form)))
        if not answer and len(calls) > 1:
            answer = [size for value in calls.pop()["arguments"].values() for size in _sizes(str(value))]
        if not calls or len(answer) != 1:
            return {}
        call = calls[-1]
        told = _sizes(without_echo(str(call["content"]), call["arguments"]))
        given = [size for value in call["arguments"].values() for size in _sizes(str(value))]
        if given and 0 < len(told) <= MOST_TOLD:
            alike = [one for one in told if one.kind == answer[0].kind]
            found[str(call["name"])].append(_Asked(gold, given, alike, answer[0]))
    return found


def _sizes(text: str) -> list[_Size]:
    """The different dates, times and numbers of a text."""
    return list({size.text: size for found in _VALUE.findall(text) if (size := _size(found))}.values())


def _size(text: str) -> _Size | None:
    try:
        if text.count("-") > 1:
            return _Size("date", float(date.fromisoformat(text).toordinal()), 0.0, text)
    except ValueError:
        return None
    if ":" in text:
        hours, minutes = map(int, text.split(":"))
        return _Size("time", 60.0 * hours + minutes, 0.0, text)
    return _Size("number", float(text), 0.501 * 10.0 ** -len(text.partition(".")[2]), text)


def _is_inverse(told: _Size, answer: _Size, given: Sequence[_Size]) -> bool:
    """Whether one is so many times a number that was given as this is of the other."""
    room = told.error * abs(answer.value) + answer.error * abs(told.value) + told.error * answer.error
    return told.kind == "number" and any(
        one.kind == "number" and one.value and abs(told.value * answer.value - one.value**2) <= room for one in given
    )


def _is_on_the_other_side(told: _Size, answer: _Size, given: Sequence[_Size]) -> bool:
    """Whether both are as far from a value that was given, to either side of it."""
    apart = [told.value + answer.value - 2 * one.value for one in given if one.kind == told.kind]
    if told.kind == "time":
        apart = [(one + _DAY / 2) % _DAY - _DAY / 2 for one in apart]
    return any(abs(one) <= told.error + answer.error for one in apart)


def _is_another_operation(told: _Size, answer: _Size, given: Sequence[_Size]) -> bool:
    """Whether both follow from the two numbers that were given, by two operations or with these in another order."""
    if any(one.kind != "number" for one in (told, answer, *given)) or len(given) != 2:
        return False
    one, other = (size.value for size in given)
    results = [one + other, one - other, other - one, one * other]
    results += [one / other, other / one] if one and other else []
    return all(any(abs(size.value - result) <= size.error for result in results) for size in (told, answer))


_WAYS: dict[Way, str] = {
    _is_inverse: "it multiplies where gold divides, or divides where gold multiplies",
    _is_on_the_other_side: "it adds where gold takes away, or takes away where gold adds",
    _is_another_operation: "it takes its numbers in another order, or computes something else of them",
}


def _finding_if_refused(subject: Subject, what: str, way: Way, asked: Sequence[_Asked], of: int) -> Iterator[Finding]:
    """The finding, where what the tool says scores less than gold on each of these rows."""
    tried = [(one, size) for one in asked[:MOST_PLAYED] if (size := one.opposite(way))]
    played = play_scored(subject, [(one.gold.row, _answering(one, size)) for one, size in tried])
    if len(played) < len(tried) or not all(_is_less(subject, one) for one in played):
        return
    first, told = tried[0]
    yield Finding(
        f"On {len(asked)} of {of} rows gold answers something else than {what}. {quoted(told.text)}, as it says in row "
        f"{first.gold.row}, scores {played[0].reward:g}, and gold {quoted(first.answer.text)} {first.gold.reward:g}.",
        "Compute gold and the tool's reply by one function, or say in the prompt that the reply is to be converted.",
        first.gold.row, own_turns(played[0].completion), reward_with_parts(played[0]),
        less_than_gold(subject, played[0]),
    )  # fmt: skip


def _is_less(subject: Subject, episode: Episode) -> bool:
    return reward_of(episode) < golds(subject)[episode.row_index].reward - NEARLY


def _answering(asked: _Asked, told: _Size) -> list[Message]:
    """Gold with what the tool says in place of its answer, with as many decimals."""
    turns, own = deepcopy(asked.gold.turns), asked.answer.text
    places = len(own.partition(".")[2])
    other = f"{told.value:.{places}f}" if told.kind == "number" else told.text
    if own in asked.gold.text:
        return [*turns[:-1], {**turns[-1], "content": asked.gold.text.replace(own, other)}]
    given = functions_of(turns)[-1]["arguments"]
    given.update({name: type(value)(other) for name, value in given.items() if str(value) == own})
    return turns
