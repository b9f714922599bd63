"""Whether going on after the goal, or doing more than was asked, is as good as gold where the prompt forbids it."""

from collections.abc import Iterator, Sequence
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import gold_episodes, won_of
from grpo_env_sdk.checking.evidence.prompts.forbidden_more import forbids_more
from grpo_env_sdk.checking.evidence.prompts.tool_names import CHANGES
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    Act,
    as_good_on_most,
    carried_out,
    cut_off,
    last_acts,
    paid,
    played_acts,
)
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import listed_beside
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.too_much.all_listed_acts import is_needed, listed_things, with_all_listed
from grpo_env_sdk.checking.teaching.too_much.one_command_more import one_command_more
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, canonical_json

TASTED, OFFERED = 4, 4
"""On how many rows one act more is tried first, and how many values are tried on each row."""
_MOVES = regex(
    r"(?:click|go|goto|open|navigate|visit|enter|select|press|tap|walk|jump|toggle|switch|travel|fly)(?:_|$)"
)
_VALUE = regex(r'"([^"\\]{1,60})"')


@check("G562", kinds=("tools", "multi-turn"), needs=("acts",))
def one_act_more_is_not_gold(subject: Subject) -> Iterator[Finding]:
    """Gold with one act more that changes something scores less, where the prompt says to stop there or do no more.

    Where the prompt says nothing of it, gold with the same act for everything else that is listed scores less.
    """
    for name, acts in last_acts(subject).items():
        forbidden = [act for act in acts if forbids_more(prompt_text(subject, act.gold.row))]
        found = list(_with_one_more(subject, name, forbidden)) if len(forbidden) >= TASTED else []
        found = found or list(with_all_listed(subject, name, acts, len(forbidden) >= TASTED))
        if found:
            yield from found
            return
    yield from one_command_more(subject)


def _with_one_more(subject: Subject, name: str, known: Sequence[Act]) -> Iterator[Finding]:
    by_name = CHANGES.match(name) or _MOVES.match(name)
    if not (by_name or is_needed(subject, name, known)):
        return
    for parameter in known[0].arguments:
        tried = [(act, value) for act in known for value in _others(subject, act, parameter)[:OFFERED]]
        few = {act.gold.row for act in known[:TASTED]}
        if not _won(subject, [one for one in tried if one[0].gold.row in few], parameter):
            continue
        won = {one.row_index: one for one in _won(subject, tried, parameter)}
        if as_good_on_most(subject, list(won.values()), len(known)):
            value = next(iter(won.values())).tool_calls[-1]["arguments"].get(parameter)
            yield paid(
                subject, list(won.values()), len(known),
                f"Gold and one more call of {name}, with {parameter}={value!r}, which the prompt does not ask for,",
                "Compare what was reached with the goal as a whole: equal to it, and nothing beside or beyond it.",
            )  # fmt: skip
            return


def _others(subject: Subject, act: Act, parameter: str) -> list[Any]:
    """Values that the reply to the act offers, then those of other rows, none of which gold uses."""
    of_gold = [given.get(parameter) for _, given in act.gold.calls]
    value, calls = act.arguments.get(parameter), gold_episodes(subject)[act.gold.row].tool_calls
    if type(value) is int:
        numbers = list(listed_beside(value, [str(call["content"]) for call in calls]))
        numbers = numbers or [one for one in known_values(subject).get((act.name, parameter), ()) if type(one) is int]
        return [number for number in dict.fromkeys(numbers) if number not in of_gold][:OFFERED]
    if not isinstance(value, str):
        return []
    own = [call for call in calls if call["arguments"] == act.arguments]
    shown = [str(call["content"]) for call in [*own[-1:], *calls]]
    offered = [other for text in shown for other in _alike(value, _VALUE.findall(text))]
    values = [*offered, *listed_things(subject, act, parameter), *known_values(subject).get((act.name, parameter), ())]
    return [other for other in dict.fromkeys(map(str, values)) if other not in of_gold][:OFFERED]


def _alike(value: str, found: list[str]) -> list[str]:
    """Those written like a value: with a digit, a dot or a space where it has one."""
    return [one for one in found if all((sign in one) == (sign in value) for sign in "./@ ")]


def _won(subject: Subject, tried: list[tuple[Act, Any]], parameter: str) -> list[Episode]:
    """The episodes of gold and one more act that did something, which are as good as gold."""
    played = played_acts(subject, [(act, act.after_gold(**{parameter: value})) for act, value in tried])
    return [one for one in won_of(subject, played) if not cut_off(one) and _did_something(subject, one)]


def _did_something(subject: Subject, episode: Episode) -> bool:
    """Whether the last call is another one than those of gold, and was carried out."""
    if not episode.tool_calls:
        return False
    last = episode.tool_calls[-1]
    before = {canonical_json([call["name"], call["arguments"]]) for call in episode.tool_calls[:-1]}
    return canonical_json([last["name"], last["arguments"]]) not in before and carried_out(subject, last)
