"""Whether a tool that looks something up replies to a call with what an earlier call of the episode was to know."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, properties_of, tool_named
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.tool_names import LOOKS, may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG, says, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message, call_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.types import Episode

TASTED, MOST_PAIRS, MOST_KINDS, MOSTLY = 6, 4, 6, 0.8
"""On how many rows it is tried first, with how many pairs of calls, of how many values a parameter has that says which
kind of thing is meant, and on what part of the rows it has to show."""
_ACTS = regex(
    r"(?:^|\b(?:and|or|then) )(?:activate|allocate|answer|ask|assign|begin|bid|call|chat|choose|claim|connect|declare|"
    r"dig|draw|enroll?|enter|get an?|go|guess|init|issue|join|knock|load|log|next|offer|open|probe|pull|rent|reserve|"
    r"reset|ring|roll|say|select|sign|spin|switch|take|talk|tell|test|try|unlock|walk)s?\b",
    re.IGNORECASE,
)
"""How names and descriptions of tools begin that do something, after which the same may come again by design."""
_LASTS = regex(
    r"\b(?:once|already|cache[ds]?|remember\w*|keeps?|kept|again|locked|fixed|stays?|only|whatever|always|same)\b",
    re.IGNORECASE,
)
"""What is said of a tool whose first reply is meant to last."""
_DATA = regex(r"\d|\b[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two calls of a tool on a row that differ in some arguments."""

    row: int
    tool: str
    one: dict[str, Any]
    other: dict[str, Any]
    own: bool
    """Whether gold makes both."""

    @property
    def differing(self) -> tuple[str, ...]:
        """The parameters with other values."""
        return tuple(sorted(name for name in self.one if self.one[name] != self.other.get(name)))


@check("E359", kinds=("tools",), needs=("calls", "gold"))
def replies_are_to_their_own_call(subject: Subject) -> Iterator[Finding]:
    """A tool does not reply to a call with the data of an earlier call that had other arguments."""
    pairs = [found for gold in some_golds(subject) if (found := _pairs(subject, gold)[:MOST_PAIRS])]
    if len(pairs) < FEWEST_ROWS:
        return
    tasted = [pair for found in pairs[:TASTED] for pair in found]
    kinds = {(pair.tool, pair.differing) for pair in _alike(subject, tasted)}
    by_kind: dict[tuple[str, tuple[str, ...]], list[_Pair]] = defaultdict(list)
    for pair in (one for found in pairs for one in found):
        by_kind[pair.tool, pair.differing].append(pair)
    for kind in sorted(kinds):
        tried = by_kind[kind]
        alike = _alike(subject, tried)
        mixed = _mixed_up(subject, alike)
        right = {pair.row for pair in tried} - {pair.row for pair in alike}
        if len(mixed) >= max(FEWEST_ROWS, MOSTLY * (len(mixed) + len(right))):
            shown = max(mixed.values(), key=lambda one: one[0].own)
            yield _finding(*shown, len(mixed), len({one.row for one in tried}))
            return


def _pairs(subject: Subject, gold: Gold) -> list[_Pair]:
    """Gold's own calls of a tool that looks, two by two, and each with another value that says what kind is meant."""
    given: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for name, arguments in gold.calls:
        tool = tool_named(subject.tools_of(gold.row), name)
        if tool and _looks_again(subject, gold, tool) and arguments not in given[name]:
            given[name].append(arguments)
    own = [
        _Pair(gold.row, name, one, other, own=True)
        for name, calls in given.items()
        for one, other in combinations(calls, 2)
        if one.keys() == other.keys()
    ]
    changed = [
        _Pair(gold.row, name, calls[0], {**calls[0], key: value}, own=False)
        for name, calls in given.items()
        for key in calls[0]
        for value in _kinds(subject, gold, name, key)
        if value != calls[0][key]
    ]
    first: dict[tuple[str, tuple[str, ...]], _Pair] = {}
    for pair in [*own, *changed]:
        first.setdefault((pair.tool, pair.differing), pair)
    return list(first.values())


def _looks_again(subject: Subject, gold: Gold, tool: Mapping[str, Any]) -> bool:
    """Whether a tool only looks something up, and nothing says that its first reply lasts."""
    name, description = tool["function"]["name"], description_of(tool)
    of_it = [one for one in sentences_of(prompt_text(subject, gold.row)) if name in one]
    parts = name.split("_")
    acts = any(map(_ACTS.search, [" ".join(parts), description.strip(), *([] if LOOKS.match(name) else parts)]))
    return may_only_look(tool) and not acts and not _LASTS.search(" ".join([description, *of_it]))


def _kinds(subject: Subject, gold: Gold, name: str, parameter: str) -> list[Any]:
    """The values of a parameter, where they are a few kinds: those of its schema, or of gold on all rows."""
    tool = tool_named(subject.tools_of(gold.row), name) or {}
    listed = properties_of(tool).get(parameter, {}).get("enum")
    values = listed if isinstance(listed, list) else known_values(subject).get((name, parameter), [])
    return values if len(values) <= MOST_KINDS else []


def _alike(subject: Subject, pairs: Sequence[_Pair]) -> list[_Pair]:
    """The pairs whose second call gets the reply to the first one, word for word."""
    played = zip(pairs, _replies(subject, [(pair, pair.one, pair.other) for pair in pairs]), strict=False)
    return [pair for pair, (_, replies) in played if len(replies) > 1 and replies[0] == replies[1]]


def _mixed_up(subject: Subject, pairs: Sequence[_Pair]) -> dict[int, tuple[_Pair, Episode, str]]:
    """By row a pair, its episode, and what the second call gets alone, if that is other data; in either order."""
    played = _replies(subject, [
        (pair, *calls) for pair in pairs for calls in (
            (pair.one, pair.other), (pair.other, pair.one), (pair.one,), (pair.other,),
        )
    ])  # fmt: skip
    found = {}
    for place, pair in enumerate(pairs[: len(played) // 4]):
        (episode, both), (_, turned), (_, one), (_, other) = played[4 * place : 4 * place + 4]
        if [len(both), len(turned), len(one), len(other)] == [2, 2, 1, 1] and _is_kept(pair, both, turned, one, other):
            found[pair.row] = pair, episode, other[0]
    return found


def _is_kept(pair: _Pair, both: list[str], turned: list[str], one: list[str], other: list[str]) -> bool:
    """Whether the first call of either order decides both replies, which are data and do not say of what."""
    kept = both == one * 2 and turned == other * 2 and _is_data(one[0], pair.one) and _is_data(other[0], pair.other)
    told = words_of(without_echo(one[0], pair.one)), words_of(without_echo(other[0], pair.other))
    names_it = any(says(one[0], str(pair.one[name])) for name in pair.differing)
    return kept and told[0] != told[1] and not names_it


def _is_data(reply: str, given: dict[str, Any]) -> bool:
    """Whether a reply has a number or a name that the call had not, and refuses nothing."""
    return bool(_DATA.search(without_echo(reply, given))) and not SAYS_WRONG.search(reply)


def _replies(subject: Subject, tried: Sequence[tuple[Any, ...]]) -> list[tuple[Episode, list[str]]]:
    """The episode with one call after another, and their replies; none where one failed."""
    turns = [(pair.row, [call_message(pair.tool, **given) for given in calls]) for pair, *calls in tried]
    return [
        (episode, [] if any(call["error"] for call in calls) else [str(call["content"]) for call in calls])
        for episode in play_answers(subject, turns)
        for calls in [episode.tool_calls]
    ]


def _finding(pair: _Pair, episode: Episode, alone: str, mixed: int, of: int) -> Finding:
    one, other = (_shown(pair.tool, given) for given in (pair.one, pair.other))
    return Finding(
        f"After {one}, {other} gets the reply to that call, {quoted(episode.tool_calls[0]['content'])}, while it gets "
        f"{quoted(alone)} in an episode of its own, on {mixed} of {of} rows: what {pair.tool} has found is kept "
        f"without {joined(pair.differing)}.",
        "Let what is kept (a cache, a dict of results, an attribute) have every argument in its key.",
        pair.row, own_turns(episode.completion), str(episode.tool_calls[1]["content"]), alone,
        severity=None if pair.own else "warning",
    )  # fmt: skip


def _shown(tool: str, given: dict[str, Any]) -> str:
    return call_text(call_message(tool, **given)["tool_calls"][0])
