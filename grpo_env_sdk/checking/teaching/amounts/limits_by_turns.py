"""Whether a stated number of calls is held only by the number of turns, each of which may have many calls."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, whole_calls_of
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of, unwrapped
from grpo_env_sdk.checking.evidence.prompts.stated_uses import stated_uses
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.amounts.calls_in_one_message import allowed_calls
from grpo_env_sdk.checking.teaching.amounts.limits_by_reply import distinct_calls, kind_of_reply, usual_kinds
from grpo_env_sdk.checking.teaching.amounts.tries_in_one_message import REFUSED, in_one_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

TASTED, MOST_MORE, FEWEST_MORE, MOSTLY = 4, 12, 3, 0.75
"""Rows that are tried first; how many calls more than gold's are made; and on how much of the rows it has to be so."""
_FIRM = regex(
    r"\b(?:at most|(?:no|not) more than|up to|only|limit(?:s|ed)?|budget|allowance|maximum|enough for|"
    r"pays? for|afford|(?:lasts?|good|suffices?) for)\b",
    re.IGNORECASE,
)
_ADVICE = regex(r"\b(?:need(?:s|ed)?|requires?|necessary|can be (?:found|solved|done)|it takes)\b", re.IGNORECASE)
_SPENT = regex(
    r"\b(?:no more|none|used up|exhaust\w*|spent|over|already|left|budget|limit\w*|too many)\b", re.IGNORECASE
)
"""The words of a sentence that has a limit, of one that says how many do, and of a reply that it is reached."""


@dataclass(frozen=True, slots=True)
class Tried:
    """More calls than are allowed, some of them in the message of one of gold's calls."""

    choice: Choice
    limit: int
    rule: str
    calls: int
    episode: Episode


def limits_by_turns(subject: Subject) -> Iterator[Finding]:
    """The finding that more calls than are allowed are answered in one message, and the turns forbid them else."""
    for tool, choices in whole_calls_of(subject).items():
        usual = usual_kinds(subject, tool, choices)
        calls = distinct_calls([given for one in choices for name, given in one.gold.calls if name == tool])
        known = [(one, *stated) for one in choices if (stated := _held_by_turns(subject, one, tool))]
        won: list[Tried] = []
        for some in (known[:TASTED], known[TASTED:]):
            tried = [_tried(subject, tool, calls, *one) for one in some]
            won += [one for one in tried if one is not None and _is_paid(subject, one, tool, usual)]
            if len(won) < MOSTLY * min(len(known), TASTED):
                break
        if len(won) >= max(FEWEST_ROWS, MOSTLY * len(known)):
            yield _finding(won, tool, len(known), subject)
            return


def _held_by_turns(subject: Subject, choice: Choice, tool: str) -> tuple[int, str] | None:
    """How many calls of a tool a sentence allows, and that sentence, where no more messages with one call fit in."""
    limit = allowed_calls(subject, choice, tool)
    own = [turn for turn in choice.gold.turns if any(call["name"] == tool for call in functions_of([turn]))]
    others = len(choice.gold.turns) - len(own)
    if not limit or len(own) > limit or others + limit + 1 <= subject.traits.max_turns:
        return None
    described = next((description_of(one) for one in subject.tools if name_of(one) == tool), "")
    for sentence in sentences_of(f"{unwrapped(prompt_text(subject, choice.gold.row))}\n{described}"):
        is_rule = _FIRM.search(sentence) and not _ADVICE.search(sentence)
        if is_rule and stated_uses([sentence], tool, described) == {limit}:
            return limit, sentence.strip()
    return None


def _tried(
    subject: Subject, tool: str, calls: Sequence[Mapping[str, Any]], choice: Choice, limit: int, rule: str
) -> Tried | None:
    """Gold with calls of other rows in the message of its last call of a tool."""
    own = [given for name, given in choice.gold.calls if name == tool]
    others = [given for given in calls if given not in own][:MOST_MORE]
    if len(others) < FEWEST_MORE or len(own) + len(others) <= limit:
        return None
    turns = in_one_message(choice, [*others, choice.value])
    played = play_answers(subject, [(choice.gold.row, turns)])
    return Tried(choice, limit, rule, len(own) + len(others), played[0]) if played else None


def _is_paid(subject: Subject, tried: Tried, tool: str, usual: set[str]) -> bool:
    """Whether every call was answered as those of gold are, and gold still scores."""
    calls = [call for call in tried.episode.tool_calls if call["name"] == tool]
    if tried.episode.error or len(calls) != tried.calls or not as_good_as_gold(subject, tried.episode):
        return False
    refused = any(call["error"] or REFUSED.search(str(call["content"])) for call in calls)
    return not refused and all(
        kind_of_reply(call) in usual or not _SPENT.search(str(call["content"])) for call in calls
    )  # fmt: skip


def _finding(won: Sequence[Tried], tool: str, of: int, subject: Subject) -> Finding:
    first = won[0]
    turns = own_turns(first.episode.completion)
    return Finding(
        f"{first.calls} calls of {tool}, several of them in one message, are all answered and score as much as gold on "
        f"{len(won)} of {of} rows, although {quoted(first.rule, 140)} is a rule; one by one, the "
        f"{subject.traits.max_turns} turns do not suffice for more: {quoted(turns_text(turns), 160)}.",
        f"Count the calls of {tool}, not the turns: a message may hold any number of calls.",
        first.choice.gold.row, turns, first.episode.reward, less_than_gold(subject, first.episode),
    )  # fmt: skip
