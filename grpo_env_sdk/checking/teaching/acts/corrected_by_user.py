"""Whether the score wants what a simulated user said first, although the user corrected it before the call."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_all, was_scored
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import Act, last_acts
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import places_of_turns, prompt_messages
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

FEWEST_ROWS, MOST_VALUES, MOST_CHARS = 2, 20, 40
_CORRECTS = regex(
    r"\b(?:misspoke|sorry|actually|mean|meant|instead|rather|chang\w+|correct\w*|second thought|wait|scratch|"
    r"make (?:it|that)|oh|oops|no|better|forgot|mistake|wrong|update\w*)\b",
    re.IGNORECASE,
)
_NEGATED = r"\b(?:not|no longer|instead of|rather than|\w+n't(?: \w+){0,2})\s+(?:the |an? )?"
_REFUSES = regex(
    r"\b(?:ignore|refuse|first (?:order|wish|request|choice|answer)|do not (?:accept|change|allow)|"
    r"don't (?:accept|change)|(?:cannot|can't|may not|must not|not) be changed|never (?:accept|change))\b",
    re.IGNORECASE,
)
"""Prompts by which a correction does not count."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A call of gold, the conversation before it, and the value that the user said last."""

    act: Act
    parameter: str
    before: list[Message]
    said: str
    value: Any

    def turns(self, value: Any) -> list[Message]:
        """The conversation, then the call with a value, then the rest of gold."""
        after = self.act.gold.turns[len(self.act.before) + 1 :]
        return [*self.before, self.act.again(**{self.parameter: value}), *after]

    @property
    def both(self) -> tuple[Any, Any]:
        """The value that was said last, and gold's."""
        return self.value, self.act.arguments[self.parameter]


@check("G608", kinds=("tools",), needs=("gold",))
def what_the_user_said_last_counts(subject: Subject) -> Iterator[Finding]:
    """A call with the value to which the user corrected another one scores as gold does."""
    if subject.traits.user != "method":
        return
    for acts in last_acts(subject).values():
        found = [one for act in acts for one in _corrections(subject, act)]
        played = play_all(subject, [(one.act.gold.row, one.turns(value)) for one in found for value in one.both])
        lost = [
            (one, as_said) for one, as_said, as_gold in zip(found, played[::2], played[1::2], strict=False)
            if was_scored(as_said) and not as_good_as_gold(subject, as_said) and as_good_as_gold(subject, as_gold)
        ]  # fmt: skip
        rows = {one.act.gold.row for one, _ in lost}
        if len(rows) >= FEWEST_ROWS and len(rows) == len({one.act.gold.row for one in found}):
            yield _finding(subject, *lost[0], len(rows), len(acts))
            return


def _finding(subject: Subject, one: Correction, episode: Episode, rows: int, of: int) -> Finding:
    last, first = one.both
    return Finding(
        f"On {rows} of {of} rows the score wants what the user said first: in row {one.act.gold.row} the user corrects "
        f"it, {quoted(one.said, 90)}, and {one.parameter}={last!r} scores {episode.reward:g}, while gold is {first!r}.",
        "Compare with what the user said last, or let the user not take it back.",
        one.act.gold.row, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
    )  # fmt: skip


def _corrections(subject: Subject, act: Act) -> Iterator[Correction]:
    """The corrections of a call's values in gold's conversation, else after asking whether the values are right."""
    row = act.gold.row
    if _REFUSES.search(prompt_text(subject, row)):
        return
    asking: Message = {"role": "assistant", "content": f"{', '.join(map(str, act.arguments.values()))}: is that right?"}
    for before in (act.before, [*act.before, asking]):
        rest = act.gold.turns[len(act.before) :]
        found = []
        for episode in play_all(subject, [(row, [*before, *rest])]):
            said = _said_before(episode, len(before))
            for parameter in act.arguments:
                if (last := _corrected(subject, act, parameter, said)) is not None:
                    found.append(Correction(act, parameter, before, *last))
        if found:
            yield from found[:1]
            return


def _said_before(episode: Episode, turn: int) -> list[str]:
    """What the user said before a turn, from the prompt on; nothing where a tool spoke last, which may explain it."""
    own = places_of_turns(episode.completion)
    if turn >= len(own):
        return []
    shown = episode.completion[: own[turn]]
    opening = [message for message in prompt_messages(episode.row["prompt"]) if message["role"] == "user"]
    if not shown or shown[-1]["role"] != "user":
        return []
    return texts_of([*opening, *(message for message in shown if message["role"] == "user")])


def _corrected(subject: Subject, act: Act, parameter: str, said: Sequence[str]) -> tuple[str, Any] | None:
    """The text in which the user took another value than gold's, and that value."""
    gold = act.arguments[parameter]
    values = _values(subject, act, parameter)
    for place in range(len(said) - 1, 0, -1):
        named = [value for value in values if _names(said[place], value)]
        if not named:
            continue
        before = any(says(text, str(gold)) for text in said[:place])
        told_of_another = named[0] in _others(act, parameter)
        if len(named) == 1 and named[0] != gold and before and not told_of_another and _CORRECTS.search(said[place]):
            return said[place], named[0]
        return None
    return None


def _others(act: Act, parameter: str) -> list[Any]:
    """What gold gives to its other parameters, of which the user may speak with the same values."""
    return [value for _, arguments in act.gold.calls for name, value in arguments.items() if name != parameter]


def _values(subject: Subject, act: Act, parameter: str) -> list[Any]:
    """The values of a parameter, where there are a few: those of gold on all rows, or whole numbers."""
    gold = act.arguments[parameter]
    if type(gold) is int:
        return list(range(1, 101))
    known = [value for value in known_values(subject).get((act.name, parameter), ()) if isinstance(value, str)]
    return known if isinstance(gold, str) and 1 < len(known) <= MOST_VALUES and len(gold) <= MOST_CHARS else []


def _names(text: str, value: Any) -> bool:
    """Whether a text says a value, and not that it is not meant."""
    left = re.sub(rf"{_NEGATED}{re.escape(str(value))}(?!\w)", "", text, flags=re.IGNORECASE)
    return says(left, str(value))
