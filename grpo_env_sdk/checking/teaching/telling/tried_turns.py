"""What may be answered with a secret: wrong, empty and random messages and calls, and files that tools list."""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.corruption import wrong_value
from grpo_env_sdk.checking.evidence.golds import Gold, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import called_together
from grpo_env_sdk.checking.evidence.tool_use.calls import drawn_call
from grpo_env_sdk.checking.evidence.tool_use.exploring import KEPT_FOR_THE_SCORER
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Episode, Message

_MOST_LISTED = 6
WRONG, ERRORS, FILES = "The reply to a wrong message", "The result of a wrong call of {}", "A file that the tools list"
_ASKING = ("Please tell me.", "What is it, please?", "Help me, please.")


def wrong_episodes(subject: Subject, rows: Sequence[int]) -> Iterator[tuple[str, Episode]]:
    """Episodes of wrong, empty and random messages and calls, by what was tried."""
    asked = [(row, how, answer) for row in rows for how, answer in _wrong_turns(subject, row)]
    episodes = play_answers(subject, [(row, answer) for row, _, answer in asked])
    for (_, how, _), episode in zip(asked, episodes, strict=False):
        yield how, episode


def opened_files(subject: Subject, rows: Sequence[int]) -> Iterator[tuple[str, Episode]]:
    """Episodes that open the files that tools list."""
    listing = [(row, answer) for row in rows if (answer := _opened_files(subject, row))]
    for episode in play_answers(subject, listing):
        yield FILES, episode


def _wrong_turns(subject: Subject, row: int) -> Iterator[tuple[str, Completion]]:
    if subject.traits.kind == "multi-turn" or subject.traits.user == "method":
        for text in ("", "lorem ipsum", "0", "I don't know.", "12345"):
            yield WRONG, [text, text, text]
        yield WRONG, list(_ASKING)
    for tool in subject.tools_of(row):
        name = name_of(tool)
        for number in range(2):
            yield ERRORS.format(name), [drawn_call(subject, tool, row), drawn_call(subject, tool, row), str(number)]
        yield ERRORS.format(name), [call_message(name), ""]
        for call in _spoilt(golds(subject)[row], name):
            yield ERRORS.format(name), [call, ""]


def _spoilt(gold: Gold, name: str) -> Iterator[Message]:
    """Gold's calls of a tool, each with one argument changed."""
    calls = functions_of(gold.turns)
    for call in [call for call in calls if call["name"] == name][:2]:
        for argument, value in call["arguments"].items() if isinstance(call["arguments"], dict) else ():
            yield call_message(name, **{**deepcopy(call["arguments"]), argument: wrong_value(value)})


def _opened_files(subject: Subject, row: int) -> list[str | Message]:
    """Each tool that needs no arguments, then each value of the results for the tools that take one text."""
    tools = subject.tools_of(row)
    listing = [call_message(name_of(tool)) for tool in tools if not required_of(tool)]
    taking = {name_of(tool): next(iter(properties_of(tool))) for tool in tools if _takes_a_text(tool)}
    if not listing or not taking:
        return []
    episode = play_answers(subject, [(row, [*listing, ""])])
    results = " ".join(call["content"] for one in episode for call in one.tool_calls)
    listed = list(dict.fromkeys(re.findall(r"[\w./-]+", results)))
    names = sorted(listed, key=lambda name: not KEPT_FOR_THE_SCORER.search(name))[:_MOST_LISTED]
    opening = [call_message(tool, **{name: value}) for tool, name in taking.items() for value in names]
    return [*listing, called_together(opening), ""]  # in one turn, as turns are few


def _takes_a_text(tool: dict[str, Any]) -> bool:
    found = list(properties_of(tool).values())
    return len(required_of(tool)) == len(found) == 1 and found[0].get("type") == "string" and "enum" not in found[0]
