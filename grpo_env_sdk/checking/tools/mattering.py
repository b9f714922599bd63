"""Whether the value of a parameter changes anything: the result of the call, what comes later, or the reward."""

import copy
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.playing.tool_parameters import properties_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.input_echo import FOR_READERS, without_echo
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG, answers, says, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import REFUSED, TriedCall, by_tool, calls_made, drawn_call
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.checking.tools.existing_values import called_in_earnest, existing_values
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.types import Episode, Message

BASES = {"quick": 4, "default": 8, "thorough": 20}
VARIANTS = 4
"""How many other values are tried for one."""
_FEWEST_ASKED = 3
"""How many values prompts ask for where an unread parameter is one of what is asked."""
EARNEST = 2
"""On how many rows the values that exist are tried where there is no gold."""
_LEAST = 6
"""It is reported after so many changes without any effect."""
_NOTHING = ("", "[]", "{}", "null", "None")
_REFUSES = regex(r"\brefus|\bunknown\b|\bcannot\b|\bunable\b|\bfirst\W*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Change:
    """A call with another value of one parameter, and the resulting episode."""

    base: TriedCall
    parameter: str
    value: Any
    episode: Episode

    @property
    def repeated(self) -> bool:
        """Whether the result is as before, apart from repeating the arguments."""
        before, now = self.base.outcome, self.episode.tool_calls[self.base.place]
        results = [without_echo(call["content"], call["arguments"]) for call in (before, now)]
        same = before["content"] == now["content"] or results[0] == results[1]
        return bool(now["error"] == before["error"] and same)

    @property
    def refused(self) -> bool:
        """Whether the result is an error message."""
        return _refuses(self.episode.tool_calls[self.base.place]["content"])

    @property
    def same_afterwards(self) -> bool:
        """Whether everything after the call, including the reward, is as before."""
        return bool(_after(self.episode, self.base.place) == _after(self.base.episode, self.base.place))

    @property
    def idle(self) -> bool:
        """Whether it changed nothing at all."""
        now = self.episode.tool_calls[self.base.place]
        before = (self.base.error, self.base.outcome["content"])
        return self.same_afterwards and before == (now["error"], now["content"])


@check("T420", needs=("calls",), severity="warning", share=2)
def every_parameter_matters(subject: Subject) -> Iterator[Finding]:
    """Another value of a parameter changes the result of the call, what comes later, or the reward."""
    calls = by_tool(call for call in calls_made(subject) if call.error is None and not _refuses(call.content))
    for tool in subject.tools:
        name = tool["function"]["name"]
        made = calls.get(name, [])
        bases = _bases(made, BASES[subject.effort])
        replies = {call.content for call in made}
        if len(replies) < 2 and not any(call.by_gold for call in bases):
            continue  # no valid call is known
        for parameter in properties_of(tool):
            changes = list(_changes(subject, parameter, bases))
            if not subject.time_left:
                return
            for_readers = FOR_READERS.search(f"{name} {parameter}")
            unread = len(replies) < 2 or for_readers
            if len(changes) >= _LEAST and all(change.idle for change in changes):
                if not unread and not _was_tried(subject, tool, parameter, bases):
                    continue
                asked = [] if for_readers or only_looks(tool) else _asked_for(subject, name, parameter, made)
                by_row = not for_readers and _asked_by_row(bases, parameter)
                grave = asked or (by_row and _tells_answers(subject, bases))
                yield _never_read(changes, "error" if grave else "info" if unread and not by_row else None, asked)
            elif not unread:
                yield from _never_scored([change for change in changes if change.base.by_gold and not change.refused])


def _was_tried(subject: Subject, tool: dict[str, Any], parameter: str, bases: Sequence[TriedCall]) -> bool:
    """Whether calls that do something get the same with each value that exists, where no gold shows what is right."""
    of_worth = called_in_earnest(subject, tool, bases)
    if not of_worth or of_worth[0].by_gold:
        return bool(of_worth)
    changes = (
        _change(subject, base, parameter, value)
        for base in of_worth[:EARNEST]
        for value in existing_values(subject, tool, parameter, base)
    )
    return subject.time_left > 0 and all(change is None or change.idle for change in changes)


def _asked_by_row(bases: Sequence[TriedCall], parameter: str) -> bool:
    """Whether gold gives the parameter another value on each row, so that its tool should read it."""
    given = [call.outcome["arguments"].get(parameter) for call in bases if call.by_gold]
    texts = {value for value in given if type(value) in (str, int)}
    return len(texts) >= _FEWEST_ASKED and len(texts) == len(given)


def _tells_answers(subject: Subject, bases: Sequence[TriedCall]) -> bool:
    """Whether what the tool replies to gold, and so to anything, has what gold answers with."""
    of_gold, answered = [call for call in bases if call.by_gold], answers(subject)
    return all(
        answered.get(call.episode.row_index) and answered[call.episode.row_index] <= words_of(call.content)
        for call in of_gold
    )


def _refuses(content: str) -> bool:
    """Whether a result is nothing, or an error message such as that of a tool that wants a login first."""
    return content.strip() in _NOTHING or bool(SAYS_WRONG.search(content) or _REFUSES.search(content))


def _asked_for(subject: Subject, name: str, parameter: str, made: Sequence[TriedCall]) -> list[str]:
    """The values of gold that its prompts name, if they are others on other rows: what somebody asked for is unread."""
    of_gold = [call for call in made if call.by_gold and call.episode.reward == subject.traits.reward_range[1]]
    given = [(call.episode.row_index, call.outcome["arguments"]) for call in of_gold]
    values = [(row, str(value), args) for row, args in given if type(value := args.get(parameter)) in (str, int)]
    texts = [one for one in values if len(one[1]) > 1]
    named = [value for row, value, _ in texts if says(prompt_text(subject, row), value)]
    known = list(dict.fromkeys(named))
    alone = [
        value
        for row, value, args in texts
        if not any(
            says(prompt_text(subject, row), other)
            for other in known
            if other != value and other not in map(str, args.values())
        )
    ]
    enough = len(known) >= _FEWEST_ASKED and len(named) == len(texts) and 2 * len(alone) >= len(given)
    return known if enough else []


def _never_read(changes: Sequence[Change], severity: Severity | None, asked: Sequence[str] = ()) -> Finding:
    base, parameter = changes[0].base, changes[0].parameter
    if asked:
        gold, change = next(((base, one) for one in changes if one.base.by_gold), (base, changes[0]))
        return Finding(
            f"{base.name} ignores {parameter!r}, for which the prompts ask ({joined(asked[:3])}): {len(changes)} other "
            f"values changed neither the result nor the reward ({_values(changes)}).",
            "Use it in the tool, and compare it with what the row asks for.",
            gold.episode.row_index, change.episode.completion, change.episode.reward, "less for a wrong value",
            severity=severity,
        )  # fmt: skip
    return Finding(
        f"{base.name} ignores {parameter!r}: {len(changes)} other values changed neither the result nor the reward "
        f"({_values(changes)}).",
        "Use it in the tool, or remove it: a model has to fill it in each time.",
        base.episode.row_index, base.call, base.content, severity=severity,
    )  # fmt: skip


def _never_scored(changes: Sequence[Change]) -> Iterator[Finding]:
    """A tool that only repeats the value, and a wrong value earns as much as gold's."""
    visible = [change for change in changes if not change.idle]
    if len(visible) >= _LEAST and all(change.repeated and change.same_afterwards for change in changes):
        base, parameter = visible[0].base, visible[0].parameter
        yield Finding(
            f"{base.name} only repeats {parameter!r}, which does not count: {len(visible)} other values in gold earned "
            f"the same reward ({_values(visible)}).",
            "Compare it with the value that the row needs, or remove it.",
            base.episode.row_index, visible[0].episode.completion, visible[0].episode.reward, "less for a wrong value",
        )  # fmt: skip


def _values(changes: Sequence[Change]) -> str:
    values = [json.dumps(change.value, ensure_ascii=False)[:40] for change in changes]
    return ", ".join(list(dict.fromkeys(values))[:3])


def _bases(made: Sequence[TriedCall], most: int) -> list[TriedCall]:
    """Answered calls, those of gold first, from as many rows as possible; of gold the last, which replaces others."""
    found: dict[tuple[bool, int], TriedCall] = {}
    for call in made:
        key = (not call.by_gold, call.episode.row_index)
        if call.by_gold or key not in found:
            found[key] = call
    return [found[key] for key in sorted(found, key=lambda key: key[0])][:most]


def _changes(subject: Subject, parameter: str, bases: Sequence[TriedCall]) -> Iterator[Change]:
    """Changes of a parameter, until one of them matters."""
    for base in bases:
        for value in _other_values(subject, parameter, base):
            if not subject.time_left:
                return
            change = _change(subject, base, parameter, value)
            if change is None:
                continue
            yield change
            if not change.refused and not (change.repeated and change.same_afterwards):
                return


def _change(subject: Subject, base: TriedCall, parameter: str, value: Any) -> Change | None:
    """A call with another value; None where it does not fit the schema."""
    episode = subject.answer(base.episode.row_index, changed(base, parameter, value))
    if len(episode.tool_calls) <= base.place or episode.tool_calls[base.place]["error"] in REFUSED:
        return None
    return Change(base, parameter, value, episode)


def _other_values(subject: Subject, parameter: str, base: TriedCall) -> list[Any]:
    """Other plausible values of one parameter."""
    value = base.outcome["arguments"].get(parameter)
    values: list[Any] = []
    for _ in range(4 * VARIANTS):
        drawn = drawn_call(subject, base.tool(subject), base.episode.row_index)["tool_calls"][0]["function"][
            "arguments"
        ]
        if parameter in drawn and drawn[parameter] != value and drawn[parameter] not in values:
            values.append(drawn[parameter])
        if len(values) == VARIANTS:
            break
    return values


def changed(base: TriedCall, parameter: str, value: Any) -> list[Message]:
    """The turns of the episode with one argument of one call replaced."""
    turns = copy.deepcopy(own_turns(base.episode.completion))
    calls = [call for turn in turns for call in turn.get("tool_calls") or []]
    calls[base.place]["function"]["arguments"] = {**base.outcome["arguments"], parameter: value}
    return turns


def _after(episode: Episode, place: int) -> Any:
    """Everything in an episode after one of its calls, and its result."""
    later = [(call["error"], call["content"]) for call in episode.tool_calls[place + 1 :]]
    return later, episode.reward, episode.rewards, episode.stop_reason
