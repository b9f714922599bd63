"""Whether a limit of tries that the prompt or a tool states holds for many calls in one message."""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_all, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import schema_of, tool_named
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

TASTED, MOST_LIMIT, MOST_BETWEEN, MOSTLY = 4, 12, 30, 0.75
_NUMBER = rf"(\d{{1,2}}|{COUNT_WORDS})"
_TRIES = (
    r"(?:guesses|guess|tries|try|attempts?|shots?|chances?|goes|(?:wrong|failed|incorrect|invalid) \w+|Versuche?|"
    r"essais?|tentatives?|intentos?|tentativ[io]|tentativas?)\b"
)
_LIMIT = regex(rf"\b{_NUMBER} (?:wrong |failed |incorrect )?{_TRIES}", re.IGNORECASE)
_TIMES = regex(rf"\b(?:try|guess|answer|submit|enter|call)\w*\b[^.;\n]{{0,30}}? {_NUMBER} times\b", re.IGNORECASE)
_ONE_EACH = regex(
    rf"{_TRIES}[^.;\n]{{0,20}}\b(?:per|each|every|a (?:turn|round|day|question)|at a time)\b|"
    rf"\b(?:per|each|every)\b[^.;\n]{{0,30}}{_TRIES}|\b(?:not count|cost nothing|as often as|unlimited)\b",
    re.IGNORECASE,
)
"""Where tries belong to parts of the task, or some are free, no number says how many there are in all."""
REFUSED = regex(
    r"\bno such\b|\bunknown\b|\binvalid\b|\bnot (?:found|listed|valid|known|one of|counted)\b|"
    r"\bdoes(?: not|n't) exist\b|\bmust be\b|\bthere is no\b|"
    r"\bno \w+ (?:called|named)\b|\bonly one\b|\bone \w+ (?:per|at a)\b",
    re.IGNORECASE,
)
_FIRM = regex(r"\b(?:only|just|have|has|get|gets|allows?|takes?|after|at most|up to|no more than|maximum)\b", re.I)


def tries_in_one_message(subject: Subject) -> Iterator[Finding]:
    """The finding that so many wrong calls as are allowed, and the right one in the same message, score as gold."""
    for (tool, parameter), choices in choices_of(subject).items():
        if not parameter:
            continue
        tries = {one.gold.row: count for one in choices if 0 < (count := _limit(subject, one, tool)) <= MOST_LIMIT}
        values = list(dict.fromkeys(one.value for one in choices))
        tried = {
            one.gold.row: (one, wrong) for one in choices
            if one.gold.row in tries and (wrong := _wrong(subject, one, tool, values, tries[one.gold.row] + 1))
        }  # fmt: skip
        won: list[int] = []
        for rows in (list(tried)[:TASTED], list(tried)[TASTED:]):
            won += _won(subject, [tried[row] for row in rows])
            if len(won) < MOSTLY * min(len(tried), TASTED):
                break
        if len(won) < max(FEWEST_ROWS, MOSTLY * len(tried)) or 3 * len(
            _won(subject, list(tried.values()), False)
        ) > len(won):
            continue
        yield _finding(subject, *tried[won[0]], tries[won[0]], len(won), len(tried))
        return


def _limit(subject: Subject, choice: Choice, tool: str) -> int:
    """How many tries there are of the last call of gold, as the schema of its tool or else the prompt says; or 0."""
    called = [name for name, _ in choice.gold.calls]
    if not called or called[-1] != tool or called.count(tool) > 1:
        return 0
    schema = canonical_json(tool_named(subject.tools_of(choice.gold.row), tool))
    prompt = prompt_text(subject, choice.gold.row)
    if _ONE_EACH.search(f"{prompt} {schema}"):
        return 0
    found = {count_of(one) for text in (prompt, schema) for one in _counts(text)}
    return found.pop() if len(found) == 1 else 0


def _counts(text: str) -> Iterator[str]:
    """The numbers of tries; that of one try only where it says that there is no other, unlike `make a guess`."""
    for found in (*_LIMIT.finditer(text), *_TIMES.finditer(text)):
        if count_of(found[1]) > 1 or _FIRM.search(text[max(0, found.start() - 20) : found.start()]):
            yield found[1]


def _wrong(subject: Subject, choice: Choice, tool: str, values: Sequence[Any], count: int) -> list[Any]:
    """So many wrong values, of other rows, between these, or of the schema; nothing where there are fewer.

    Where there are no more values than tries, whoever tries them all keeps to the number of tries.
    """
    listed = schema_of(subject.tools_of(choice.gold.row), tool, choice.name).get("enum")
    known = [*values, *(listed if isinstance(listed, list) else [])]
    if all(type(value) is int for value in values) and listed is None:
        known += range(min(values), max(values))[:MOST_BETWEEN]
    wrong = [value for value in dict.fromkeys(known) if value != choice.value]
    return wrong[:count] if len(wrong) >= count else []


def in_one_message(choice: Choice, values: Sequence[Any]) -> list[Message]:
    """Gold with the call of a choice done with each of these values, in one message."""
    turns: list[Message] = deepcopy(choice.gold.turns)
    calls = turns[choice.turn]["tool_calls"]
    each: list[dict[str, Any]] = []
    for value in values:
        call = deepcopy(calls[choice.call])
        choice.put(call, value)
        each.append({**call, "id": f"{call.get('id', 'call')}-{len(each)}"})
    turns[choice.turn]["tool_calls"] = [*calls[: choice.call], *each, *calls[choice.call + 1 :]]
    return turns


def _won(subject: Subject, tried: Sequence[tuple[Choice, Sequence[Any]]], right: bool = True) -> list[int]:
    """The rows that score as gold with the wrong values, and with the right one after them or without it."""
    answers = [(one.gold.row, in_one_message(one, [*wrong, *([one.value] if right else [])])) for one, wrong in tried]
    play = play_answers if right else play_all  # those without it are what the others are compared with
    played = zip(play(subject, answers), tried, strict=False)
    return [
        one.gold.row for episode, (one, _) in played if as_good_as_gold(subject, episode) and _all_tried(one, episode)
    ]  # fmt: skip


def _all_tried(choice: Choice, episode: Episode) -> bool:
    """Whether every wrong call was a try: none was refused as one that cannot be made, which may be free."""
    tool = choice.gold.calls[-1][0]
    tries = [one for one in episode.tool_calls if one["name"] == tool]
    calls = [one for one in tries if one["arguments"].get(choice.name) != choice.value]
    refused = any(one["error"] or REFUSED.search(str(one["content"])) for one in calls)
    return not episode.error and not refused and len(calls) > 1


def _finding(subject: Subject, choice: Choice, wrong: Sequence[Any], limit: int, won: int, of: int) -> Finding:
    (episode,) = play_answers(subject, [(choice.gold.row, in_one_message(choice, [*wrong, choice.value]))])
    tool, said = choice.gold.calls[-1][0], quoted(turns_text(own_turns(episode.completion)), 160)
    return Finding(
        f"{len(wrong)} wrong calls of {tool} and then the right one, all in one message, score as much as gold on "
        f"{won} of {of} rows, although the number of tries is {limit}: {said}.",
        f"Count the calls of {tool}, not the turns: a message may hold any number of calls.",
        choice.gold.row, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
    )  # fmt: skip
