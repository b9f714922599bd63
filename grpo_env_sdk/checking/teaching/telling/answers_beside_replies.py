"""Whether gold's answers stand in one place of a tool's replies on some rows, and on the others another value does."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import comb, gcd
from statistics import median
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of_golds, without_form
from grpo_env_sdk.checking.evidence.golds import (
    Gold,
    as_good_as_gold,
    gold_episodes,
    golds,
    less_than_gold,
    play_answers,
    was_scored,
)
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.json_data import leaves, read_json, written_path
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

FEWEST_SAME, FEWEST_OTHER, FEWEST_VALUES, MOSTLY, CHANCE, MOST_PLAYED = 3, 3, 5, 0.8, 1e-3, 6
"""On how many rows the answer stands in the place and another value does, how many values there are, how many of the
answers of the latter are values of other rows, by what chance, and on how many of them the shown value is tried."""
_OF_TEXTS, _CLOSE = 0.3, 0.15
"""The chance that a name is shown on another row, and what part of their range numbers are rounded by at most."""
_FEW_WORDS = 4
Place = tuple[str, str]
"""A tool and the path of a value in its replies."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands in a place on a row, gold's answer, and whether gold's answer is shown anywhere else."""

    row: int
    value: str
    wanted: str
    elsewhere: bool

    @property
    def same(self) -> bool:
        """Whether the answer is what stands there."""
        return self.value == self.wanted


@check("G630", needs=("gold",), kinds=("tools", "multi-turn"), severity="error")
def answers_are_of_their_own_row(subject: Subject) -> Iterator[Finding]:
    """Where gold's answer is what a tool shows on some rows, it is not, on the others, what it shows on another row."""
    by_place: dict[tuple[int, str, str], list[Shown]] = defaultdict(list)
    form = form_of_golds(subject)
    for row, gold in golds(subject).items():
        for claim, wanted in enumerate((bare(without_form(gold.text, form)), bare(_given_last(gold)))):
            if not wanted or len(wanted.split()) > _FEW_WORDS:
                continue
            messages = _before(gold_episodes(subject)[row].messages, wanted)
            elsewhere = any(says(text, wanted) for text in texts_of(messages))
            for place, value in _shown(gold_episodes(subject)[row].tool_calls).items():
                by_place[(claim, *place)].append(Shown(row, value, _as_number(wanted), elsewhere))
    for (_, tool, path), shown in by_place.items():
        moved = _moved(shown)
        if moved:
            yield from _finding_if_refused(subject, tool, path, moved, len(shown))
            return


def _given_last(gold: Gold) -> str:
    """The only argument of gold's last call, or nothing."""
    values = list(gold.calls[-1][1].values()) if len(gold.calls) > 1 else []
    return str(values[0]) if len(values) == 1 else ""


def _before(messages: Sequence[Message], wanted: str) -> Sequence[Message]:
    """The messages before the first in which gold says or gives its answer."""
    for place, one in enumerate(messages):
        if one["role"] == "assistant" and says(f"{one.get('content')} {one.get('tool_calls')}", wanted):
            return messages[:place]
    return messages


def _moved(shown: Sequence[Shown]) -> list[Shown]:
    """The rows whose answer stands there on another row, if these are all that differ, by no chance and by no rule."""
    same, others = [one for one in shown if one.same], [one for one in shown if not one.same]
    if len(same) < FEWEST_SAME or 2 * sum(one.elsewhere for one in others) > len(others):
        return []
    moved = [one for one in others if one.wanted in {two.value for two in shown if two.row != one.row}]
    alone = [one for one in moved if not one.elsewhere]
    if len(alone) < FEWEST_OTHER or len(moved) < MOSTLY * len(others) or _is_rule(same, others):
        return []
    return alone if comb(len(others), len(moved)) * _chance(shown) ** len(alone) <= CHANCE else []


def _shown(calls: Sequence[Mapping[str, Any]]) -> dict[Place, str]:
    """By place, the value in the only reply of each tool that gold calls once."""
    names = [str(call["name"]) for call in calls]
    return {
        (name, written_path(path).lstrip(".")): _as_number(bare(str(value)))
        for name, call in zip(names, calls, strict=True)
        if names.count(name) == 1 and not call["error"]
        for path, value in leaves(_parsed(without_echo(str(call["content"]), call["arguments"])), 40)
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }


def _parsed(reply: str) -> Any:
    """The data of a reply in JSON; of a short text, its words by their place."""
    return read_json(reply, re.findall(r"[\w.,:-]*\w", reply) if len(reply) < 400 else None)


def _as_number(text: str) -> str:
    """A number in one form, anything else as it is."""
    return f"{float(text):g}" if _is_number(text) else text


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d{1,6}(?:\.\d+)?", text) is not None


def _chance(shown: Sequence[Shown]) -> float:
    """How likely it is that an answer is by chance what stands there on another row; 1 where that may be meant."""
    values = {one.value for one in shown}
    if len(values) < max(FEWEST_VALUES, len(shown) / 2):
        return 1.0
    try:
        numbers = [float(value) for value in values | {one.wanted for one in shown}]
    except ValueError:
        return _OF_TEXTS
    if not all(number.is_integer() for number in numbers):
        return _OF_TEXTS
    low = int(min(numbers))
    step = gcd(*(int(number) - low for number in numbers)) or 1
    return min(1.0, len(values) / ((max(numbers) - low) / step + 1))


def _is_rule(same: Sequence[Shown], others: Sequence[Shown]) -> bool:
    """Whether a rule may decide: it caps, adds, takes away, rounds or turns digits about."""
    try:
        kept, changed = [float(one.value) for one in same], [float(one.value) for one in others]
        steps = [float(one.wanted) - float(one.value) for one in others]
    except ValueError:
        return False
    apart = max(kept) < min(changed) or max(changed) < min(kept)
    rounded = median(map(abs, steps)) < _CLOSE * (max(kept + changed) - min(kept + changed))
    turned = all(sorted(one.wanted) == sorted(one.value) for one in others)
    return apart or rounded or turned or min(steps) > 0 or max(steps) < 0


def _finding_if_refused(subject: Subject, tool: str, path: str, moved: Sequence[Shown], of: int) -> Iterator[Finding]:
    """The finding, where what the tool shows scores less than gold on each of these rows."""
    tried = [(one.row, _with_shown(golds(subject)[one.row].turns, one)) for one in moved[:MOST_PLAYED]]
    played = play_answers(subject, tried)
    lower = [was_scored(one) and not as_good_as_gold(subject, one) for one in played]
    if len(played) < len(tried) or not all(lower):
        return
    one = moved[0]
    yield Finding(
        f"On {len(moved)} of {of} rows gold answers what {tool} shows on another row: {quoted(one.wanted)} in row "
        f"{one.row}, where {path or 'the reply'!r} is {quoted(one.value)}. On the others it answers what is there: "
        "answers have been moved against their rows.",
        "Look where the column of answers is put beside the prompts: duplicates that are dropped, or an order that is "
        "changed, in one of them alone.",
        one.row, own_turns(played[0].completion), reward_with_parts(played[0]), less_than_gold(subject, played[0]),
    )  # fmt: skip


def _with_shown(turns: Sequence[Message], one: Shown) -> list[Message]:
    """Gold with the value that stands there in place of its answer."""
    own = regex(rf"(?<![\w.]){re.escape(one.wanted)}(?![\w])", re.IGNORECASE)
    changed = deepcopy(list(turns))
    changed[-1]["content"] = own.sub(lambda _: one.value, str(changed[-1].get("content") or ""))
    for call in functions_of(changed)[-1:]:
        arguments = call["arguments"] if isinstance(call["arguments"], dict) else {}
        for name, value in arguments.items():
            if _as_number(bare(str(value))) == one.wanted and (isinstance(value, str) or _is_number(one.value)):
                arguments[name] = one.value if isinstance(value, str) else json.loads(one.value)
    return changed
