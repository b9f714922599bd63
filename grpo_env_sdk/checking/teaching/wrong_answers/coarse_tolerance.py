"""Whether a tolerance is so wide that a number which is shown counts in place of the one that is to be worked out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, gold_episodes, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import last_acts
from grpo_env_sdk.checking.evidence.variants import golds_with_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.wrong_answers.absolute_tolerance import small_numbers_all_count
from grpo_env_sdk.checking.teaching.wrong_answers.number_misses import NUMBER
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 8, "default": 16, "thorough": 60}
FEWEST_ROWS, MOSTLY = 4, 0.75
NEAR, APART, SMALLEST, FAR = 0.1, 0.002, 10, (0.5, 1.5)
"""How near a number that is shown is to gold's, how far from it at least, both as a part of it; the smallest numbers
that are looked at, and what they are multiplied by where no tolerance is meant."""
_ROOM = regex(
    r"\b(?:about|around|approx\w*|estimat\w*|guess\w*|roughly|nearly|within|toleran\w*|clos\w+|forecast\w*|predict\w*|"
    r"nearest (?!cent))\b|[~±≈]",
    re.IGNORECASE,
)
"""What a prompt says that leaves room for other numbers."""
_AMOUNT = r"(-?\d+(?:\.\d+)?)(?: ?(?:%|°(?: ?[CF])?|[a-z]{1,7}))?"
_BAND = regex(
    rf"{_AMOUNT}(?: to | through | bis | ?[-\u2013\u2014] ?){_AMOUNT}|between {_AMOUNT} and {_AMOUNT}", re.IGNORECASE
)
"""A band of numbers that a prompt declares, with both ends."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A number of one gold answer: an argument of a call, or its whole text."""

    gold: Gold
    value: float
    before: Sequence[Any]
    written: Any
    """The call with its argument, or the text, as it is written with another number."""
    after: Sequence[Any] = ()

    def with_other(self, number: float) -> Completion:
        return [*self.before, self.written(number), *self.after]


@check("G612", needs=("acts",), severity="error")
def numbers_that_are_shown_are_not_near_enough(subject: Subject) -> Iterator[Finding]:
    """No number that is shown, and no small one, counts in place of gold's, which has to be worked out."""
    yield from small_numbers_all_count(subject)
    for name, places in _places(subject).items():
        shown = {place.gold.row: _nearest(subject, place) for place in places}
        tried = [(place, number) for place in places if (number := shown[place.gold.row]) is not None]
        if len(tried) < FEWEST_ROWS:
            continue
        won = _won(subject, tried)
        rows = {episode.row_index for episode in won}
        mirrored = _won(subject, [(one, 2 * one.value - number) for one, number in tried if one.gold.row in rows])
        if min(len(won), len(mirrored)) < max(FEWEST_ROWS, MOSTLY * len(tried)):
            continue
        far = [(place, factor * place.value) for place, _ in tried for factor in FAR]
        if len(_won(subject, far)) > (1 - MOSTLY) * len(far):
            continue  # it is not compared at all
        episode = won[0]
        place, number = next(one for one in tried if one[0].gold.row == episode.row_index)
        yield Finding(
            f"A number that is shown counts in place of {name}, which is to be worked out: {number:g} scores as much "
            f"as {place.value:g} in row {episode.row_index}, as on {Share(len(won), len(tried))}, and a number as far "
            "on the other side does too.",
            "Compare amounts exactly, or with a tolerance that is smaller than what the work changes, and say it in "
            "the prompt.",
            episode.row_index, own_turns(episode.completion), episode.reward,
            f"less than {golds(subject)[episode.row_index].reward:g}",
        )  # fmt: skip
        return


def _places(subject: Subject) -> dict[str, list[_Place]]:
    """The numbers in the arguments of gold's last calls, or those that its texts are, by what a finding calls them."""
    found: dict[str, list[_Place]] = {}
    for name, acts in last_acts(subject).items():
        for act in acts:
            rest = act.gold.turns[len(act.before) :]
            for parameter, value in act.arguments.items() if len(rest[0].get("tool_calls") or ()) == 1 else ():
                if (number := _number(value)) is not None:
                    found.setdefault(f"{parameter!r} of {name}", []).append(
                        _Place(
                            act.gold, number, act.before,
                            lambda other, act=act, parameter=parameter, value=value: act.again(
                                **{parameter: _like(value, other)}
                            ),
                            rest[1:],
                        )
                    )  # fmt: skip
    if subject.traits.kind == "single-turn" or not found:
        known = golds_with_text(subject, MOST_ROWS[subject.effort])
        before, after = form_of_golds(subject)
        for gold in known:
            core = without_form(gold.text, (before, after)).strip()
            if (number := _number(core)) is not None:
                found.setdefault("the answer", []).append(
                    _Place(
                        gold, number, gold.turns[:-1],
                        lambda other, core=core: f"{before}{_like(core, other)}{after}",
                    )
                )  # fmt: skip
    return {
        name: [one for one in places if not _ROOM.search(prompt_text(subject, one.gold.row))]
        for name, places in found.items()
    }


def _number(value: Any) -> float | None:
    """A number that is no small one, and no code with zeros in front; None for other values."""
    if isinstance(value, str) and NUMBER.fullmatch(value) and not re.match(r"-?0\d", value):
        value = float(value.replace(",", ""))
    plain = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= SMALLEST
    return float(value) if plain else None


def _like(value: Any, number: float) -> Any:
    """A number written as a value is: whole, with as many decimals, or as a text."""
    if isinstance(value, int):
        return round(number)
    if isinstance(value, float):
        return round(number, 2)
    return f"{number:.{len(value.partition('.')[2])}f}"


def _nearest(subject: Subject, place: _Place) -> float | None:
    """The number that the prompt or a reply shows which is nearest to gold's, and neither it nor far from it."""
    episode = gold_episodes(subject)[place.gold.row]
    replies = [str(one.get("content")) for one in episode.completion if one["role"] != "assistant"]
    texts = re.findall(
        r"(?<![\w.-])-?\d[\d,]*(?:\.\d+)?(?![\w-])", "\n".join([prompt_text(subject, place.gold.row), *replies])
    )
    numbers = {float(text.replace(",", "").rstrip(",") or 0) for text in texts}
    allowed = _ends_around(prompt_text(subject, place.gold.row), place.value)
    size = abs(place.value)
    near = [number for number in numbers - allowed if APART * size < abs(number - place.value) <= NEAR * size]
    return min(near, key=lambda number: abs(number - place.value)) if near and place.value not in numbers else None


def _ends_around(prompt: str, value: float) -> set[float]:
    """The ends of the bands that a prompt declares around a number: they may count as much as it."""
    bands = [[float(end) for end in found.groups() if end is not None] for found in _BAND.finditer(prompt)]
    return {end for low, high in bands if low <= value <= high for end in (low, high)}


def _won(subject: Subject, tried: Sequence[tuple[_Place, float]]) -> list[Episode]:
    answers = [(place.gold.row, place.with_other(number)) for place, number in tried]
    return [one for one in play_answers(subject, answers) if not one.error and as_good_as_gold(subject, one)]
