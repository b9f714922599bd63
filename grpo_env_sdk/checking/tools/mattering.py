"""Whether what a model chooses to ask for changes anything: arguments that matter, and no tool that does it all."""

import copy
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.finding import Finding, Severity
from grpo_env_sdk.checking.subject import Subject
from grpo_env_sdk.checking.tools.calls import REFUSED, Made, by_tool, calls_made, drawn_call, own_turns
from grpo_env_sdk.types import Episode, Message

BASES = {"quick": 4, "default": 8, "thorough": 20}
VARIANTS = 4
"""How many other values are tried in place of one."""
_LEAST = 6
"""So many changes without any effect are told."""
_FOR_READERS = re.compile(r"reason|thought|note|comment|message|explanation|justification|summary|rationale")
"""Parameters that are meant to be read, and to change nothing."""


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
            tried = _tried_in_vain(subject, tool, parameter, bases)
            if tried is None or len(tried) < _LEAST or not subject.time_left:
                continue
            base, values = bases[0], [json.dumps(value, ensure_ascii=False)[:40] for value in tried]
            unread = len(answers) < 2 or _FOR_READERS.search(parameter)
            severity: Severity | None = "info" if unread else None
            yield Finding(
                f"{name} answers the same whatever {parameter!r} is, and the reward is the same: "
                f"{len(tried)} times another value changed nothing ({', '.join(list(dict.fromkeys(values))[:3])}).",
                "See that the tool reads it; or take it out, as a model has to fill it in each time.",
                base.episode.row_index, base.call, base.content, severity=severity,
            )  # fmt: skip


def _bases(made: Sequence[Made], most: int) -> list[Made]:
    """Calls that were answered, those of gold first, of as many rows as may be."""
    found: dict[tuple[bool, int], Made] = {}
    for call in made:
        found.setdefault((not call.by_gold, call.episode.row_index), call)
    return [found[key] for key in sorted(found, key=lambda key: key[0])][:most]


def _tried_in_vain(
    subject: Subject, tool: Mapping[str, Any], parameter: str, bases: Sequence[Made]
) -> list[Any] | None:
    """The values that changed nothing, or None as soon as one changed something."""
    tried: list[Any] = []
    for base in bases:
        effect = _effect(base.episode, base.place)
        for value in _other_values(subject, tool, parameter, base):
            if not subject.time_left:
                return tried
            changed = subject.answer(base.episode.row_index, _changed(base, parameter, value))
            if len(changed.tool_calls) <= base.place or changed.tool_calls[base.place]["error"] in REFUSED:
                continue
            if _effect(changed, base.place) != effect:
                return None
            tried.append(value)
    return tried


def _other_values(subject: Subject, tool: Mapping[str, Any], parameter: str, base: Made) -> list[Any]:
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


def _changed(base: Made, parameter: str, value: Any) -> list[Message]:
    """The turns of the episode with one argument of one call replaced."""
    turns = copy.deepcopy(own_turns(base.episode))
    calls = [call for turn in turns for call in turn.get("tool_calls") or []]
    calls[base.place]["function"]["arguments"] = {**base.outcome["arguments"], parameter: value}
    return turns


def _effect(episode: Episode, place: int) -> Any:
    """What an episode came to from one of its calls on."""
    later = [(call["error"], call["content"]) for call in episode.tool_calls[place:]]
    return later, episode.reward, episode.rewards, episode.stop_reason
