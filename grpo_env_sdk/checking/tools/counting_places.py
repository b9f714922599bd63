"""Whether tools whose schema counts from 1 take the numbers of prompts as they are, where no gold shows it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds, play_scored, reward_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import by_tool, calls_made
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.first_page import ZERO, numbers_from_one
from grpo_env_sdk.checking.teaching.forms.numbers_beside import BESIDE, numbers_in
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Episode, Message

MOST_ROWS, FEWEST_ROWS, FEWEST_VALUES, DONE = 12, 6, 4, "Done."
_HINT = "Subtract 1 in the tool, or say in its schema that the first one is number 0."


@check("T429", needs=("calls",), kinds=("tools",))
def tools_count_as_their_schema_says(subject: Subject) -> Iterator[Finding]:
    """Where a schema counts from 1, a call with the numbers of the prompt does what was asked."""
    for name, key in numbers_from_one(subject):
        found = list(_replies(subject, name, key)) or ([] if golds(subject) else list(_rewards(subject, name, key)))
        yield from found
        if found:
            return


def _rewards(subject: Subject, name: str, key: str) -> Iterator[Finding]:
    """The finding that a call with the numbers of the prompt loses, and one with a number less wins, on all rows."""
    rows = subject.sample(MOST_ROWS)
    told = {row: given for row in rows if (given := _as_told(subject, name, key, row))}
    if len(told) < max(FEWEST_ROWS, len(rows) / 2) or len({given[key] for given in told.values()}) < FEWEST_VALUES:
        return
    lost = _played(subject, name, told)
    if not lost or any(reward_of(episode) > reward_of(lost[0]) for episode in lost):
        return
    less = {row: {**given, key: given[key] - 1} for row, given in told.items()}
    won = _played(subject, name, less)
    if len(won) == len(lost) == len(told) and all(map(_wins, won, lost)):
        episode, other = lost[0], won[0]
        row = episode.row_index
        yield Finding(
            f"The schema of {name} counts {key!r} from 1, and {name} from 0: with {told[row][key]}, the number of the "
            f"prompt, a call scores {reward_of(episode):g}, and with {less[row][key]} {reward_of(other):g}, alike on "
            f"all {len(told)} rows.",
            _HINT, row, own_turns(episode.completion), episode.reward, other.reward,
        )  # fmt: skip


def _wins(won: Episode, lost: Episode) -> bool:
    return won.row_index == lost.row_index and reward_of(won) > max(0.0, reward_of(lost))


def _as_told(subject: Subject, name: str, key: str, row: int) -> dict[str, Any]:
    """The arguments of a call as the prompt has them, from the columns of its row; none where it may mean another."""
    tool = next((one for one in subject.tools_of(row) if name_of(one) == name), None)
    prompt, data = prompt_text(subject, row), subject.row(row)
    if tool is None or ZERO.search(prompt) or BESIDE.search(prompt):
        return {}
    given = {one: data.get(one) for one in dict.fromkeys([*required_of(tool), key])}
    plain = all(type(value) in (int, str) and _says(prompt, value) for value in given.values())
    number = given[key]
    return given if plain and isinstance(number, int) and number > 1 else {}


def _says(prompt: str, value: Any) -> bool:
    return value in numbers_in(prompt) if isinstance(value, int) else value.casefold() in prompt.casefold()


def _played(subject: Subject, name: str, calls: Mapping[int, Mapping[str, Any]]) -> list[Episode]:
    turns: list[tuple[int, list[Message | str]]] = [
        (row, [call_message(name, **it), DONE]) for row, it in calls.items()
    ]
    answers: list[tuple[int, Completion]] = list(turns)
    return [one for one in play_scored(subject, answers) if one.tool_calls and not one.tool_calls[0]["error"]]


def _replies(subject: Subject, name: str, key: str) -> Iterator[Finding]:
    """The finding that each reply names the number behind the one of its call."""
    named = re.compile(
        rf"(?<![\w])(?<!next )(?<!next_){re.escape(key.replace('_', ' '))}\W{{1,4}}(\d+)\b", re.IGNORECASE
    )
    told = [
        (call, call.outcome["arguments"][key], {int(one) for one in named.findall(call.content.replace("_", " "))})
        for call in by_tool(calls_made(subject)).get(name, [])
        if not call.error and type(call.outcome["arguments"].get(key)) is int
    ]
    told = [(call, number, shown) for call, number, shown in told if shown]
    if len({number for _, number, _ in told}) < FEWEST_VALUES:
        return
    if all(shown == {number + 1} and not BESIDE.search(call.content) for call, number, shown in told):
        call, number, _ = told[0]
        yield Finding(
            f"The schema of {name} counts {key!r} from 1, and {name} replies to {number} with {number + 1}, and so to "
            f"all {len(told)} calls: {quoted(call.content, 100)}.",
            _HINT, call.episode.row_index, call.call, call.content, f"{key} {number}", severity="warning",
        )  # fmt: skip
