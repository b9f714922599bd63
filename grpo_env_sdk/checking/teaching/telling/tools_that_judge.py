"""Whether a tool says if an answer is right, as often as one likes, so that trying all answers is enough."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, called_together
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.types import Episode, Message

MOST_ROWS, MOST_SEEN, MOST_VALUES, MOST_CHARS, DIFFERENT = 8, 40, 24, 60, 3
"""On how many rows answers are tried, from how many rows they are taken, how many, how long, and how many differ."""
_JUDGES = regex(
    r"\b(?:answers?|solutions?|correct|right|accepted|grad(?:e|ed|er|ing)|scored?|scoring|reward\w*)\b", re.IGNORECASE
)
_TRIES = regex(r"\b(?:try|tries|attempts?|guess\w*|until|times|as often)\b", re.IGNORECASE)
_YES = regex(r"\b(?:correct|right|yes|true|accepted|ok|valid|1(?:\.0)?)\b", re.IGNORECASE)
_NO = regex(r"\b(?:wrong|incorrect|not|no|false|rejected|invalid|0(?:\.0)?)\b", re.IGNORECASE)


@check("G589", kinds=("tools",), needs=("calls",))
def no_tool_judges_answers(subject: Subject) -> Iterator[Finding]:
    """No tool says of each of the possible answers whether it is right, without a limit that counts."""
    judges = [] if subject.traits.tools_of_rows else [tool for tool in subject.tools if _judges(tool)]
    rows = subject.sample(MOST_ROWS) if judges else []
    if len(rows) < FEWEST_ROWS or any(_TRIES.search(prompt_text(subject, row)) for row in rows):
        return
    for tool in judges:
        parameter = required_of(tool)[0]
        for column, values in _columns(subject).items():
            tried = [(row, own) for row in rows if len(own := _possible(subject, row, values)) > 1]
            every = play_answers(subject, [(row, [_all(tool, own), ""]) for row, own in tried])
            told = [
                (row, own, right)
                for (row, own), episode in zip(tried, every, strict=False)
                if (right := _accepted(episode, own, parameter)) is not None
            ]
            if len(told) < max(FEWEST_ROWS, 0.8 * len(tried)) or len({right for *_, right in told}) < DIFFERENT:
                continue
            won = [
                episode
                for episode in play_answers(subject, [(row, [_all(tool, own), str(right)]) for row, own, right in told])
                if as_good_as_gold(subject, episode) and not episode.error
            ]
            if len(won) >= max(FEWEST_ROWS, 0.8 * len(told)):
                yield _finding(subject, tool, column, won, len(tried))
                return


def _judges(tool: dict[str, Any]) -> bool:
    """Whether a tool takes one text or number, and its name or description speaks of answers and what is right."""
    needed, function = required_of(tool), tool["function"]
    said = f"{name_of(tool).replace('_', ' ')} {function.get('description') or ''}"
    one = len(needed) == 1 and properties_of(tool).get(needed[0], {}).get("type") in ("string", "integer", "number")
    return one and bool(_JUDGES.search(said)) and not _TRIES.search(said)


def _columns(subject: Subject) -> dict[str, list[Any]]:
    """The values of each column of short texts or whole numbers on many rows: one of them may be the answers."""
    found: dict[str, dict[Any, None]] = {}
    for row in subject.sample(MOST_SEEN):
        for name, value in subject.row(row).items():
            if isinstance(value, str | int) and not isinstance(value, bool) and name not in ("prompt", "case_idx"):
                found.setdefault(name, {})[value] = None
    return {
        name: list(values) for name, values in found.items()
        if len(values) >= DIFFERENT and all(len(str(value)) <= MOST_CHARS for value in values)
    }  # fmt: skip


def _possible(subject: Subject, row: int, values: Sequence[Any]) -> list[Any]:
    """The values that the prompt names, if there are several; else all, if they are few."""
    named = [value for value in values if says(prompt_text(subject, row), str(value))]
    return named[:MOST_VALUES] if len(named) > 2 else list(values) if len(values) <= MOST_VALUES else []


def _all(tool: dict[str, Any], values: Sequence[Any]) -> Message:
    """One message that asks the tool about every value."""
    return called_together(call_message(name_of(tool), **{required_of(tool)[0]: value}) for value in values)


def _accepted(episode: Episode, values: Sequence[Any], parameter: str) -> Any:
    """The one value to which the tool says yes, where it says the same no to all others; else None."""
    replies = {
        call["arguments"][parameter]: without_echo(str(call["content"]), call["arguments"])
        for call in episode.tool_calls
        if not call["error"] and parameter in call["arguments"]
    }
    if len(replies) != len(values):
        return None
    alone = [value for value, text in replies.items() if list(replies.values()).count(text) == 1]
    others = {text for value, text in replies.items() if value not in alone}
    if len(values) == 2:
        alone = [value for value in alone if not _NO.search(replies[value])]
        others = {text for value, text in replies.items() if value not in alone}
    if len(alone) != 1 or len(others) != 1 or not _YES.search(replies[alone[0]]) or not _NO.search(others.pop()):
        return None
    return alone[0]


def _finding(subject: Subject, tool: dict[str, Any], column: str, won: Sequence[Episode], of: int) -> Finding:
    episode = won[0]
    tried = [str(call["arguments"][required_of(tool)[0]]) for call in episode.tool_calls]
    return Finding(
        f"{name_of(tool)} says whether an answer is right, as often as one asks: asked about {joined(tried[:4])}, it "
        f"accepts one, and answering with that scores {episode.reward:g} on {len(won)} of {of} rows.",
        f"Do not compare with {column!r} in {name_of(tool)}; or let each question cost something.",
        episode.row_index, own_turns(episode.completion), reward_with_parts(episode), less_than_gold(subject, episode),
    )  # fmt: skip
