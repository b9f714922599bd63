"""Valid tool calls and their results: calls of gold, of random episodes, and drawn calls."""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.golds import usable_gold
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, random_arguments, tool_named
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.json_data import leaves
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.data.messages import call_message, tool_calls_of
from grpo_env_sdk.types import Episode, Message, Schemas

MANY = {"quick": 12, "default": 40, "thorough": 200}
PATIENCE = {"quick": 1.0, "default": 4.0, "thorough": 30.0}
REFUSED = ("unknown_tool", "malformed_call", "invalid_arguments")
"""Errors of calls that were rejected before the tool ran."""
MOST_WORDS, TIMES = 500, 3
"""The most words to draw from, and how often each tool is called in an episode of drawn calls."""
_KNOWN = 0.4
"""How often an argument is taken from a gold call, if there is one."""


@dataclass(frozen=True, slots=True)
class TriedCall:
    """One call of an episode: what was called, and the result."""

    episode: Episode
    by_gold: bool
    place: int
    """Which of the episode's calls it was."""

    @property
    def outcome(self) -> Mapping[str, Any]:
        """The record of the call."""
        return self.episode.tool_calls[self.place]

    @property
    def name(self) -> str:
        """The tool."""
        return str(self.outcome["name"])

    @property
    def error(self) -> str | None:
        """The type of the error, or None if the tool answered."""
        return self.outcome["error"]  # type: ignore[no-any-return]  # a record's value

    @property
    def detail(self) -> str:
        """The error text for the author."""
        return self.outcome["detail"] or ""

    @property
    def content(self) -> str:
        """The text that the model reads."""
        return str(self.outcome["content"])

    @property
    def call(self) -> dict[str, Any]:
        """The call as a finding shows it."""
        return {"name": self.name, "arguments": self.outcome["arguments"]}

    def tool(self, subject: Subject) -> dict[str, Any]:
        """The schema of the tool, as this episode had it."""
        unknown = {"function": {"name": self.name}}
        return tool_named(tools_in(subject, self.episode), self.name) or unknown


def tools_in(subject: Subject, episode: Episode) -> Schemas:
    """The schemas of the tools that an episode had."""
    return subject.tools if episode.tools is None else episode.tools


def offers(subject: Subject, row: int, name: str) -> bool:
    """Whether a row has a tool of this name."""
    return any(name_of(tool) == name for tool in subject.tools_of(row))


def calls_made(subject: Subject) -> list[TriedCall]:
    """Every call that ran, without those that were rejected before."""
    return [
        TriedCall(episode, by_gold, place)
        for episode, by_gold in episodes_tried(subject)
        for place, outcome in enumerate(episode.tool_calls)
        if outcome["error"] not in REFUSED
    ]


def episodes_tried(subject: Subject) -> list[tuple[Episode, bool]]:
    """The episodes with tool calls, and whether each is gold; shared by the checks of a process."""
    return subject.once(("tools", "tried"), lambda: _tried(subject))


def by_tool(calls: Iterable[TriedCall]) -> dict[str, list[TriedCall]]:
    """The calls of each tool."""
    found: dict[str, list[TriedCall]] = {}
    for call in calls:
        found.setdefault(call.name, []).append(call)
    return found


def gold_with_calls(subject: Subject) -> list[Episode]:
    """The gold episodes of some rows that did not fail, as many as fit into part of this check's time."""
    return subject.once(
        ("tools", "gold"),
        lambda: [episode for row in _rows_in_time(subject) if (episode := usable_gold(subject, row))],
    )


def drawn_call(subject: Subject, tool: Mapping[str, Any], row: int) -> Message:
    """A call that fits the tool's schema, with texts of the row, and sometimes with arguments of gold calls."""
    function = tool["function"]
    words = subject.random.choice(words_of(subject, row))
    arguments = random_arguments(tool, subject.random, words)
    for name in arguments:
        known = known_values(subject).get((function["name"], name))
        if known and subject.random.random() < _KNOWN:
            arguments[name] = subject.random.choice(known)
    return call_message(function["name"], **arguments)


def call_of_columns(subject: Subject, tool: Mapping[str, Any], row: int) -> Message | None:
    """A call with the values of the row's columns that are called like parameters; None where none is."""
    (call,) = drawn_call(subject, tool, row)["tool_calls"]
    arguments, data = call["function"]["arguments"], subject.row(row)
    same = {name: data[name] for name in arguments if name in data and type(data[name]) is type(arguments[name])}
    return call_message(name_of(tool), **{**arguments, **same}) if same else None


def known_values(subject: Subject) -> dict[tuple[str, str], list[Any]]:
    """The values of each argument of each tool in gold calls, on all rows that were tried."""
    return subject.once(("tools", "known"), lambda: _known(subject))


def words_of(subject: Subject, row: int) -> list[list[str]]:
    """The texts to draw from: the values of the row's columns, and each of its words."""
    data = subject.row(row)
    values = list(dict.fromkeys(_texts({name: value for name, value in data.items() if name != "prompt"})))
    words = list(dict.fromkeys(word for text in _texts(data) for word in text.split()))
    return [found[:MOST_WORDS] for found in (values, words) if found] or [["yes"]]


def _tried(subject: Subject) -> list[tuple[Episode, bool]]:
    """Gold, then for each row calls with the values of its columns, random episodes and drawn calls of each tool."""
    tried = [(episode, True) for episode in gold_with_calls(subject)]
    for row in _rows_in_time(subject):
        named = [call for tool in subject.tools_of(row) if (call := call_of_columns(subject, tool, row))]
        tried += [(subject.answer(row, [*named, ""]), False)] if named else []
        calls = [drawn_call(subject, tool, row) for _ in range(TIMES) for tool in subject.tools_of(row)]
        tried += [(episode, False) for episode in subject.play_many([row], "random", 2)]
        tried.append((subject.answer(row, [*calls, ""]), False))
    again = [(gold.row_index, _with_its_own_values(subject, gold)) for gold in gold_with_calls(subject)]
    return tried + [(episode, False) for episode in subject.answers(again)]


def _with_its_own_values(subject: Subject, gold: Episode) -> list[Message]:
    """Gold's calls, and each tool once more with the same values at the end: what was booked is then cancelled."""
    had = {name: value for call in gold.tool_calls for name, value in _arguments(call["arguments"]).items()}
    turns = deepcopy(own_turns(gold.completion))
    calling = [turn for turn in turns if turn.get("tool_calls")]
    for tool in tools_in(subject, gold) if calling else ():
        (call,) = drawn_call(subject, tool, gold.row_index)["tool_calls"]
        arguments = call["function"]["arguments"]
        arguments |= {name: had[name] for name in arguments if name in had}
        calling[-1]["tool_calls"].append(call)
    return turns


def _arguments(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _rows_in_time(subject: Subject) -> Iterator[int]:
    """The rows to try, until half of this check's time, or more than ordinary tools need, is used up."""
    return subject.in_time(subject.sample(MANY[subject.effort]), 0.5, PATIENCE[subject.effort])


def _known(subject: Subject) -> dict[tuple[str, str], list[Any]]:
    found: dict[tuple[str, str], list[Any]] = {}
    for episode in gold_with_calls(subject):
        for call in (call for message in own_turns(episode.completion) for call in tool_calls_of(message)):
            for name, value in _arguments(call.arguments).items():
                values = found.setdefault((call.name, name), [])
                if value not in values:
                    values.append(value)
    return found


def _texts(value: Any) -> list[str]:
    """Every text and number in a value of a row, including the contents of messages."""
    return [str(one) for _, one in leaves(value) if isinstance(one, str | int | float)]
