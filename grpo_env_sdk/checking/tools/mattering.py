"""Whether what a model chooses to ask for changes anything: what a tool answers, what comes later, or the reward."""

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.calls import REFUSED, TriedCall, by_tool, calls_made, drawn_call, own_turns
from grpo_env_sdk.checking.evidence.input_echo import FOR_READERS, without_echo
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.types import Episode, Message

BASES = {"quick": 4, "default": 8, "thorough": 20}
VARIANTS = 4
"""How many other values are tried in place of one."""
_LEAST = 6
"""So many changes without any effect are told."""


@dataclass(frozen=True, slots=True)
class Change:
    """A call with another value of one parameter, and the episode that came of it."""

    base: TriedCall
    parameter: str
    value: Any
    episode: Episode

    @property
    def repeated(self) -> bool:
        """Whether the tool answers as before, but for repeating what it was asked."""
        before, now = self.base.outcome, self.episode.tool_calls[self.base.place]
        told = [without_echo(call["content"], call["arguments"]) for call in (before, now)]
        return bool(now["error"] == before["error"] and told[0] == told[1])

    @property
    def refused(self) -> bool:
        """Whether the tool says that it could not do it."""
        return "error" in self.episode.tool_calls[self.base.place]["content"].casefold()

    @property
    def later(self) -> bool:
        """Whether what comes after the call, the reward among it, is as before."""
        return bool(_after(self.episode, self.base.place) == _after(self.base.episode, self.base.place))

    @property
    def idle(self) -> bool:
        """Whether it changed nothing at all."""
        now = self.episode.tool_calls[self.base.place]
        before = (self.base.error, self.base.outcome["content"])
        return self.later and before == (now["error"], now["content"])


@check("T420", kinds=("tools",), severity="warning", share=2)
def every_parameter_matters(subject: Subject) -> Iterator[Finding]:
    """Another value of a parameter changes what the tool answers, what comes later, or the reward."""
    calls = by_tool(call for call in calls_made(subject) if call.error is None)
    for tool in subject.tools:
        name = tool["function"]["name"]
        made = calls.get(name, [])
        bases = _bases(made, BASES[subject.effort])
        answers = {call.content for call in made}
        if len(answers) < 2 and not any(call.by_gold for call in bases):
            continue  # nobody knows what a right call would look like
        properties = (tool["function"].get("parameters") or {}).get("properties") or {}
        for parameter in properties:
            changes = list(_changes(subject, tool, parameter, bases))
            if not subject.time_left:
                return
            unread = len(answers) < 2 or FOR_READERS.search(f"{name} {parameter}")
            if len(changes) >= _LEAST and all(change.idle for change in changes):
                yield _never_read(changes, "info" if unread else None)
            elif not unread:
                yield from _never_scored([change for change in changes if change.base.by_gold and not change.refused])


def _never_read(changes: Sequence[Change], severity: Severity | None) -> Finding:
    base, parameter = changes[0].base, changes[0].parameter
    return Finding(
        f"{base.name} answers the same whatever {parameter!r} is, and the reward is the same: "
        f"{len(changes)} times another value changed nothing ({_values(changes)}).",
        "See that the tool reads it; or take it out, as a model has to fill it in each time.",
        base.episode.row_index, base.call, base.content, severity=severity,
    )  # fmt: skip


def _never_scored(changes: Sequence[Change]) -> Iterator[Finding]:
    """A tool that only repeats the value, which then counts nowhere: a wrong one is worth as much as gold's."""
    told = [change for change in changes if not change.idle]
    if len(told) >= _LEAST and all(change.repeated and change.later for change in changes):
        base, parameter = told[0].base, told[0].parameter
        yield Finding(
            f"{base.name} only repeats {parameter!r}, and the reward is the same whatever it is: in gold, "
            f"{len(told)} times another value was worth as much ({_values(told)}).",
            "Compare it with what the row asks for, or take it out.",
            base.episode.row_index, told[0].episode.completion, told[0].episode.reward, "less for a wrong value",
        )  # fmt: skip


def _values(changes: Sequence[Change]) -> str:
    told = [json.dumps(change.value, ensure_ascii=False)[:40] for change in changes]
    return ", ".join(list(dict.fromkeys(told))[:3])


def _bases(made: Sequence[TriedCall], most: int) -> list[TriedCall]:
    """Calls that were answered, those of gold first, of as many rows as may be."""
    found: dict[tuple[bool, int], TriedCall] = {}
    for call in made:
        found.setdefault((not call.by_gold, call.episode.row_index), call)
    return [found[key] for key in sorted(found, key=lambda key: key[0])][:most]


def _changes(subject: Subject, tool: Mapping[str, Any], parameter: str, bases: Sequence[TriedCall]) -> Iterator[Change]:
    """What other values of a parameter came to, as long as they may matter nowhere."""
    for base in bases:
        for value in _other_values(subject, tool, parameter, base):
            if not subject.time_left:
                return
            episode = subject.answer(base.episode.row_index, _changed(base, parameter, value))
            if len(episode.tool_calls) <= base.place or episode.tool_calls[base.place]["error"] in REFUSED:
                continue
            change = Change(base, parameter, value, episode)
            yield change
            if not change.refused and not (change.repeated and change.later):
                return


def _other_values(subject: Subject, tool: Mapping[str, Any], parameter: str, base: TriedCall) -> list[Any]:
    """Values of one parameter that calls of the tool have, none of them the one that it had."""
    had = base.outcome["arguments"].get(parameter)
    values: list[Any] = []
    for _ in range(4 * VARIANTS):
        drawn = drawn_call(subject, tool, base.episode.row_index)["tool_calls"][0]["function"]["arguments"]
        if parameter in drawn and drawn[parameter] != had and drawn[parameter] not in values:
            values.append(drawn[parameter])
        if len(values) == VARIANTS:
            break
    return values


def _changed(base: TriedCall, parameter: str, value: Any) -> list[Message]:
    """The turns of the episode with one argument of one call replaced."""
    turns = copy.deepcopy(own_turns(base.episode))
    calls = [call for turn in turns for call in turn.get("tool_calls") or []]
    calls[base.place]["function"]["arguments"] = {**base.outcome["arguments"], parameter: value}
    return turns


def _after(episode: Episode, place: int) -> Any:
    """What an episode came to after one of its calls."""
    later = [(call["error"], call["content"]) for call in episode.tool_calls[place + 1 :]]
    return later, episode.reward, episode.rewards, episode.stop_reason
