"""Whether what is bought and given back costs nothing in the end, and gives nothing."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from grpo_env_sdk.checking.evidence.golds import play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of, schema_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import things_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import called_together
from grpo_env_sdk.checking.evidence.tool_use.exploring import Opened, explore
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

ROWS, TASTED, FEWEST_ROWS, MOST_VALUES, TIMES = 6, 2, 3, 20, 4
"""On how many rows it is tried, on how many at first, on how few it counts, with how many values, and how often."""
_GIVES_BACK = regex(r"return|refund|sell|cancel|undo|remove|give_?back|put_?back|drop|unload|release|withdraw")
"""How the names of tools begin that take back what another one has done."""
_NUMBER = regex(r"-?\d+(?:\.\d+)?")


def given_back(subject: Subject) -> Iterator[Finding]:
    """The finding that doing a thing and taking it back, again and again, gives more each time."""
    rows = subject.sample(ROWS)
    for act, back in _pairs(subject.tools_of(rows[0])):
        found: list[tuple[Episode, str, float]] = []
        for place, row in enumerate(rows):
            if place == TASTED and not found:
                break
            found += _gaining(subject, row, name_of(act), name_of(back), required_of(act)[0])
        if len(found) >= FEWEST_ROWS:
            episode, what, more = found[0]
            yield Finding(
                f"{name_of(act)} and then {name_of(back)} with the same value gives {more:g} more of {quoted(what)} "
                f"than before, each time, on {len(found)} of {len(rows)} rows.",
                "Give back what was taken, and no more: note what was paid.",
                episode.row_index, own_turns(episode.completion), str(episode.tool_calls[-1]["content"]),
                f"as much of {quoted(what)} as before", severity="warning",
            )  # fmt: skip
            return


def _pairs(tools: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Two tools that take the same one value, of which the second one takes back what the first one does."""
    for back in tools:
        needed = required_of(back)
        if len(needed) == 1 and _GIVES_BACK.match(name_of(back)):
            yield from ((act, back) for act in tools if _does(act, needed))


def _does(tool: dict[str, Any], needed: Sequence[str]) -> bool:
    return list(required_of(tool)) == list(needed) and not _GIVES_BACK.match(name_of(tool)) and not only_looks(tool)


def _gaining(subject: Subject, row: int, act: str, back: str, parameter: str) -> list[tuple[Episode, str, float]]:
    """The first value with which two calls gain something; the episode, what they gain, and how much."""
    for value in _values(subject, row, schema_of(subject.tools_of(row), act, parameter)):
        turns: list[str | Message] = [
            called_together([call_message(name, **{parameter: value}) for _ in range(TIMES) for name in (act, back)]),
            "Done.",
        ]
        for episode in play_answers(subject, [(row, turns)]):
            for what, more in _gains(episode).items():
                return [(episode, what, more)]
    return []


def _gains(episode: Episode) -> dict[str, float]:
    """What the replies count, that the first of two calls makes less, and that both make more, each time alike."""
    replies = [_numbers(str(call["content"])) for call in episode.tool_calls if not call["error"]]
    found: dict[str, float] = {}
    for name in replies[0] if len(replies) == 2 * TIMES else ():
        if all(name in one for one in replies):
            changes = [two[name] - one[name] for one, two in pairwise(replies)]
            given, taken = changes[::2], changes[1::2]
            gained = {round(one + two, 6) for one, two in zip(given[1:], taken, strict=True)}
            if min(given) > 0 > max(taken) and len(gained) == 1 and min(gained) > 0:
                found[name] = min(gained)
    return found


def _numbers(reply: str) -> dict[str, float]:
    """The numbers of a reply by their names, or by their places."""
    read = read_json(reply)
    if isinstance(read, Mapping):
        return {name: value for name, value in read.items() if type(value) in (int, float)}
    return {f"number {place}": float(one) for place, one in enumerate(_NUMBER.findall(reply), 1)}


def _values(subject: Subject, row: int, schema: Mapping[str, Any]) -> list[Any]:
    """What a call may name: what its schema lists, or what the looking tools show, and the prompt."""
    if isinstance(schema.get("enum"), list):
        return list(schema["enum"][:MOST_VALUES])
    if schema.get("type") != "string":
        return []
    opened = explore(subject, [row])
    shown = [name for one in opened.values() for reply in one.opened for name in _names(reply)]
    return list(dict.fromkeys([*shown, *things_of([prompt_text(subject, row)])]))[:MOST_VALUES]


def _names(opened: Opened) -> list[str]:
    """The keys of a reply in JSON, and its texts; or the names in another one."""
    read = read_json(opened.reply, NO_JSON)
    if read is NO_JSON:
        return [] if opened.refused else things_of([opened.reply])
    items = read if isinstance(read, list) else [read]
    found: list[str] = []
    for item in items:
        found += [item] if isinstance(item, str) else []
        found += [*item, *(one for one in item.values() if isinstance(one, str))] if isinstance(item, dict) else []
    return [] if opened.refused else found
