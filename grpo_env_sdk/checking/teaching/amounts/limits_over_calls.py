"""Whether a limit that one call is held to is lowered by the calls before it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, permutations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import calls_in, functions_of
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    acts_of,
    carried_out,
    carried_out_at,
    is_amount,
    looking_tools,
    paid,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_PAIRS, MOSTLY = 4, 3, 0.75
"""On how many rows it is tried first, for how many pairs of calls on each, and on what share both have to be taken."""
_EACH_TIME = regex(
    r"\b(?:at (?:a time|once|one time)|(?:per|each|every|a single|one|in a|any) (?:\w+ )?(?:call|time|order|trip|load|"
    r"transfer|shipment|delivery|message|payment|request|booking|round|turn|run|go|step|batch|visit|journey))\b",
    re.IGNORECASE,
)
"""What prompts, tools and refusals say of a limit that holds for each call alone."""


@dataclass(frozen=True, slots=True)
class _Two:
    """Two calls of gold that differ in an amount and in what it is of; the second is to be of the first one's."""

    first: Act
    place: int
    second: Act
    thing: str
    amount: str

    @property
    def moved(self) -> Message:
        """The second call, of the thing of the first one."""
        return self.second.again(**{self.thing: self.first.arguments[self.thing]})

    @property
    def at_once(self) -> Message:
        """Both amounts of one thing in one call."""
        amounts = self.first.arguments[self.amount], self.second.arguments[self.amount]
        return self.first.again(**{self.amount: sum(amounts)})

    @property
    def instead(self) -> list[Message]:
        """Gold with the second call moved."""
        acts = acts_of(self.first.gold)
        return [*acts[: self.place], self.moved, *acts[self.place + 1 :]]


@check("G678", kinds=("tools",), needs=("calls", "gold"))
def limits_hold_over_several_calls(subject: Subject) -> Iterator[Finding]:
    """Gold with two of its amounts taken from one place or thing, more than one call may take, scores less."""
    known = [pairs for gold in some_golds(subject)[:TASTED] if (pairs := _held(subject, gold))]
    if not any(_taken(subject, pairs) for pairs in known):
        return
    known += [pairs for gold in some_golds(subject)[TASTED:] if (pairs := _held(subject, gold))]
    taken = [found for pairs in known if (found := _taken(subject, pairs))]
    won = [best[0] for found in taken if (best := [one for one in found if _is_won(subject, one)])]
    if len(won) >= max(FEWEST_ROWS, len(known) / 3) and len(taken) >= MOSTLY * len(known):
        two, _ = won[0]
        yield paid(
            subject, [episode for _, episode in won], len(known),
            f"Gold with {answer_shown([two.first.again()])} and then {answer_shown([two.moved])}, although "
            f"{answer_shown([two.at_once])} is refused,",
            f"Lower what is left of {two.thing!r} by each call of {two.first.name}, and compare the next with that.",
        )  # fmt: skip


def _held(subject: Subject, gold: Gold) -> list[_Two]:
    """The pairs of gold's calls of which both amounts are refused in one call, and the second one alone is not."""
    pairs = list(islice(_pairs(subject, gold), MOST_PAIRS))
    if not pairs or _EACH_TIME.search(prompt_and_tools(subject, gold.row)):
        return []
    answers: list[tuple[int, Completion]] = [
        (gold.row, [*one.first.before, call, *one.first.end]) for one in pairs for call in (one.at_once, one.moved)
    ]
    played = play_answers(subject, answers)
    return [
        one for one, at_once, alone in zip(pairs, played[::2], played[1::2], strict=False)
        if _refused(subject, at_once, calls_in(one.first.before))
        and carried_out_at(subject, alone, calls_in(one.first.before))
    ]  # fmt: skip


def _pairs(subject: Subject, gold: Gold) -> Iterator[_Two]:
    """Two calls of a tool that does something, which differ in one text and in their number alone."""
    acts = acts_of(gold)
    made = [
        (place, Act(gold, function["name"], function["arguments"], acts[:place]))
        for place, act in enumerate(acts) for function in functions_of([act])
        if isinstance(function["arguments"], dict) and function["name"] not in looking_tools(subject)
    ]  # fmt: skip
    for (_, first), (place, second) in permutations(made, 2):
        changed = [key for key, value in first.arguments.items() if second.arguments.get(key) != value]
        numbers = [
            key for key, value in first.arguments.items() if is_amount(value) and is_amount(second.arguments.get(key))
        ]
        things = [key for key in changed if key not in numbers]
        same = first.name == second.name and set(first.arguments) == set(second.arguments)
        if same and len(things) == len(numbers) == 1 and isinstance(first.arguments[things[0]], str):
            yield _Two(first, place, second, things[0], numbers[0])


def _taken(subject: Subject, pairs: Sequence[_Two]) -> list[tuple[_Two, Episode]]:
    """The pairs of which both calls were carried out in gold with the second one moved, with these episodes."""
    played = play_answers(subject, [(one.first.gold.row, one.instead) for one in pairs])
    return [
        (one, episode) for one, episode in zip(pairs, played, strict=False)
        if all(carried_out_at(subject, episode, calls_in(act.before)) for act in (one.first, one.second))
    ]  # fmt: skip


def _is_won(subject: Subject, taken: tuple[_Two, Episode]) -> bool:
    return not taken[1].error and as_good_as_gold(subject, taken[1])


def _refused(subject: Subject, episode: Episode, place: int) -> bool:
    """Whether a call was refused, not for each call alone."""
    call = episode.tool_calls[place] if len(episode.tool_calls) > place else None
    return call is not None and not carried_out(subject, call) and not _EACH_TIME.search(str(call["content"]))
