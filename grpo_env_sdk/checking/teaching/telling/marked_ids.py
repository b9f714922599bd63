"""Whether the ids that a tool lists are marked: the one that gold chooses differs from all others in one part."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, golds, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.tool_names import LOOKS, may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

TASTED = 2
FEWEST_ROWS, FEWEST_OTHERS, MOSTLY, FEWEST_UNNAMED = 4, 2, 0.8, 8
"""On how many rows and which share of them an id is marked, beside how many others, and on how many rows by letters
that have no meaning."""
_RIGHT = {"pos", "positive", "true", "correct", "gold", "golden", "target", "relevant", "answer", "expected", "needle"}
_WRONG = {
    "neg", "negative", "false", "incorrect", "wrong", "distractor", "distr", "decoy", "irrelevant", "noise", "hay",
    "fake", "dummy", "nontarget", "hardneg", "lure", "foil", "filler",
}  # fmt: skip
_PAIRS = {("p", "n"), ("t", "f"), ("y", "n"), ("1", "0")}
_METALS = {"silver", "bronze", "platinum", "basic", "standard", "premium"}
"""What stands beside gold where it is a metal or a rank."""
_ID = regex(r"[\w./#:-]+")
_PART = regex(r"[-_./#:]+|(?<=[^\W\d_]{2})(?=\d+$)")
"""What stands between the parts of an id; nothing before the number at its end, as in pos12."""


@dataclass(frozen=True, slots=True)
class MarkedId:
    """The id that gold chooses of those that a reply lists, its mark, and those of the others."""

    value: str
    own: str
    others: frozenset[str]
    example: str
    episode: Episode


def marked_ids(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The finding that one part of the ids, which a tool lists as gold calls it, tells which is right."""
    for tool in filter(may_only_look, subject.tools):
        tried = [(gold.row, [call, *_last(gold)]) for gold in known if (call := _look(tool, gold))]
        if not any(next(_of_row(subject, one), None) for one in play_answers(subject, tried[:TASTED])):
            continue
        episodes = play_answers(subject, tried)
        found: dict[tuple[int, int], dict[int, MarkedId]] = defaultdict(dict)
        for episode in episodes:
            for place, marked in _of_row(subject, episode):
                found[place].setdefault(episode.row_index, marked)
        for of_rows in found.values():
            marks = list(of_rows.values())
            enough = len(marks) >= max(FEWEST_ROWS, MOSTLY * len(known))
            if enough and len({one.value for one in marks}) > 2 and _tells(subject, marks):
                yield _finding(subject, marks, len(episodes))
                return


def _look(tool: dict[str, Any], gold: Gold) -> Message | None:
    """The first call that gold makes of a tool, or one without arguments."""
    given = next((arguments for name, arguments in gold.calls if name == name_of(tool)), {})
    return call_message(name_of(tool), **given) if given or not required_of(tool) else None


def _last(gold: Gold) -> list[Message]:
    """Gold's last call that does something, and its last text."""
    calling = [turn for turn in gold.turns[:-1] if turn.get("tool_calls")][-1:]
    names = [call["function"]["name"] for turn in calling for call in turn["tool_calls"]]
    return [*(calling if names and not any(map(LOOKS.match, names)) else ()), *gold.turns[-1:]]


def is_of_scorers(own: str, others: Iterable[str]) -> bool:
    """Whether values are what scorers call right and wrong."""
    own, rest = own.casefold(), {one.casefold() for one in others}
    if not rest or own in rest or (own == "gold" and rest & _METALS):
        return False
    return own in _RIGHT or rest <= _WRONG or (len(rest) == 1 and (own, *rest) in _PAIRS)


def _of_row(subject: Subject, episode: Episode) -> Iterator[tuple[tuple[int, int], MarkedId]]:
    """By the place of a part and the number of parts, the ids of the first list that has what gold chooses."""
    for call in episode.tool_calls[:1]:
        listed = _tokens(str(call["content"]))
        own = _chosen(subject, episode.row_index, listed)
        if own is None or len(parts := _PART.split(own)) < 2:
            continue
        for place, mark in enumerate(parts):
            alike = [
                one for one in map(_PART.split, listed) if one != parts and _shape(one, place) == _shape(parts, place)
            ]
            others = frozenset(one[place].casefold() for one in alike)
            if len(alike) >= FEWEST_OTHERS and mark.casefold() not in others:
                example = next(one for one in listed if _PART.split(one) == alike[0])
                yield (place, len(parts)), MarkedId(own, mark.casefold(), others, example, episode)


def _chosen(subject: Subject, row: int, listed: Sequence[str]) -> str | None:
    """The one of what is listed that gold says in the end, gives to its last call or, at last, to any call."""
    gold = golds(subject)[row]
    given = [set(_tokens(" ".join(map(str, arguments.values())))) for _, arguments in gold.calls]
    prompt = prompt_text(subject, row).casefold()
    for said in (set(_tokens(gold.text)), given[-1] if given else set(), set().union(*given)):
        chosen = [one for one in listed if one in said and one.casefold() not in prompt]
        if chosen:
            return chosen[0] if len(chosen) == 1 else None
    return None


def _tokens(text: str) -> list[str]:
    return list(dict.fromkeys(token.strip("./#:-") for token in _ID.findall(text)))


def _shape(parts: Sequence[str], but: int) -> list[str]:
    """What the parts are, but for one: numbers and codes, or words."""
    return ["" if place == but else "9" if any(map(str.isdigit, part)) else "a" for place, part in enumerate(parts)]


def _tells(subject: Subject, marks: Sequence[MarkedId]) -> bool:
    """Whether the mark is the same on all rows, no other id has it, and neither prompts nor tools speak of it."""
    own, others = {one.own for one in marks}, frozenset().union(*(one.others for one in marks))
    if len(own) > 1 or own & others:
        return False
    mark = next(iter(own))
    if any(_speaks_of(subject, one.episode.row_index, (mark, *one.others)) for one in marks):
        return False
    return is_of_scorers(mark, others) or _is_code(mark, others, len(marks))


def _is_code(mark: str, others: frozenset[str], rows: int) -> bool:
    """Whether two marks of two or three letters stand for right and wrong on so many rows that it is no chance."""
    return rows >= FEWEST_UNNAMED and len(others) == 1 and all(
        2 <= len(one) <= 3 and one.isalpha() for one in (mark, *others)
    )  # fmt: skip


def _speaks_of(subject: Subject, row: int, marks: Iterable[str]) -> bool:
    """Whether the prompt or a tool has a mark, or a word that begins with it or of which it is the beginning."""
    text = f"{prompt_text(subject, row)} {canonical_json(subject.tools_of(row))}".casefold()
    words = set(re.findall(r"[^\W\d_]+", text))
    return any(
        len(mark) > 1 and (word.startswith(mark) or (len(word) > 3 and mark.startswith(word)))
        for mark in marks
        for word in words
    )


def _finding(subject: Subject, marks: Sequence[MarkedId], of: int) -> Finding:
    first, others = marks[0], frozenset().union(*(one.others for one in marks))
    call = first.episode.tool_calls[0]
    certain = is_of_scorers(first.own, others) and as_good_on_most(subject, [one.episode for one in marks], len(marks))
    return Finding(
        f"The ids that {call['name']} lists are marked: that of what gold chooses has {quoted(first.own)}, as in "
        f"{quoted(first.value)}, and the others have {quoted(', '.join(sorted(others)))}, as in "
        f"{quoted(first.example)}, on {len(marks)} of {of} rows.",
        "Give all things ids of one kind, such as numbers, and draw them without looking at which one is right.",
        first.episode.row_index, own_turns(first.episode.completion), reward_with_parts(first.episode),
        less_than_gold(subject, first.episode), severity="error" if certain else "warning",
    )  # fmt: skip
