"""Whether calls of a tool that the prompt limits, or that cost something, are counted whatever is replied."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, permutations
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, whole_calls_of
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    Gold,
    as_good_as_gold,
    gold_episodes,
    less_than_gold,
    play_all,
    reward_of,
    was_scored,
)
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of
from grpo_env_sdk.checking.evidence.playing.turns import calls_in, own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, cut_off
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.amounts.calls_in_one_message import allowed_calls
from grpo_env_sdk.checking.teaching.amounts.tries_in_one_message import REFUSED
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

TASTED, MOST_ROWS, MOST_VALUES, MOST_KINDS, MOST_TRIED, MOST_CALLS, FEWEST_CALLS, MOSTLY = 4, 8, 30, 8, 3, 24, 3, 0.75
"""Rows that are tried first, and in all; values that a tool is called with; kinds of replies of a tool that does not
just look things up, and how many of them are tried; how many more calls are made; and on how much of the rows it has
to be so."""
_LIMITS = regex(
    r"\b(?:may|can|at most|(?:no|not) more than|up to|only|limit\w*|budget|allow\w*|costs?|charged?|counts?|counted|"
    r"free|further|extra|penal\w+|deduct\w*|subtract\w*|minus|loses?|better)\b",
    re.IGNORECASE,
)
_WHICH = regex(
    r"\b(?:free|not (?:be )?count\w*|n't count\w*|costs? nothing|no charge|wrong|miss(?:es|ed)?|fail\w*|mistakes?|"
    r"incorrect|errors?|success\w*|hits?|unless|useless|needless|unneeded|new|different|distinct|as few|fewer|"
    r"better)\b",
    re.IGNORECASE,
)
"""Where a sentence on the limit, or the reply, says which calls are counted, it may be meant."""
_NUMBERS = regex(r"\d+(?:[.,]\d+)*")
Given = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tried:
    """More calls of one kind of reply before gold's, which change nothing, and as many of another kind, which do."""

    gold: Gold
    count: int
    kinds: tuple[str, str]
    free: Episode
    counted: Episode


def limits_by_reply(subject: Subject) -> Iterator[Finding]:
    """The finding that calls with one kind of reply are not counted, and those with another are."""
    for tool, choices in whole_calls_of(subject).items():
        usual = usual_kinds(subject, tool, choices)
        if not 1 < len(usual) <= MOST_KINDS:
            continue
        calls = distinct_calls([given for one in choices for name, given in one.gold.calls if name == tool])
        known = [one for one in choices if allowed_calls(subject, one, tool) is not None]
        found: list[Tried] = []
        of = 0
        for some in (known[:TASTED], known[TASTED:MOST_ROWS]):
            tried = [one for choice in some if (one := _tried(subject, choice, tool, calls, usual)) is not None]
            found += [one for pairs in tried for one in pairs[:1]]
            of += len(tried)
            if not found:
                break
        same = [one for one in found if one.kinds == found[0].kinds]
        if len(same) >= max(FEWEST_ROWS, MOSTLY * of):
            yield _finding(subject, tool, same, of)
            return


def usual_kinds(subject: Subject, tool: str, choices: Sequence[Choice]) -> set[str]:
    """The kinds of replies that gold gets from a tool."""
    calls = [call for one in choices for call in gold_episodes(subject)[one.gold.row].tool_calls]
    return {kind_of_reply(call) for call in calls if call["name"] == tool and not _refused(call)}


def kind_of_reply(call: Mapping[str, Any]) -> str:
    """A reply without its numbers, and without what was asked."""
    return _NUMBERS.sub("#", without_echo(str(call["content"]), call["arguments"])).strip().lower()


def _refused(call: Mapping[str, Any]) -> bool:
    return bool(call["error"] or REFUSED.search(str(call["content"])))


def distinct_calls(calls: Sequence[Given]) -> list[Given]:
    """The calls of gold on all rows, and those with the whole numbers between theirs, where they have but one."""
    found = list(calls)
    names = {name for given in calls for name in given}
    values = [value for given in calls for value in given.values()]
    if len(names) == 1 and values and all(type(value) is int for value in values):
        found += [{names.copy().pop(): value} for value in range(min(values), max(values))][:MOST_VALUES]
    return list({canonical_json(given): given for given in found}.values())


def _tried(subject: Subject, choice: Choice, tool: str, calls: Sequence[Given], usual: set[str]) -> list[Tried] | None:
    """The kinds of replies of which one is counted and one is not; None where too few are known to see that any is."""
    gold, allowed = choice.gold, allowed_calls(subject, choice, tool) or 0
    own = [given for name, given in gold.calls if name == tool]
    kinds = _by_kind(subject, gold, tool, distinct_calls(own) + list(calls), usual)
    count = min(MOST_CALLS, subject.traits.max_turns - len(gold.turns))
    if len(kinds) < 2 or count < max(FEWEST_CALLS, allowed + 1):
        return None
    found: list[Tried] = []
    counts = False
    for pair in permutations(list(kinds)[:MOST_TRIED], 2):
        different = min(len(kinds[kind]) for kind in pair)
        free, counted = (_more(subject, gold, tool, kinds[kind][:different], count) for kind in pair)
        if not _all_answered(free, tool, pair[0], count) or not as_good_as_gold(subject, free) or cut_off(free):
            counts = True
            continue
        once = _more(subject, gold, tool, kinds[pair[1]][:1], 1)
        if _is_counted(counted, tool, pair[1], allowed, count) or _falls(once, counted, free):
            found += [] if _says_which(subject, choice, pair) else [Tried(gold, count, pair, free, counted)]
    return found if counts else None


def _by_kind(
    subject: Subject, gold: Gold, tool: str, calls: Sequence[Given], usual: set[str]
) -> dict[str, list[Given]]:
    """The calls of a tool by the kinds of their replies, of those that gold gets, the most frequent first."""
    before = _before(gold, tool)
    some = calls[: min(MOST_VALUES, subject.traits.max_turns - len(before) - 1)]
    (episode,) = play_all(subject, [(gold.row, [*before, *(call_message(tool, **given) for given in some), ""])])
    found: dict[str, list[Given]] = {}
    for call in episode.tool_calls[calls_in(before) :]:
        if call["name"] == tool and not _refused(call) and kind_of_reply(call) in usual:
            found.setdefault(kind_of_reply(call), []).append(call["arguments"])
    return dict(sorted(found.items(), key=lambda one: -len(one[1])))


def _before(gold: Gold, tool: str) -> list[Message]:
    """What gold does before it calls a tool."""
    places = [
        place for place, turn in enumerate(gold.turns)
        if any(call["function"]["name"] == tool for call in turn.get("tool_calls") or ())
    ]  # fmt: skip
    return gold.turns[: places[0]]


def _more(subject: Subject, gold: Gold, tool: str, calls: Sequence[Given], count: int) -> Episode:
    """Gold with so many of these calls, again and again, before its first call of the tool."""
    before = _before(gold, tool)
    more = [call_message(tool, **given) for given in islice(cycle(calls), count)]
    return play_all(subject, [(gold.row, [*before, *more, *gold.turns[len(before) :]])])[0]


def _answered(episode: Episode, tool: str, kind: str) -> int:
    """How many calls of a tool are answered in this way before one is not."""
    kinds = [kind_of_reply(call) for call in episode.tool_calls if call["name"] == tool]
    return next((place for place, one in enumerate(kinds) if one != kind), len(kinds))


def _all_answered(episode: Episode, tool: str, kind: str, count: int) -> bool:
    return not episode.error and _answered(episode, tool, kind) >= count


def _is_counted(episode: Episode, tool: str, kind: str, allowed: int, count: int) -> bool:
    """Whether a tool stops answering after as many calls as are allowed."""
    return 0 < allowed < count and _answered(episode, tool, kind) == allowed


def _falls(once: Episode, counted: Episode, free: Episode) -> bool:
    """Whether many calls score less than one, and less than as many that are not counted."""
    is_scored = was_scored(counted) and not cut_off(counted)
    return is_scored and reward_of(counted) < min(reward_of(once), reward_of(free)) - NEARLY


def _says_which(subject: Subject, choice: Choice, kinds: tuple[str, str]) -> bool:
    """Whether a sentence on limits and prices, or the reply that is free, says which calls are counted."""
    described = map(description_of, subject.tools_of(choice.gold.row))
    free, counted = map(words_of, kinds)
    if _WHICH.search(kinds[0]):
        return True
    for sentence in sentences_of("\n".join([prompt_text(subject, choice.gold.row), *described])):
        for part in filter(_LIMITS.search, sentence.split(";")):
            said = words_of(part)
            if _WHICH.search(part) or bool(said & (free - counted)) != bool(said & (counted - free)):
                return True
    return False


def _distinct_calls(episode: Episode, tool: str) -> set[str]:
    return {canonical_json(call["arguments"]) for call in episode.tool_calls if call["name"] == tool}


def _finding(subject: Subject, tool: str, found: Sequence[Tried], of: int) -> Finding:
    first = max(found, key=lambda one: len(_distinct_calls(one.free, tool)))
    replies = [
        quoted(next(call["content"] for call in one.tool_calls if call["name"] == tool))
        for one in (first.free, first.counted)
    ]
    turns = own_turns(first.free.completion)
    score = f"{reward_of(first.counted):.4g}"
    return Finding(
        f"{first.count} more calls of {tool} that are answered {replies[0]} cost nothing, and gold after them scores "
        f"as much as gold on {len(found)} of {of} rows, where as many that are answered {replies[1]} are counted "
        f"(reward {score}): {quoted(turns_text(turns), 160)}.",
        f"Count every call of {tool}, whatever it answers, or say in the prompt which ones are free.",
        first.gold.row, turns, first.free.reward, less_than_gold(subject, first.free),
    )  # fmt: skip
